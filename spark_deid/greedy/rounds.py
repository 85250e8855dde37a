"""One round of the loop: fit, count out of fold, choose the decoding, test."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spark_deid.core.words import WORD
from spark_deid.greedy.choosing import choose_candidate, choose_nested
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.fits import FitTask, FoldFit, HeldOutPredictions, Predictions, fit, hold_together, plan_fits
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts, Offsets, count_cells, is_stop, tell_touched
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument
from spark_deid.greedy.parallel import Results, TaskWorkers
from spark_deid.greedy.report import RoundReport, round_report
from spark_deid.greedy.scoring import NO_SCORES, RoundScores, score, tried_of
from spark_deid.learners.base import FittedModel, ModelLearner

Progress = Callable[[str], None]


class RoundVerdict(NamedTuple):
    """Spans that a round found out of fold, a tuple per case, with the result of the stop test."""

    report: RoundReport
    decoding: DecodingRule
    predictions: Predictions
    instance_sets: tuple[DocumentInstances, ...]


class Round(NamedTuple):
    """A verdict, and the model; None where the round failed the stop test."""

    verdict: RoundVerdict
    model: FittedModel | None


class RoundStart(NamedTuple):
    """What a round begins with; ``instance_sets`` are those of the first round, None makes them."""

    number: int
    cases: Sequence[GameDocument]
    instance_sets: tuple[DocumentInstances, ...] | None
    learners: Mapping[str, ModelLearner]
    config: TrainConfig
    workers: TaskWorkers
    progress: Progress


def play_round(start: RoundStart) -> Round:
    """Fit models on what remains, count their hits by ``config.counts``, and put the round to the stop test.

    Of several learners the round is played by the one with the fewest errors. It is chosen, like the decoding, for
    each fold by the others: what the stop test counts is chosen on other documents.
    """
    began = time.perf_counter()
    played = (_play_one if len(start.learners) == 1 else _play_best)(start)
    report = replace(played.verdict.report, seconds=round(time.perf_counter() - began, 3))
    start.progress(_line(report))
    return played._replace(verdict=played.verdict._replace(report=report))


def _play_one(start: RoundStart) -> Round:
    """Fit the folds and the model side by side; once the folds fail the test, the model is not waited for."""
    number, cases, instance_sets, learners, config, workers, progress = start
    [(name, learner)] = learners.items()
    tasks = plan_fits(cases, learner, config)
    progress(f"round {number}: fit {len(tasks)} models on {len(cases):,} documents, {workers.size} in parallel")
    done: dict[int, FoldFit] = {}
    verdict: RoundVerdict | None = None
    with closing(run_fits(tasks, workers, progress, f"round {number}: ")) as results:
        for index, result in results:
            done[index] = result
            held = hold_together(tasks, done) if verdict is None else None
            if held is not None:
                verdict = judge_round(number, name, cases, instance_sets, held, config)
                if not verdict.report.kept:
                    break
    if verdict is None:
        raise AssertionError("every round has a task that counts")
    return Round(verdict, done[len(tasks) - 1].model if verdict.report.kept else None)


def _play_best(start: RoundStart) -> Round:
    """Fit the folds of every learner, then the model of the best one, if its round passes the test."""
    number, cases, instance_sets, learners, config, workers, progress = start
    plans = {name: plan_fits(cases, learner, config) for name, learner in learners.items()}
    counting = [(name, place) for name, tasks in plans.items() for place, task in enumerate(tasks) if task.held]
    done = _fit_all([plans[name][place] for name, place in counting], number, workers, progress)
    by_learner: dict[str, dict[int, FoldFit]] = {name: {} for name in plans}
    for (name, place), result in zip(counting, done, strict=True):
        by_learner[name][place] = result
    verdicts: list[RoundVerdict] = []
    parts: tuple[int, ...] = ()
    for name, tasks in plans.items():
        held = hold_together(tasks, by_learner[name])
        assert held is not None
        # Learners may cut tokens differently: all are counted on the instances of the first.
        instance_sets, parts = instance_sets or make_instance_sets(cases, held.tokens), held.parts
        verdicts.append(judge_round(number, name, cases, instance_sets, held, config))
        progress(f"round {number}: {name} makes {verdicts[-1].report.errors:,} errors")
    assert instance_sets is not None
    verdict = judge_best(start, instance_sets, verdicts, parts)
    if not verdict.report.kept:
        return Round(verdict, None)
    chosen, last = verdict.report.learner, len(plans[verdict.report.learner]) - 1
    if last in by_learner[chosen]:
        return Round(verdict, by_learner[chosen][last].model)
    [fitted] = _fit_all([plans[chosen][last]], number, workers, progress)
    return Round(verdict, fitted.model)


def _fit_all(tasks: Sequence[FitTask], number: int, workers: TaskWorkers, progress: Progress) -> list[FoldFit]:
    progress(f"round {number}: fit {len(tasks)} models, {workers.size} in parallel")
    done = dict(run_fits(tasks, workers, progress, f"round {number}: "))
    return [done[index] for index in range(len(tasks))]


def run_fits(tasks: Sequence[FitTask], workers: TaskWorkers, progress: Progress, where: str = "") -> Results[FoldFit]:
    """Do tasks side by side, and yield the number and result of each as it ends; closing it early stops the rest."""
    with closing(workers.run(fit, tasks)) as results:
        for index, result in results:
            progress(f"{where}{tasks[index].name}, {result.seconds:.1f} s")
            yield index, result


def make_instance_sets(
    cases: Sequence[GameDocument], tokens: Iterable[tuple[Offsets, Offsets]]
) -> tuple[DocumentInstances, ...]:
    """Return the instances of all documents, by the tokens of a model."""
    return tuple(_instances_of(case, *borders) for case, borders in zip(cases, tokens, strict=True))


def judge_round(
    number: int,
    learner: str,
    cases: Sequence[GameDocument],
    instance_sets: tuple[DocumentInstances, ...] | None,
    held: HeldOutPredictions,
    config: TrainConfig,
) -> RoundVerdict:
    """Choose the decoding, count, and test; ``learner`` is the name of what was fitted."""
    instance_sets = instance_sets or make_instance_sets(cases, held.tokens)
    decoding, predictions = choose_candidate(cases, held, config.publish_budget)
    counts, wasted = tally_round(cases, instance_sets, predictions)
    tried = {each: tally_round(cases, instance_sets, spans) for each, spans in held.predictions.items()}
    kept = passes_stop_test(counts, config)
    report = round_report(number, learner, counts, wasted, decoding, config.loss_ratio, kept)
    report = replace(report, tried=tried_of(tried, instance_sets))
    return RoundVerdict(report, decoding, predictions, instance_sets)


def passes_stop_test(counts: ConfusionCounts, config: TrainConfig) -> bool:
    """Return whether the stop test lets learning continue after a round of these counts, which is then kept."""
    return not is_stop(counts.true_positives, counts.false_positives, config.loss_ratio)


def judge_best(
    start: RoundStart,
    instance_sets: tuple[DocumentInstances, ...],
    verdicts: Sequence[RoundVerdict],
    parts: Sequence[int],
) -> RoundVerdict:
    """Let the learner with the fewest errors play the round: of each fold, the one with the fewest on the others."""
    errors = [_errors(start.cases, instance_sets, verdict.predictions) for verdict in verdicts]

    def best(counted: frozenset[int]) -> int:
        places = [place for place, part in enumerate(parts) if part in counted]
        return min(range(len(verdicts)), key=lambda number: sum(errors[number][place] for place in places))

    nested = choose_nested(parts, best)
    predictions = tuple(verdicts[nested.by_part[part]].predictions[i] for i, part in enumerate(parts))
    counts, wasted = tally_round(start.cases, instance_sets, predictions)
    first = verdicts[nested.overall]
    ratio, kept = start.config.loss_ratio, passes_stop_test(counts, start.config)
    report = round_report(start.number, first.report.learner, counts, wasted, first.decoding, ratio, kept)
    candidates = {verdict.report.learner: verdict.report.errors for verdict in verdicts}
    report = replace(report, candidates=candidates, tried=first.report.tried)
    return RoundVerdict(report, first.decoding, predictions, instance_sets)


def _errors(
    cases: Sequence[GameDocument], instance_sets: Sequence[DocumentInstances], predictions: Predictions
) -> tuple[int, ...]:
    """Count the errors of predictions in each case."""
    return tuple(
        tally_round([case], [instance_set], (spans,))[0].errors
        for case, instance_set, spans in zip(cases, instance_sets, predictions, strict=True)
    )


def tally_round(
    cases: Sequence[GameDocument], instance_sets: Sequence[DocumentInstances], predictions: Predictions
) -> tuple[ConfusionCounts, int]:
    """Count predictions on the instances that remain, and the instances removed unnecessarily before."""
    counts, wasted = NO_COUNTS, 0
    for case, instance_set, spans in zip(cases, instance_sets, predictions, strict=True):
        gone = instance_set.touched(case.view.removed)
        counts += count_cells(instance_set.touched(spans)[~gone], instance_set.sensitive[~gone])
        wasted += int(np.count_nonzero(gone & ~instance_set.sensitive))
    return counts, wasted


def score_all(cases: Sequence[GameDocument], predictions: Predictions) -> tuple[RoundScores, RoundScores]:
    """Score predictions only, and together with all that was found before."""
    single, together = NO_SCORES, NO_SCORES
    for case, spans in zip(cases, predictions, strict=True):
        single += score(case.view.text, case.whole, case.gold, spans)
        together += score(case.view.text, case.whole, case.gold, (*case.found, *spans))
    return single, together


def _instances_of(case: GameDocument, starts: Offsets, ends: Offsets) -> DocumentInstances:
    words = tell_touched(starts, ends, (match.span() for match in WORD.finditer(case.view.text)))
    starts, ends = starts[words], ends[words]
    return DocumentInstances(starts, ends, tell_touched(starts, ends, ((span.start, span.end) for span in case.gold)))


def _line(report: RoundReport) -> str:
    if not report.sensitive_tokens:
        return f"round {report.round}: no labelled word remains ({report.seconds:.1f} s)"
    verdict = "kept" if report.kept else "not kept, since it would cost more than it gains"
    return (
        f"round {report.round}: {report.true_positives:,} of {report.sensitive_tokens:,} labelled words "
        f"found, {report.false_positives:,} false positives, {verdict} ({report.seconds:.1f} s)"
    )
