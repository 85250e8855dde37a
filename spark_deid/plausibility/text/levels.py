"""Choose a level for every group of a document, so that each of its segments is t-plausible."""

import math
from collections.abc import Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple, TypedDict

import numpy as np

from spark_deid.ontology.policies import Method, Objective
from spark_deid.plausibility.search import GeneralizationResult, search, search_entropies
from spark_deid.plausibility.text.senses import GeneralizationStep
from spark_deid.plausibility.text.settings import GeneralizeSettings

Ladders = Sequence[Sequence[GeneralizationStep]]
"""Of each group the generalizations, the lowest first; volumes need not rise."""
_volume_of = attrgetter("volume")
_ROUNDING = 2e-9
"""Bits by which a search exceeds t, so that sums in another order do not fall short of it."""


class SegmentDemand(NamedTuple):
    """What a segment asks of the groups that have terms in it, each named once."""

    settings: GeneralizeSettings
    groups: tuple[int, ...]


class LevelChoice(NamedTuple):
    """A level for every group, which demands can't be met, and which a greedy search met in place of an exact one."""

    levels: tuple[int, ...]
    unmet: frozenset[int]
    gave_way: int = 0


def choose_levels(demands: Sequence[SegmentDemand], ladders: Ladders) -> LevelChoice:
    """Return the levels at which every demand that can be met is met.

    Each demand is searched by itself; a group then has the highest level that one of them needs. Where a smaller volume
    stands higher on a path, a demand may fall short of t by that, and is searched again from there on.
    """
    levels, unmet, gave_way = [0] * len(ladders), set[int](), 0
    waiting: list[int] = list(range(len(demands)))
    while waiting:
        base = tuple(levels)
        for number in waiting:
            found = _search(demands[number], ladders, base)
            gave_way += found.method != demands[number].settings.search
            if not found.is_feasible:
                unmet.add(number)
                continue
            for group, level in zip(demands[number].groups, found.levels, strict=True):
                levels[group] = max(levels[group], base[group] + level)
        waiting = [
            number
            for number, demand in enumerate(demands)
            if number not in unmet
            and falls_short(demand.settings, [ladders[group][levels[group]] for group in demand.groups])
        ]
    return LevelChoice(tuple(levels), frozenset(unmet), gave_way)


def falls_short(settings: GeneralizeSettings, steps: Sequence[GeneralizationStep]) -> bool:
    """Tell whether a segment with these generalizations could be fewer than t texts, or has less entropy than these."""
    if settings.frequencies:
        return sum(step.bits for step in steps) < math.log2(settings.t)
    return math.prod(step.volume for step in steps) < settings.t


def _search(demand: SegmentDemand, ladders: Ladders, base: Sequence[int]) -> GeneralizationResult:
    paths = [ladders[group][base[group] :] for group in demand.groups]
    starts = np.array(list(accumulate(map(len, paths), initial=0)), np.int64)
    settings = demand.settings
    method: Method = "exact" if settings.search == "cut" else settings.search
    options: _Options = {
        "alpha": settings.alpha,
        "objective": settings.objective,
        "method": method,
        "delta": settings.delta,
    }
    steps = chain.from_iterable(paths)
    if settings.frequencies:
        bits = np.array([step.bits for step in steps], np.float64)
        return search_entropies(bits, starts, math.log2(settings.t) + _ROUNDING, **options)
    return search(np.array(list(map(_volume_of, steps)), np.int64), starts, settings.t, **options)


class _Options(TypedDict):
    alpha: float
    objective: Objective
    method: Method
    delta: int
