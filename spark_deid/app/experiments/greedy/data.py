"""Labelled documents made ready for the games: drawn, divided into folds, cut into instances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spark_deid.app.experiments.greedy.fits import CorpusState, Spans
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.greedy.attack.attackers import instances
from spark_deid.greedy.fits import assign_folds
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts, count_cells
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, begin_cases
from spark_deid.greedy.rounds import make_instance_sets
from spark_deid.text.features import feature_set


@dataclass(frozen=True, repr=False)
class ExperimentData:
    """What all games share: settings, documents, their instances, and the fold of each."""

    experiment: GreedyExperimentSettings
    cases: tuple[GameDocument, ...]
    instance_sets: tuple[DocumentInstances, ...]
    folds: tuple[int, ...]

    def inside(self, fold: int) -> tuple[int, ...]:
        """Return the documents of a fold."""
        return tuple(i for i, each in enumerate(self.folds) if each == fold)

    def outside(self, *left_out: int) -> tuple[int, ...]:
        """Return the documents of all folds but these."""
        return tuple(i for i, each in enumerate(self.folds) if each not in left_out)

    @property
    def count(self) -> int:
        """Return how many folds there are."""
        return max(self.folds) + 1

    def cells(self, state: CorpusState, found: Mapping[int, Spans]) -> ConfusionCounts:
        """Count what was found on the instances that a state leaves of some documents."""
        counts = NO_COUNTS
        for number, spans in found.items():
            case, instance_set = self.cases[number], self.instance_sets[number]
            remaining = instances(replace(case, view=state.views[number]), instance_set)
            positive = instance_set.touched(spans)
            counts += count_cells(positive[remaining], instance_set.sensitive[remaining])
        return counts


def draw_documents(documents: Sequence[Document], experiment: GreedyExperimentSettings) -> tuple[Document, ...]:
    """Return as many documents as the experiment takes, drawn by its seed, in their own order."""
    wanted = experiment.documents or len(documents)
    key = experiment.seed.to_bytes(16, "little", signed=True)
    chosen = sorted(documents, key=lambda document: (keyed_hash(key, "drawn", document.doc_id), document.doc_id))
    ids = {document.doc_id for document in chosen[:wanted]}
    return tuple(document for document in documents if document.doc_id in ids)


def make_cases(documents: Sequence[Document], experiment: GreedyExperimentSettings) -> tuple[GameDocument, ...]:
    """Return a case a document; raises UsageError where a label has no annotation."""
    return begin_cases(documents, experiment.training())[1]


def make_experiment_data(cases: Sequence[GameDocument], experiment: GreedyExperimentSettings) -> ExperimentData:
    """Divide documents into folds by the seed, all of one person into the same, and cut them into instances.

    Raises UsageError with fewer groups of documents than folds, or a fold without anything to find.
    """
    folds = assign_folds([case.group for case in cases], experiment.folds, experiment.seed)
    tokenizer = feature_set(experiment.features).tokenizer()
    instance_sets = make_instance_sets(cases, (tokenizer(case.view).visible for case in cases))
    data = ExperimentData(experiment, tuple(cases), instance_sets, folds)
    if data.count < experiment.folds:
        raise UsageError(
            f"folds: expected documents of at least {experiment.folds} people, or this number of documents "
            f"without a person, got {data.count}"
        )
    return data
