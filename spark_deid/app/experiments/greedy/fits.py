"""The unit of work: fit one learner on some documents as they occur, and predict others under some decodings.

A fit is known by what goes into it, so that methods, folds and loss ratios which come to the same text share it, and a
run that was cut off finds what it had done.
"""

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import get_ident
from typing import Any, NamedTuple

from spark_deid.app.experiments.greedy.settings import PLAIN_CRF, GreedyExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Span
from spark_deid.greedy.attack.attackers import instances
from spark_deid.greedy.decoding import PLAIN, DecodingRule, cost_sensitive
from spark_deid.greedy.fits import FitTask, assign_folds, fit
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts, count_cells
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, begin_cases
from spark_deid.greedy.rounds import make_instance_sets
from spark_deid.text.features import feature_set
from spark_deid.text.view import TextView

Ratio = float | None
"""A loss ratio by which a model decides, None for Viterbi."""
Spans = tuple[Span, ...]


@dataclass(frozen=True, repr=False)
class CorpusState:
    """Every document with what was removed of it so far."""

    views: tuple[TextView, ...]

    def without(self, found: Mapping[int, Spans]) -> "CorpusState":
        """Return the state after spans were removed of some documents, by their numbers."""
        views = list(self.views)
        for number, spans in found.items():
            if spans:
                views[number] = views[number].remove(spans)
        return CorpusState(tuple(views))

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """Return what was removed of each document, in short."""
        return tuple(hashlib.sha256(json.dumps(_cells(view.removed)).encode()).hexdigest() for view in self.views)


class FitRequest(NamedTuple):
    """A fit that is asked for: who learns, on which documents, which are predicted, by Viterbi and these ratios."""

    key: str
    learner: str
    trained: tuple[int, ...]
    held: tuple[int, ...]
    ratios: tuple[float, ...]
    state: CorpusState


class FitFindings(NamedTuple):
    """What a fit found in each document that it predicted, by decoding; ``seconds`` of one core."""

    seconds: float
    predictions: Mapping[Ratio, Mapping[int, Spans]]


def request_fit(
    state: CorpusState, learner: str, trained: Sequence[int], held: Sequence[int], ratios: Sequence[float]
) -> FitRequest:
    """Ask for a fit; equal learners, documents and removals have equal keys, regardless of the ratios."""
    parts = [
        learner,
        *(f"{side}{i}:{state.digests[i]}" for side, places in (("+", trained), ("-", held)) for i in places),
    ]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]
    return FitRequest(key, learner, tuple(trained), tuple(held), tuple(sorted(set(ratios))), state)


def merge_requests(requests: Sequence[FitRequest]) -> tuple[FitRequest, ...]:
    """Return each fit once, with the ratios of all that ask for it."""
    ratios: dict[str, set[float]] = {}
    first: dict[str, FitRequest] = {}
    for each in requests:
        ratios.setdefault(each.key, set()).update(each.ratios)
        first.setdefault(each.key, each)
    return tuple(each._replace(ratios=tuple(sorted(ratios[key]))) for key, each in first.items())


def carry_out(request: FitRequest, cases: Sequence[GameDocument], experiment: GreedyExperimentSettings) -> FitFindings:
    """Do a fit."""
    current = {i: replace(cases[i], view=request.state.views[i]) for i in (*request.trained, *request.held)}
    if request.learner == PLAIN_CRF:
        current = {i: replace(case, auxiliary=()) for i, case in current.items()}
    decodings: dict[Ratio, DecodingRule] = {None: PLAIN, **{ratio: cost_sensitive(ratio) for ratio in request.ratios}}
    task = FitTask(
        name=request.learner,
        learner=experiment.learner(request.learner),
        examples=tuple(current[i].example for i in request.trained),
        held=request.held,
        views=tuple(current[i].view for i in request.held),
        decodings=tuple(dict.fromkeys(decodings.values())),
        seed=experiment.seed,
        keep=False,
    )
    began = time.process_time()
    done = fit(task)
    seconds = round(time.process_time() - began, 3)
    predictions = {
        ratio: dict(zip(request.held, done.predictions[decoding], strict=True)) for ratio, decoding in decodings.items()
    }
    return FitFindings(seconds, predictions)


@dataclass(frozen=True)
class FitStore:
    """A folder with a file for each fit that was done: offsets and labels, no text."""

    folder: Path

    def write(self, key: str, found: FitFindings) -> None:
        """Keep what a fit found, whole or not at all."""
        predictions = [
            [ratio, [[number, _cells(spans)] for number, spans in by_document.items()]]
            for ratio, by_document in found.predictions.items()
        ]
        target = self.folder / f"{key}.json"
        partial = target.with_suffix(f".{os.getpid()}-{get_ident()}.part")
        partial.write_text(json.dumps({"seconds": found.seconds, "predictions": predictions}), encoding="utf-8")
        partial.replace(target)

    def read(self, request: FitRequest) -> FitFindings | None:
        """Return what a fit found; None where it was not done, or not for all ratios."""
        try:
            stored = json.loads((self.folder / f"{request.key}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        predictions: dict[Ratio, dict[int, Spans]] = {
            ratio: {number: _spans(cells) for number, cells in by_document}
            for ratio, by_document in stored["predictions"]
        }
        return FitFindings(stored["seconds"], predictions) if set(request.ratios) <= set(predictions) else None


def _cells(spans: Sequence[Span]) -> list[list[Any]]:
    return [[span.start, span.end, span.label] for span in spans]


def _spans(cells: Sequence[Sequence[Any]]) -> Spans:
    return tuple(Span(start, end, label) for start, end, label in cells)


# Labelled documents made ready for the games: drawn, divided into folds, cut into instances.


@dataclass(frozen=True, repr=False)
class ExperimentData:
    """Values that all games share: settings, documents, their instances, and the fold of each."""

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
    """Return a case per document; raises UsageError where a label has no annotation."""
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
