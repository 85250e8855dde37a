"""Classes of later releases: all values differ, signatures remain, and little is made up or omitted."""

from itertools import pairwise

import numpy as np
import pytest

from spark_deid.anonymity.invariance import COUNTERFEIT, Signature, SignedPersons, fill_buckets, split_bucket


def publish(
    values: dict[int, int], before: dict[int, Signature], m: int, random: np.random.Generator
) -> tuple[dict[int, Signature], int, set[int]]:
    """Release people (by name) once; return the signature of each, counterfeits, and who is omitted."""
    names = sorted(values)
    ties = np.arange(len(names), dtype=np.uint64)
    people = SignedPersons(np.array([values[name] for name in names]), [before.get(name) for name in names], ties)
    buckets, left = fill_buckets(people, m)
    codes = random.integers(0, 9, (len(names), 2)).astype(np.int32)
    positions = [np.array([np.nan, *range(8)], np.float64)] * 2
    signatures: dict[int, Signature] = {}
    made_up = 0
    for bucket in buckets:
        for row in split_bucket(bucket, codes, positions):
            assert len(set(bucket.signature)) == len(bucket.signature) >= m
            made_up += int((row == COUNTERFEIT).sum())
            for value, person in zip(bucket.signature, row, strict=True):
                if person != COUNTERFEIT:
                    assert people.values[person] == value
                    assert signatures.setdefault(names[person], bucket.signature) == bucket.signature
    assert {names[person] for person in left} | set(signatures) == set(names)
    assert not {names[person] for person in left} & set(signatures)
    return signatures, made_up, {names[person] for person in left}


@pytest.mark.parametrize("seed", range(40))
def test_signatures_remain_over_releases(seed: int) -> None:
    random = np.random.default_rng(seed)
    m = int(random.integers(2, 4))
    values = {name: int(random.integers(6)) for name in range(60)}
    before: dict[int, Signature] = {}
    for release in range(4):
        there = {name for name in values if random.random() < 0.6}
        signatures, made_up, _ = publish({name: values[name] for name in there}, before, m, random)
        for name in set(before) & set(signatures):
            assert signatures[name] == before[name]
        assert release or not made_up
        before = signatures


def test_everyone_has_a_place_where_no_value_is_too_frequent() -> None:
    random = np.random.default_rng(0)
    for m in (2, 3):
        values = {name: name % 4 for name in range(30)}
        _, made_up, left = publish(values, {}, m, random)
        assert (made_up, left) == (0, set())


def test_who_is_one_too_many_of_a_value_is_left_out() -> None:
    values = dict.fromkeys(range(8), 0) | {8: 1, 9: 2}
    signatures, _, left = publish(values, {}, 2, np.random.default_rng(0))
    assert (len(signatures), len(left)) == (4, 6)


def test_places_of_who_left_are_filled_by_new_people_and_then_by_counterfeits() -> None:
    before: dict[int, Signature] = {0: (1, 2, 3), 1: (1, 2, 3)}
    signatures, made_up, left = publish({0: 1, 1: 1, 2: 2, 3: 2}, before, 3, np.random.default_rng(0))
    assert set(signatures.values()) == {(1, 2, 3)}
    assert (made_up, left) == (2, set())


def test_who_holds_a_value_that_the_class_had_not_is_left_out() -> None:
    signatures, made_up, left = publish({0: 4}, {0: (1, 2)}, 2, np.random.default_rng(0))
    assert (signatures, made_up, left) == ({}, 0, {0})


def test_classes_are_cut_along_the_widest_attribute() -> None:
    codes = np.array([[1, 1], [9, 2], [1, 2], [9, 1]], np.int32)
    positions = [np.array([np.nan, *range(9)]), np.array([np.nan, *range(9)])]
    buckets, _ = fill_buckets(SignedPersons(np.array([0, 0, 1, 1]), [None] * 4, np.arange(4, dtype=np.uint64)), 2)
    rows = split_bucket(buckets[0], codes, positions)
    assert sorted(map(tuple, rows.tolist())) == [(0, 2), (1, 3)]
    assert all(low[0] <= high[0] for low, high in pairwise(codes[rows[:, 0]].tolist()))
