"""Would more labels help? What is left by models that learn from less of the labelled text, out of fold."""

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from spark_deid.core.document import Document
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import DecodingRule, cost_sensitive
from spark_deid.greedy.fits import FitTask, FoldFit, HeldOutPredictions, assign_folds, hold_together
from spark_deid.greedy.game_documents import GameDocument, begin_cases
from spark_deid.greedy.parallel import LocalProcesses, TaskWorkers
from spark_deid.greedy.report import Json
from spark_deid.greedy.rounds import Progress, make_instance_sets, run_fits, tally_round
from spark_deid.greedy.scoring import shares_of
from spark_deid.greedy.train import configured_learners
from spark_deid.greedy.training_settings import SELECTION
from spark_deid.learners.base import ModelLearner

SHARES = (0.125, 0.25, 0.5, 1.0)
RATIOS = (1, 2, 5, 10, 20, 50, 100)
"""Of the costs L/C that are compared where a model decodes by cost."""
FIRST = "crf"
"""The learner that stands for a selection of several."""


def learning_curve(
    documents: Sequence[Document],
    config: TrainConfig,
    decoding: DecodingRule,
    progress: Progress,
    *,
    learner: ModelLearner | None = None,
    workers: TaskWorkers | None = None,
) -> dict[str, Json]:
    """Fit the first round on shares of the persons' documents, and count it on the folds that it did not see.

    Return ``points`` (the mean number of documents learned from, the share of identifier words that are left, and the
    share of other words that are published, by ``decoding``), and ``ratios``: the same two shares by the whole text at
    several L/C, where the model decodes by cost. What a smaller share learns from, a larger one does too.
    """
    _, cases = begin_cases(documents, config)
    name = FIRST if config.learner == SELECTION else config.learner
    learner = learner or configured_learners(config)[name]
    by_cost = {ratio: cost_sensitive(ratio) for ratio in RATIOS} if config.decoding == "cost" else {}
    plans = [
        tuple(_tasks(cases, learner, config, share, (decoding, *(by_cost.values() if share == 1 else ()))))
        for share in SHARES
    ]
    tasks = [task for plan in plans for task in plan]
    progress(f"learning curve: fit {len(tasks)} models")
    done = dict(run_fits(tasks, workers or LocalProcesses(config.workers), progress, "learning curve: "))
    first, points = 0, []
    held: HeldOutPredictions | None = None
    for plan in plans:
        held = _held(plan, {place: done[first + place] for place in range(len(plan))})
        first += len(plan)
        documents_learned = round(float(np.mean([len(task.examples) for task in plan])))
        points.append({"documents": documents_learned, **_shares(cases, held, decoding)})
    assert held is not None
    ratios: list[Json] = [{"loss_ratio": ratio, **_shares(cases, held, each)} for ratio, each in by_cost.items()]
    return {"points": list(points), "ratios": ratios}


def _tasks(
    cases: Sequence[GameDocument],
    learner: ModelLearner,
    config: TrainConfig,
    share: float,
    decodings: tuple[DecodingRule, ...],
) -> Iterator[FitTask]:
    groups = [case.group for case in cases]
    folds = assign_folds(groups, config.folds, config.seed)
    names = sorted(set(groups))
    rank = dict(zip(names, np.random.default_rng(config.seed).permutation(len(names)).tolist(), strict=True))
    for fold in range(max(folds) + 1):
        others = sorted({rank[group] for group, own in zip(groups, folds, strict=True) if own != fold})
        chosen = set(others[: max(1, ceil(share * len(others)))])
        learned = [i for i, own in enumerate(folds) if own != fold and rank[groups[i]] in chosen]
        held = tuple(i for i, own in enumerate(folds) if own == fold)
        yield FitTask(
            f"{share:.0%} of the documents of fold {fold + 1}",
            learner,
            tuple(cases[i].example for i in learned),
            held,
            tuple(cases[i].view for i in held),
            decodings,
            config.seed,
            keep=False,
        )


def _held(plan: Sequence[FitTask], done: dict[int, FoldFit]) -> HeldOutPredictions:
    held = hold_together(plan, done)
    assert held is not None
    return held


def _shares(cases: Sequence[GameDocument], held: HeldOutPredictions, decoding: DecodingRule) -> dict[str, Json]:
    predictions = held.predictions.get(decoding) or next(iter(held.predictions.values()))
    instance_sets = make_instance_sets(cases, held.tokens)
    counts, wasted = tally_round(cases, instance_sets, predictions)
    return {**shares_of(counts, wasted, instance_sets)}
