"""One class of the identifier view counted: persons, what they show, and who holds which sensitive value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spark_deid.identity.recount.covering import Above, is_covered
from spark_deid.identity.recount.kernels import count_within
from spark_deid.numerics.arrays import Int64s

NO_LEAST: Mapping[str, int] = MappingProxyType({})
Lines = Mapping[str, Above]


class RecountedPerson(NamedTuple):
    """A person of the view: originals by attribute (None where unknown), what is shown, and sensitive values."""

    originals: tuple[str | None, ...]
    published: tuple[tuple[int, str], ...]
    sensitive: tuple[tuple[str, str], ...] = ()


class ClassCount(NamedTuple):
    """What is wrong with a class: persons with ``few``, ``foreign`` and ``uncovered`` values, sensitive ``linked``.

    ``least`` is the least of all counts of persons, at most k; ``published`` counts published values of persons,
    equal ones of one person once.
    """

    persons: int
    least: int
    published: int
    few: int
    foreign: int
    uncovered: int
    linked: int


def count_class(
    attributes: Sequence[str],
    generalized: Sequence[str | None],
    persons: Sequence[RecountedPerson],
    lines: Lines,
    *,
    k: int,
    shares: Sequence[Fraction],
    distinct: Mapping[str, int] = NO_LEAST,
) -> ClassCount:
    """Count the persons whose generalized values are these.

    Each must show nothing else than these, of what is theirs; must cover k persons of the class, and be covered by
    what k of them show. No sensitive value may be held by a greater part of the class than each of ``shares``, and of
    each sensitive attribute the class must hold so many ``distinct`` values.
    """
    foreign = sum(value != generalized[column] for person in persons for column, value in person.published)
    uncovered = sum(
        not is_covered(original, told, lines.get(name))
        for person in persons
        for name, original, told in zip(attributes, person.originals, generalized, strict=True)
        if told is not None
    )
    counts = _covered(attributes, persons, lines, k)
    fewest = int(counts.min(initial=k)) if len(persons) >= k else len(persons)
    few = int((counts < k).any(axis=1).sum()) if len(persons) >= k else len(persons)
    shows = any(value is not None for value in generalized)
    holders = Counter(value for person in persons for value in set(person.sensitive))
    most = max(holders.values(), default=0)
    is_linked = any(most * share.denominator > share.numerator * len(persons) for share in shares)
    held = Counter(attribute for attribute, _ in holders)
    linked = shows and (is_linked or any(held[attribute] < least for attribute, least in distinct.items()))
    shown = sum(len(person.published) for person in persons)
    return ClassCount(len(persons), fewest, shown, few, foreign, uncovered, int(linked))


def _covered(attributes: Sequence[str], persons: Sequence[RecountedPerson], lines: Lines, k: int) -> Int64s:
    codes: list[dict[str | None, int]] = [{} for _ in attributes]
    rows = [[code.setdefault(v, len(code)) for code, v in zip(codes, p.originals, strict=True)] for p in persons]
    values: dict[tuple[int, str], int] = {}
    shown = [[values.setdefault(each, len(values)) for each in person.published] for person in persons]
    covered = np.zeros((max(len(values), 1), max(map(len, codes), default=1)), np.bool_)
    for (column, value), number in values.items():
        for original, code in codes[column].items():
            covered[number, code] = is_covered(original, value, lines.get(attributes[column]))
    counts = np.zeros((len(persons), 2), np.int64)
    count_within(
        np.array(rows, np.int32).reshape(len(persons), len(attributes)),
        np.concatenate([[0], np.cumsum([len(each) for each in shown])]).astype(np.int64),
        np.array([value for each in shown for value in each], np.int32),
        np.array([column for column, _ in values], np.int32),
        covered,
        k,
        counts,
    )
    return counts
