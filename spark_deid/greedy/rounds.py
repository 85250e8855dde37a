"""One round of the loop: fit, count out of fold, choose the decoding, test."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.greedy.cases import Case
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import Decoding, candidates
from spark_deid.greedy.fits import Fit, FitTask, Predictions, fit
from spark_deid.greedy.folds import assign_folds
from spark_deid.greedy.game import NO_COUNTS, Counts, Flags, Offsets, count, is_stop, touched
from spark_deid.greedy.parallel import run_tasks
from spark_deid.greedy.report import RoundReport, round_report
from spark_deid.greedy.scoring import NO_SCORES, Scores, score
from spark_deid.learners.base import Learner, Model

Progress = Callable[[str], None]


class Board(NamedTuple):
    """The instances of a document at the start: its word tokens, and which of them are sensitive."""

    starts: Offsets
    ends: Offsets
    sensitive: Flags


class Round(NamedTuple):
    """What a round found, a tuple a case, and the model to be kept if it is not the last."""

    report: RoundReport
    model: Model
    decoding: Decoding
    predictions: Predictions
    boards: tuple[Board, ...]


def play_round(
    number: int,
    cases: Sequence[Case],
    boards: tuple[Board, ...] | None,
    learner: Learner,
    config: TrainConfig,
    progress: Progress,
) -> Round:
    """Fit a model on all that is left, count its hits by ``config.counts``, and put it to the stop test.

    ``boards`` are those of the first round; None makes them. Runs one process a fold and one for the model.
    """
    began = time.perf_counter()
    model, fits = _fits(number, cases, learner, config, progress)
    if boards is None:
        boards = tuple(_board(case, *tokens) for case, tokens in zip(cases, fits.tokens, strict=True))
    decoding = choose(cases, fits.predictions)
    predictions = fits.predictions[decoding]
    counts, wasted = tally(cases, boards, predictions)
    stop = is_stop(counts.true_positives, counts.false_positives, config.loss_ratio)
    seconds = time.perf_counter() - began
    report = round_report(
        number, counts, wasted, decoding, loss_ratio=config.loss_ratio, kept=not stop, seconds=seconds
    )
    progress(_line(report))
    return Round(report, model, decoding, predictions, boards)


def tally(cases: Sequence[Case], boards: Sequence[Board], predictions: Predictions) -> tuple[Counts, int]:
    """Count predictions on the instances that are left, and the instances removed in vain before."""
    counts, wasted = NO_COUNTS, 0
    for case, board, spans in zip(cases, boards, predictions, strict=True):
        gone = _touched(board, case.view.removed)
        counts += count(_touched(board, spans)[~gone], board.sensitive[~gone])
        wasted += int(np.count_nonzero(gone & ~board.sensitive))
    return counts, wasted


def choose(cases: Sequence[Case], predictions: dict[Decoding, Predictions]) -> Decoding:
    """Return the decoding with the best strict and binary F1 of all that was found so far; ties go to the mildest."""
    if len(predictions) == 1:
        return next(iter(predictions))
    worth = {decoding: _worth(score_all(cases, spans)[1]) for decoding, spans in predictions.items()}
    return max(worth, key=lambda decoding: (worth[decoding], -abs(decoding.bias)))


def score_all(cases: Sequence[Case], predictions: Predictions) -> tuple[Scores, Scores]:
    """Score predictions alone, and together with all that was found before."""
    alone, together = NO_SCORES, NO_SCORES
    for case, spans in zip(cases, predictions, strict=True):
        alone += score(case.view.text, case.whole, case.gold, spans)
        together += score(case.view.text, case.whole, case.gold, (*case.found, *spans))
    return alone, together


def _worth(scores: Scores) -> float:
    return round(scores.strict.f1 + scores.binary_token.f1, 9)


class _Held(NamedTuple):
    """Tokens and predictions for every case, put together from the folds."""

    tokens: tuple[tuple[Offsets, Offsets], ...]
    predictions: dict[Decoding, Predictions]


def _fits(
    number: int, cases: Sequence[Case], learner: Learner, config: TrainConfig, progress: Progress
) -> tuple[Model, _Held]:
    """Fit the round's model, and the folds' where counts are out of fold."""
    parts = _parts(cases, config)
    tasks = _tasks(cases, parts, learner, config)
    done: dict[int, Fit] = {}
    for index, result in run_tasks(fit, tasks, config.workers):
        done[index] = result
        what = f"fold {index} of {len(tasks) - 1}" if index else "model on all documents"
        progress(f"round {number}: {what}, {result.seconds:.1f} s")
    model = done[0].model
    if model is None:
        raise AssertionError("the first task keeps its model")
    return model, _gathered(parts, [done[index] for index in range(len(tasks))], len(cases))


def _parts(cases: Sequence[Case], config: TrainConfig) -> tuple[tuple[int, ...], ...]:
    """Return which cases each task predicts: the first, which learns from all, only where they are counted so."""
    if config.counts == "train":
        return (tuple(range(len(cases))),)
    folds = assign_folds([case.group for case in cases], config.folds, config.seed)
    held = (tuple(i for i, fold in enumerate(folds) if fold == part) for part in range(max(folds) + 1))
    return ((), *held)


def _tasks(
    cases: Sequence[Case], parts: Sequence[tuple[int, ...]], learner: Learner, config: TrainConfig
) -> list[FitTask]:
    decodings = candidates(config.decoding, config.counts, config.loss_ratio)
    examples = tuple(case.example for case in cases)
    tasks = []
    for index, part in enumerate(parts):
        left_out = set(part) if index else set()
        learned = tuple(example for i, example in enumerate(examples) if i not in left_out)
        views = tuple(cases[i].view for i in part)
        tasks.append(FitTask(learner, learned, views, decodings, config.seed, keep=not index))
    return tasks


def _gathered(parts: Sequence[tuple[int, ...]], fits: Sequence[Fit], size: int) -> _Held:
    place = {case: (part, index) for part, members in enumerate(parts) for index, case in enumerate(members)}
    order = [place[case] for case in range(size)]
    predictions = {
        decoding: tuple(fits[part].predictions[decoding][index] for part, index in order)
        for decoding in fits[0].predictions
    }
    return _Held(tuple(fits[part].tokens[index] for part, index in order), predictions)


def _board(case: Case, starts: Offsets, ends: Offsets) -> Board:
    words = touched(starts, ends, (match.span() for match in WORD.finditer(case.view.text)))
    starts, ends = starts[words], ends[words]
    return Board(starts, ends, touched(starts, ends, ((span.start, span.end) for span in case.gold)))


def _touched(board: Board, spans: Sequence[Span]) -> Flags:
    return touched(board.starts, board.ends, ((span.start, span.end) for span in spans))


def _line(report: RoundReport) -> str:
    verdict = "kept" if report.kept else "no gain: the loop ends"
    return (
        f"round {report.round}: {report.sensitive_tokens:,} sensitive of {report.tokens:,} tokens left, "
        f"found {report.true_positives:,}, in vain {report.false_positives:,}; {verdict} ({report.seconds:.1f} s)"
    )
