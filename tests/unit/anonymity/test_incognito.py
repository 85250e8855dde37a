"""Incognito finds every minimal node, and no other: compared with trying all of the lattice."""

import numpy as np
import pytest

from spark_deid.anonymity.incognito import FrequencyLattice, LatticeSearch, find_minimal_nodes
from spark_deid.anonymity.models import read_models
from spark_deid.ontology.hierarchy import ValueHierarchy
from tests.unit.anonymity.brute import People, brute_minimal, random_people

MODELS = (
    *("k=2", "k=3", "k=2,l=2", "k=2,frequency-l=2", "k=2,entropy-l=1.6", "k=2,recursive-l=2:2", "k=2,t=0.4"),
    *("k=2,alpha=0.6", "delta=0:0.7", "k=2,delta=0.2:0.9", "k=2,l=2,t=0.5"),
)


def search(people: People, text: str, most: int) -> LatticeSearch:
    models = read_models(text)
    monotone = models.monotone and (most == 0 or models.absorbing)
    return find_minimal_nodes(
        FrequencyLattice(people.frequencies, people.levels, people.constraint(models), most, monotone)
    )


@pytest.mark.parametrize("seed", range(20))
def test_minimal_nodes_are_those_of_trying_every_node(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(10):
        people, models = random_people(random), str(random.choice(MODELS))
        most = int(random.choice([0, 0, 2, 5]))
        assert search(people, models, most).minimal == brute_minimal(people, read_models(models), most), models


def test_random_tables_have_nodes_between_bottom_and_top() -> None:
    random = np.random.default_rng(1)
    found = [search(random_people(random), "k=2", 2) for _ in range(30)]
    assert any(len(each.minimal) > 1 for each in found)
    assert any(each.looked_at < each.nodes for each in found)


PATIENTS = (
    *(("1976-01-21", "M", "53715"), ("1986-04-13", "F", "53715"), ("1976-02-28", "M", "53703")),
    *(("1976-01-21", "M", "53703"), ("1986-04-13", "F", "53706"), ("1976-02-28", "F", "53706")),
)


def test_the_patients_of_the_paper_have_three_minimal_nodes() -> None:
    """LeFevre, DeWitt and Ramakrishnan (SIGMOD 2005), figures 1 and 2: birth dates, sexes and ZIP codes."""
    births = ValueHierarchy(tuple((birth, "*") for birth, _, _ in PATIENTS[:3]))
    sexes = ValueHierarchy((("M", "*"), ("F", "*")))
    codes = ValueHierarchy(
        tuple((code, f"{code[:4]}*", f"{code[:3]}**") for code in ("53715", "53710", "53706", "53703"))
    )
    people = People((births, sexes, codes), [(place, person, 0) for person, place in enumerate(PATIENTS)])
    assert search(people, "k=2", 0).minimal == ((0, 1, 2), (1, 0, 2), (1, 1, 0))
