"""Choose a level for every group of a document, so that each of its segments is t-plausible."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.plausibility.search import Found, search
from spark_deid.plausibility.text.settings import GeneralizeSettings

Volumes = Sequence[Sequence[int]]
"""Of each group the volumes of its generalizations, the lowest first; they need not rise."""


class Demand(NamedTuple):
    """What a segment asks of the groups that have terms in it, each named once."""

    settings: GeneralizeSettings
    groups: tuple[int, ...]


class Chosen(NamedTuple):
    """A level for every group, which demands can't be met, and which a greedy search met in place of an exact one."""

    levels: tuple[int, ...]
    unmet: frozenset[int]
    gave_way: int = 0


def choose(demands: Sequence[Demand], volumes: Volumes) -> Chosen:
    """Return the levels at which every demand that can be met is met.

    Each demand is searched by itself; a group then has the highest level that one of them needs. Where a smaller volume
    stands higher on a path, a demand may fall short of t by that, and is searched again from there on.
    """
    levels, unmet, gave_way = [0] * len(volumes), set[int](), 0
    waiting: list[int] = list(range(len(demands)))
    while waiting:
        base = tuple(levels)
        for number in waiting:
            found = _search(demands[number], volumes, base)
            gave_way += found.method != demands[number].settings.search
            if not found.is_feasible:
                unmet.add(number)
                continue
            for group, level in zip(demands[number].groups, found.levels, strict=True):
                levels[group] = max(levels[group], base[group] + level)
        waiting = [
            number
            for number, demand in enumerate(demands)
            if number not in unmet and volume_of(demand.groups, volumes, levels) < demand.settings.t
        ]
    return Chosen(tuple(levels), frozenset(unmet), gave_way)


def volume_of(groups: Sequence[int], volumes: Volumes, levels: Sequence[int] | Mapping[int, int]) -> int:
    """Return |D|: the product of the groups' volumes at their levels."""
    return math.prod(volumes[group][levels[group]] for group in groups)


def _search(demand: Demand, volumes: Volumes, base: Sequence[int]) -> Found:
    paths = [volumes[group][base[group] :] for group in demand.groups]
    starts = np.zeros(len(paths) + 1, np.int64)
    np.cumsum([len(path) for path in paths], out=starts[1:])
    settings = demand.settings
    return search(
        np.array([volume for path in paths for volume in path], np.int64),
        starts,
        settings.t,
        alpha=settings.alpha,
        objective=settings.objective,
        method=settings.search,
        delta=settings.delta,
    )
