"""GreedySanitize: fit, remove what was found, and again, until one more round does not pay.

Li, Vorobeychik, Li and Malin, Algorithm 1. Counts and removal are out of fold by default: on its own training data a
classifier leaves next to nothing, so the next one would learn from nothing and the test would stop on noise.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.greedy.choosing import check_budget
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, begin_cases
from spark_deid.greedy.parallel import LocalProcesses, TaskWorkers
from spark_deid.greedy.report import Json, RoundReport, training_report
from spark_deid.greedy.rounds import Progress, RoundStart, play_round, score_all
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.greedy.scoring import RoundScores, hidden_by_label
from spark_deid.greedy.training_settings import SELECTION
from spark_deid.learners.base import ModelLearner
from spark_deid.learners.registry import COMPARED, LearnerSettings, make_learner


def train(
    documents: Sequence[Document],
    config: TrainConfig,
    progress: Callable[[str], None] = lambda line: None,
    *,
    learner: ModelLearner | None = None,
    workers: TaskWorkers | None = None,
) -> GreedySanitizer:
    """Fit rounds on labelled documents until the stop test, ``max_rounds`` or too little data ends the loop.

    ``learner`` is in for the one that the settings name; ``workers`` fit, by default as many processes as the
    settings state.

    The round that fails the test is not part of the result; its numbers remain in the report, as the publisher's
    substitute for the attacker. Equal documents, settings and seed give equal rounds on any workers.
    Raises UsageError where a label has no annotation, fewer than two groups of documents are given, or a publish
    budget can't be had without leaks.
    """
    began = time.perf_counter()
    labels, cases = begin_cases(documents, config)
    if config.publish_budget is not None:
        check_budget(cases, config.publish_budget)
    learners = configured_learners(config) if learner is None else {config.learner: learner}
    played = _loop(cases, learners, config, workers or LocalProcesses(config.workers), progress)
    kept, reports, scores, ending, instance_sets, last_cases = played
    data, recall = _data(documents, cases, instance_sets), hidden_by_label(last_cases)
    report = training_report(config, labels, data, reports, ending, scores, time.perf_counter() - began, recall)
    progress(str(report["message"]))
    return GreedySanitizer(
        rounds=tuple(kept),
        labels=labels,
        loss_ratio=config.loss_ratio,
        decoding=config.decoding,
        placeholders=config.placeholders,
        patterns=config.patterns,
        key=config.key,
        report=report,
    )


def configured_learners(config: TrainConfig) -> dict[str, ModelLearner]:
    """Return the learner that the settings name, or all that come with the package, by name."""
    names = COMPARED if config.learner == SELECTION else (config.learner,)
    settings = LearnerSettings(
        config.features,
        config.key,
        config.iterations,
        config.background,
        by_cost=config.decoding == "cost",
        tagger=config.tagger,
        embeddings=config.embeddings,
        minutes=config.minutes,
    )
    return {name: make_learner(name, settings) for name in names}


class _Played(NamedTuple):
    """What the loop leaves: rounds that were kept, reports, scores, why it ended, all instances, the cases as left."""

    kept: list[FittedRound]
    reports: list[RoundReport]
    scores: list[tuple[RoundScores, RoundScores]]
    ending: str
    instance_sets: tuple[DocumentInstances, ...]
    remaining: tuple[GameDocument, ...]


def _loop(
    cases: tuple[GameDocument, ...],
    learners: Mapping[str, ModelLearner],
    config: TrainConfig,
    workers: TaskWorkers,
    progress: Progress,
) -> _Played:
    kept: list[FittedRound] = []
    reports: list[RoundReport] = []
    scores: list[tuple[RoundScores, RoundScores]] = []
    instance_sets: tuple[DocumentInstances, ...] | None = None
    for number in range(1, config.max_rounds + 1):
        played = play_round(RoundStart(number, cases, instance_sets, learners, config, workers, progress))
        verdict = played.verdict
        instance_sets = verdict.instance_sets
        reports.append(verdict.report)
        if played.model is None:
            return _Played(kept, reports, scores, "test", instance_sets, cases)
        kept.append(FittedRound(played.model, verdict.decoding, verdict.report.learner))
        scores.append(score_all(cases, verdict.predictions))
        cases = tuple(case.without(spans) for case, spans in zip(cases, verdict.predictions, strict=True))
        taken = verdict.report.true_positives + verdict.report.false_positives
        if verdict.report.tokens - taken < config.min_train_remaining:
            return _Played(kept, reports, scores, "few_tokens", instance_sets, cases)
    assert instance_sets is not None
    return _Played(kept, reports, scores, "max_rounds", instance_sets, cases)


def _data(
    documents: Sequence[Document], cases: Sequence[GameDocument], instance_sets: Sequence[DocumentInstances]
) -> dict[str, Json]:
    subjects = {document.subject_id for document in documents} - {None}
    return {
        "documents": len(documents),
        "subjects": len(subjects) if subjects else None,
        "annotations": sum(len(case.whole) for case in cases),
        "tokens": sum(len(instance_set.starts) for instance_set in instance_sets),
        "sensitive_tokens": sum(int(instance_set.sensitive.sum()) for instance_set in instance_sets),
    }
