"""Folds: people whole, even, by the seed and not by the order of documents."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.greedy.fits import assign_folds

groups = st.lists(st.integers(0, 9).map(lambda number: f"person {number}"), min_size=1, max_size=25)


@given(groups, st.integers(2, 6), st.integers(0, 5))
def test_people_are_never_divided_and_folds_differ_by_one_person(names: list[str], folds: int, seed: int) -> None:
    place = dict(zip(names, assign_folds(names, folds, seed), strict=True))
    assert [place[name] for name in names] == list(assign_folds(names, folds, seed))
    persons = Counter(place.values())
    assert set(persons) == set(range(min(folds, len(set(names)))))
    assert max(persons.values()) - min(persons.values()) <= 1


@given(groups, st.integers(2, 6), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(names: list[str], folds: int, random: Random) -> None:
    shuffled = random.sample(names, len(names))
    before, after = (dict(zip(each, assign_folds(each, folds, 0), strict=True)) for each in (names, shuffled))
    assert before == after


def test_seeds_divide_otherwise() -> None:
    names = [f"document {number}" for number in range(20)]
    assert len({assign_folds(names, 3, seed) for seed in range(4)}) == 4
