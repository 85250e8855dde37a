"""What every class must satisfy, as plain numbers that compiled code takes as one argument."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s, Int64s

_FINEST = 10**6
"""The largest denominator of a share; counts times it remain far below 2**63."""


@dataclass(frozen=True)
class SensitiveCodes:
    """The values of one sensitive attribute, by code; a missing value has a separate code.

    ``persons[v]`` hold value v in the whole table. ``ordered`` values are numbered in their order. ``ancestors`` has a
    row a level of a hierarchy, the values themselves (0, 1, 2, ...) first and without the root: the code of the node
    that each value is under; None represents a hierarchy of no more than values and a root.
    """

    persons: Int64s
    ordered: bool = False
    ancestors: Int64s | None = None


class ClassConstraint(NamedTuple):
    """All models in plain numbers; what is not asked for holds of itself.

    The values of sensitive attribute a are the codes from ``offsets[a]`` to ``offsets[a + 1]`` of one common numbering.
    Most holders of one value, of a class's people: ``share`` (numerator, denominator). ``entropy`` is log l; ``c`` is
    a fraction, ``tail`` the l of recursive (c, l)-diversity, 0 where not asked for. ``lower`` and ``upper`` bound the
    fraction of the population's people that are in the table. ``persons`` holds each value in the whole table; where
    ``heights[a]`` is 0 its values are ordered, else ``ancestors[:heights[a]]`` are the levels of their hierarchy.
    """

    k: int
    distinct: int
    unique: bool
    share: tuple[int, int]
    entropy: float
    c: tuple[int, int]
    tail: int
    t: float
    lower: tuple[int, int]
    upper: tuple[int, int]
    offsets: Int64s
    shares: Float64s
    heights: Int64s
    ancestors: Int64s


def free_constraint(sensitive: Sequence[SensitiveCodes] = ()) -> ClassConstraint:
    """Return a constraint that every class with these sensitive attributes satisfies."""
    sizes = [each.persons.size for each in sensitive]
    return ClassConstraint(
        k=1,
        distinct=1,
        unique=False,
        share=(1, 1),
        entropy=0.0,
        c=(1, 1),
        tail=0,
        t=2.0,
        lower=(0, 1),
        upper=(-1, 1),
        offsets=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
        shares=np.concatenate([np.empty(0), *(_shares(each) for each in sensitive)]),
        heights=np.array([_height(each) for each in sensitive], np.int64),
        ancestors=_ancestors(sensitive),
    )


def as_ratio(number: Fraction) -> tuple[int, int]:
    """Return a number as numerator and denominator that compiled code can multiply counts by."""
    rounded = number.limit_denominator(_FINEST)
    return rounded.numerator, rounded.denominator


def with_share(constraint: ClassConstraint, most: Fraction) -> ClassConstraint:
    """Return a constraint in which no value is held by more than a fraction of a class's people."""
    return constraint._replace(share=as_ratio(min(Fraction(*constraint.share), most)))


def sensitive_of(
    persons: Int64s, distance: SensitiveDistance, *, ordered: bool = False, ancestors: Int64s | None = None
) -> SensitiveCodes:
    """Return a sensitive attribute with a distance.

    ``ordered`` states that its values are numbers or dates, coded in their order. Raises UsageError where there is no
    hierarchy for a hierarchical distance.
    """
    if distance is SensitiveDistance.HIERARCHICAL and ancestors is None:
        raise UsageError("--distance: hierarchical needs a hierarchy of every sensitive attribute")
    if distance is SensitiveDistance.EQUAL or (
        distance is SensitiveDistance.AUTO and not ordered and ancestors is None
    ):
        return SensitiveCodes(persons)
    if distance is SensitiveDistance.ORDERED or (distance is SensitiveDistance.AUTO and ancestors is None):
        return SensitiveCodes(persons, ordered=True)
    return SensitiveCodes(persons, ancestors=ancestors)


def _shares(sensitive: SensitiveCodes) -> Float64s:
    shares: Float64s = sensitive.persons / max(int(sensitive.persons.sum()), 1)
    return shares


def _height(sensitive: SensitiveCodes) -> int:
    if sensitive.ordered:
        return 0
    return 1 if sensitive.ancestors is None else len(sensitive.ancestors)


def _ancestors(sensitive: Sequence[SensitiveCodes]) -> Int64s:
    """Return hierarchies side by side, as many rows as the highest has; nodes are numbered within an attribute."""
    height = max((_height(each) for each in sensitive), default=0)
    extra = np.zeros((height, sum(each.persons.size for each in sensitive)), np.int64)
    start = 0
    for each in sensitive:
        size = each.persons.size
        own = np.arange(size)[None] if each.ancestors is None else each.ancestors
        extra[: len(own), start : start + size] = own[: len(extra)]
        start += size
    return extra
