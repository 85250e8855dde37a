"""Classes for tables that are released again and again: m-invariance.

Xiao and Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets" (SIGMOD 2007). A class has
at least m persons, no two of one sensitive value; the values of a class are its *signature*, and who was released
before comes to a class of the same signature as then. *Buckets* gather persons by signature, a person a value in each
of their places; new persons fill places that are free, and *counterfeits* the rest (4, division and balancing). What is
left of new persons makes buckets of its own (assignment), and buckets are cut into classes of one person a value
(split).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s, UInt64s

COUNTERFEIT = -1
"""Stands in a bucket where nobody does."""

Signature = tuple[int, ...]


@dataclass(frozen=True)
class SignatureBucket:
    """Persons of classes with one signature: ``places[v, c]`` has value ``signature[v]``, or is COUNTERFEIT."""

    signature: Signature
    places: Int64s


@dataclass(frozen=True)
class SignedPersons:
    """Persons by number: the sensitive value of each, the signature that each had before (None: new), and an order."""

    values: Int64s
    before: Sequence[Signature | None]
    ties: UInt64s


def fill_buckets(people: SignedPersons, m: int) -> tuple[list[SignatureBucket], Int64s]:
    """Put persons into buckets; return these, and who finds no place.

    No place is for who holds another value than the class of before had, and for new persons of values so frequent
    that they can't be kept apart.
    """
    waiting = _by_value(people, [person for person, before in enumerate(people.before) if before is None])
    buckets, left = [], []
    for signature, people_found in sorted(_by_signature(people).items()):
        placed = _by_value(people, [each for each in people_found if people.values[each] in signature])
        left += [each for each in people_found if people.values[each] not in signature]
        buckets.append(_balanced(signature, placed, waiting))
    made, without = _new_buckets(waiting, m)
    return [*buckets, *made], np.array(sorted([*left, *without]), np.int64)


def split_bucket(bucket: SignatureBucket, codes: Int32s, positions: Sequence[Float64s], seed: int = 0) -> Int64s:
    """Cut a bucket into classes: a row a class, the person of each value of the signature.

    ``codes`` has a row a person; ``positions[a]`` says where the codes of attribute a lie. At every cut the persons of
    each value are put in the order of the widest attribute, and half of them go to either side. A counterfeit lies
    where a person of the bucket does that the seed draws, so that no end of a range has more of them than another.
    """
    places, sources = _with_drawn_places(bucket.places, seed)
    spans = [float(np.nanmax(each) - np.nanmin(each)) if np.isfinite(each).any() else 0.0 for each in positions]
    waiting = [(0, places.shape[1])]
    while waiting:
        start, end = waiting.pop()
        if end - start < 2:
            continue
        here = places[:, start:end]
        widest = _widest(codes[here[here != COUNTERFEIT]], positions, spans)
        order = np.argsort(codes[sources[:, start:end], widest], axis=1, kind="stable")
        places[:, start:end] = np.take_along_axis(here, order, axis=1)
        sources[:, start:end] = np.take_along_axis(sources[:, start:end], order, axis=1)
        middle = (start + end) // 2
        waiting += [(start, middle), (middle, end)]
    return places.T


def _with_drawn_places(given: Int64s, seed: int) -> tuple[Int64s, Int64s]:
    """Return the places of a bucket, and whose codes each lies at; counterfeits stand anywhere among their value's."""
    places = given.copy()
    is_made_up = places == COUNTERFEIT
    if not is_made_up.any():
        return places, places.copy()
    random = np.random.default_rng(seed)
    for row in np.flatnonzero(is_made_up.any(axis=1)):
        places[row] = random.permutation(places[row])
    is_made_up = places == COUNTERFEIT
    sources = places.copy()
    sources[is_made_up] = random.choice(places[~is_made_up], int(is_made_up.sum()))
    return places, sources


def _by_value(people: SignedPersons, persons: Sequence[int]) -> dict[int, list[int]]:
    """Return persons by value, in the order of their ties."""
    ordered = sorted(persons, key=lambda person: (int(people.ties[person]), person))
    found: dict[int, list[int]] = {}
    for person in ordered:
        found.setdefault(int(people.values[person]), []).append(person)
    return found


def _by_signature(people: SignedPersons) -> Mapping[Signature, list[int]]:
    found: dict[Signature, list[int]] = {}
    for person, before in enumerate(people.before):
        if before is not None:
            found.setdefault(before, []).append(person)
    return found


def _balanced(signature: Signature, placed: Mapping[int, list[int]], waiting: dict[int, list[int]]) -> SignatureBucket:
    """Give every value of a signature as many persons: new ones, then counterfeits."""
    most = max((len(people) for people in placed.values()), default=0)
    places = np.full((len(signature), most), COUNTERFEIT, np.int64)
    for row, value in enumerate(signature):
        here = placed.get(value, [])
        new = waiting.get(value, [])
        taken = new[: most - len(here)]
        del new[: len(taken)]
        places[row, : len(here) + len(taken)] = [*here, *taken]
    return SignatureBucket(signature, places)


def _new_buckets(waiting: Mapping[int, list[int]], m: int) -> tuple[list[SignatureBucket], list[int]]:
    """Deal persons, value by value, to as many classes as can be: no class gets a value twice.

    Classes beside each other of one signature are one bucket. Who is one too many of a value is left.
    """
    counts = np.array([len(people) for people in waiting.values()], np.int64)
    number = _most_classes(counts, m)
    left = [person for people in waiting.values() for person in people[number:]]
    dealt = [(value, person) for value in sorted(waiting) for person in waiting[value][:number]]
    signatures: dict[Signature, list[list[int]]] = {}
    for at in range(number):
        cards = dealt[at::number]
        signatures.setdefault(tuple(value for value, _ in cards), []).append([person for _, person in cards])
    return [SignatureBucket(signature, np.array(rows, np.int64).T) for signature, rows in signatures.items()], left


def _most_classes(counts: Int64s, m: int) -> int:
    """Return the most classes of m different values that so many persons of each value can make.

    >>> _most_classes(np.array([5, 3, 2]), 2)
    5
    """
    low, high = 0, int(counts.sum()) // m
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() >= m * middle else (low, middle - 1)
    return low


def _widest(codes: Int32s, positions: Sequence[Float64s], spans: Sequence[float]) -> int:
    """Return the attribute of the widest range; one of missing and other values is as wide as can be."""
    return max(range(len(spans)), key=lambda at: _width(positions[at][codes[:, at]], spans[at]))


def _width(places: Float64s, span: float) -> float:
    there = places[~np.isnan(places)]
    if there.size in (0, places.size):
        return float(np.ptp(there)) / (span or 1.0) if there.size else 0.0
    return 1.0
