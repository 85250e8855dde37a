"""Play all games level by level: gather the fits that plans ask for, have those done that are new, and go on."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing

from spark_deid.app.experiments.greedy.fit_plans import FitPlan, FoldOutcome
from spark_deid.app.experiments.greedy.fits import FitFindings, FitRequest, FitStore, merge_requests
from spark_deid.greedy.parallel import Results

Progress = Callable[[str], None]
FitAll = Callable[[Sequence[FitRequest]], Results[FitFindings]]
"""Does fits side by side, and yields the number and finding of each as it ends."""
DEAREST = ("ensemble", "crf", "plain-crf", "adaboost", "svm")
"""Learners by what a fit costs, so that no long fit is left for the end."""
SECONDS = 20.0
"""How often progress is told while fits run."""


def play_all(plans: Sequence[FitPlan], store: FitStore, fit_all: FitAll, progress: Progress) -> tuple[FoldOutcome, ...]:
    """Play games to their ends; their outcomes come in the order of plans, whatever was done before.

    What a fit found is kept in the store as soon as it is done.
    """
    waiting = {number: next(plan) for number, plan in enumerate(plans)}
    outcomes: dict[int, tuple[FoldOutcome, ...]] = {}
    level = 0
    while True:
        known: dict[str, FitFindings] = {}
        missing: list[FitRequest] = []
        for number in sorted(waiting):
            missing.extend(_advance(number, plans[number], waiting, outcomes, store, known))
        if not missing:
            return tuple(outcome for number in sorted(outcomes) for outcome in outcomes[number])
        new, level = sorted(merge_requests(missing), key=_cost), level + 1
        progress(
            f"level {level}: {len(new)} fits for {len(waiting)} games; {len(outcomes)} of {len(plans)} games ended"
        )
        _fit(new, store, fit_all, progress)


def _fit(new: Sequence[FitRequest], store: FitStore, fit_all: FitAll, progress: Progress) -> None:
    reported = time.monotonic()
    with closing(fit_all(new)) as results:
        for done, (number, found) in enumerate(results, start=1):
            store.write(new[number].key, found)
            if time.monotonic() - reported >= SECONDS:
                reported = time.monotonic()
                progress(f"{done} of {len(new)} fits are done")


def _cost(request: FitRequest) -> int:
    return DEAREST.index(request.learner) if request.learner in DEAREST else -1


def _advance(
    number: int,
    plan: FitPlan,
    waiting: dict[int, tuple[FitRequest, ...]],
    outcomes: dict[int, tuple[FoldOutcome, ...]],
    store: FitStore,
    known: dict[str, FitFindings],
) -> list[FitRequest]:
    """Carry out a plan as far as the store goes, and return what it lacks."""
    while True:
        requests = waiting[number]
        missing = [each for each in requests if not _look_up(each, store, known)]
        if missing:
            return missing
        try:
            waiting[number] = plan.send(tuple(known[each.key] for each in requests))
        except StopIteration as end:
            outcomes[number] = end.value
            del waiting[number]
            return []


def _look_up(request: FitRequest, store: FitStore, known: dict[str, FitFindings]) -> bool:
    held = known.get(request.key)
    if held is None or not set(request.ratios) <= set(held.predictions):
        held = store.read(request)
    if held is None:
        return False
    known[request.key] = held
    return True
