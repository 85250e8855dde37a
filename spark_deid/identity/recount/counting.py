"""One class of the identifier view counted: persons, what they show, and who holds which sensitive value."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int64s
from spark_deid.identity.recount.covering import Above, is_covered
from spark_deid.identity.recount.kernels import count_within
from spark_deid.identity.settings import IdentityKeys

NO_LEAST: Mapping[str, int] = MappingProxyType({})
Lines = Mapping[str, Above]


class RecountedPerson(NamedTuple):
    """A person of the view: originals by attribute (None where unknown), what is shown, and sensitive values.

    ``staying`` are the values of sensitive attributes that the person's texts show as they are.
    """

    originals: tuple[str | None, ...]
    published: tuple[tuple[int, str], ...]
    sensitive: tuple[tuple[str, str], ...] = ()
    staying: tuple[tuple[str, str], ...] = ()


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
    staying: Collection[str] = (),
) -> ClassCount:
    """Count the persons whose generalized values are these.

    Each must show nothing else than these, of what is theirs; must cover k persons of the class, and be covered by
    what k of them show. No sensitive value may be held by a greater part of the class than each of ``shares``, and of
    each sensitive attribute so many persons must be there who can be given ``distinct`` values, one each. Of those that
    are ``staying`` in the texts the values there count, whatever else the class shows.
    """
    foreign = sum(value != generalized[column] for person in persons for column, value in person.published)
    uncovered = sum(
        not is_covered(original, entry, lines.get(name))
        for person in persons
        for name, original, entry in zip(attributes, person.originals, generalized, strict=True)
        if entry is not None
    )
    counts = _covered(attributes, persons, lines, k)
    fewest = int(counts.min(initial=k)) if len(persons) >= k else len(persons)
    few = int((counts < k).any(axis=1).sum()) if len(persons) >= k else len(persons)
    shows = any(value is not None for value in generalized)
    of_view, of_texts = (
        {name: least for name, least in distinct.items() if (name in staying) is is_kept} for is_kept in (False, True)
    )
    linked = shows and is_linked([person.sensitive for person in persons], shares, of_view)
    linked = linked or (bool(staying) and is_linked([person.staying for person in persons], shares, of_texts))
    shown = sum(len(person.published) for person in persons)
    return ClassCount(len(persons), fewest, shown, few, foreign, uncovered, int(linked))


def is_linked(
    held: Sequence[Sequence[tuple[str, str]]], shares: Sequence[Fraction], distinct: Mapping[str, int]
) -> bool:
    """Tell whether a value is held by too many persons, or too few can be given values of their own."""
    holders = Counter(value for values in held for value in set(values))
    most = max(holders.values(), default=0)
    if any(most * share.denominator > share.numerator * len(held) for share in shares):
        return True
    return any(not can_be_given(held, name, least) for name, least in distinct.items())


def can_be_given(held: Sequence[Sequence[tuple[str, str]]], attribute: str, number: int) -> bool:
    """Tell whether so many persons can be given different values of an attribute, one each that they hold.

    Values look for a person by augmenting paths, one after another (Kuhn, 1955).

    >>> flu, gout = ("illness", "flu"), ("illness", "gout")
    >>> can_be_given([[flu, gout], []], "illness", 2), can_be_given([[flu, gout], [flu]], "illness", 2)
    (False, True)
    """
    people: dict[str, list[int]] = {}
    for person, values in enumerate(held):
        for name, value in dict.fromkeys(values):
            if name == attribute:
                people.setdefault(value, []).append(person)
    given: dict[int, str] = {}
    for value in people:
        if len(given) >= number:
            break
        _give(value, people, given, set())
    return len(given) >= number


def _give(value: str, persons: Mapping[str, Sequence[int]], given: dict[int, str], tried: set[int]) -> bool:
    """Give a value to one of its persons, whose own may go to another; at most as deep as there are given ones."""
    for person in persons[value]:
        if person in tried:
            continue
        tried.add(person)
        if person not in given or _give(given[person], persons, given, tried):
            given[person] = value
            return True
    return False


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


# What the recount asks of classes, in numbers.


NONE_STAYS: frozenset[str] = frozenset()


class ClassDemands(NamedTuple):
    """What classes must satisfy, in numbers, and which sensitive attributes stay (see ``count_class``)."""

    k: int
    shares: tuple[Fraction, ...]
    distinct: Mapping[str, int]
    staying: frozenset[str]

    @classmethod
    def of(cls, keys: IdentityKeys, staying: frozenset[str] = NONE_STAYS) -> "ClassDemands":
        """Return the demands of a plan: how great a part may hold one value, and how many values must be held."""
        models, sensitive = keys.classes.models, keys.identity.roles.sensitive
        least = (1 / numbers[0] for numbers in (models.numbers("frequency-l"),) if numbers)
        asked = models.numbers("l")
        distinct = {name: int(asked[0]) for name in sensitive} if asked else {}
        return cls(keys.classes.k, (*least, *models.numbers("alpha")), distinct, staying)
