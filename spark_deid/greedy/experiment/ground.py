"""Labelled documents made ready for the games: drawn, divided into folds, cut into instances."""

from collections.abc import Sequence

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.greedy.cases import Case, begin
from spark_deid.greedy.experiment.games import Ground
from spark_deid.greedy.experiment.settings import Experiment
from spark_deid.greedy.fits import Held
from spark_deid.greedy.folds import assign_folds
from spark_deid.greedy.rounds import make_boards
from spark_deid.text.features import feature_set


def draw(documents: Sequence[Document], experiment: Experiment) -> tuple[Document, ...]:
    """Return as many documents as the experiment takes, drawn by its seed, in their own order."""
    wanted = experiment.documents or len(documents)
    key = experiment.seed.to_bytes(16, "little", signed=True)
    chosen = sorted(documents, key=lambda document: (keyed_hash(key, "drawn", document.doc_id), document.doc_id))
    ids = {document.doc_id for document in chosen[:wanted]}
    return tuple(document for document in documents if document.doc_id in ids)


def make_cases(documents: Sequence[Document], experiment: Experiment) -> tuple[Case, ...]:
    """Return a case a document; raises UsageError where a label has no annotation."""
    return begin(documents, experiment.training())[1]


def make_ground(cases: Sequence[Case], experiment: Experiment) -> Ground:
    """Divide documents into folds by the seed, all of one person into the same, and cut them into instances.

    Raises UsageError with fewer groups of documents than folds, or a fold without anything to find.
    """
    folds = assign_folds([case.group for case in cases], experiment.folds, experiment.seed)
    tokenizer = feature_set(experiment.features).tokenizer()
    boards = make_boards(cases, Held(tuple(tokenizer(case.view).shown for case in cases), {}))
    ground = Ground(experiment, tuple(cases), boards, folds)
    if ground.count < experiment.folds:
        raise UsageError(
            f"folds: expected documents of at least {experiment.folds} persons, or so many documents without one;"
            f" got {ground.count}"
        )
    return ground
