"""What a user may ask of classes, and what is told of the rest."""

from fractions import Fraction

import pytest

from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.models import MODELS, models_of, read_models
from spark_deid.core.errors import UsageError


@pytest.mark.parametrize("name", MODELS.built_in)
def test_every_example_is_read_as_it_is_typed(name: str) -> None:
    example = MODELS.find(name).example
    text = example if name != "alpha" else f"k=2,{example}"
    assert str(read_models(text)) == text


def test_large_numbers_are_reported_in_full() -> None:
    assert str(read_models("k=1234567,l=2")) == "k=1234567,l=2"


def test_shares_are_exact() -> None:
    assert read_models("k=2,alpha=0.1").numbers("alpha") == (Fraction(1, 10),)


def test_a_plan_asks_by_names_and_numbers() -> None:
    assert models_of({"k": 5, "recursive-l": "3:2"}) == read_models("k=5,recursive-l=3:2")


def test_what_is_not_asked_for_has_the_numbers_given() -> None:
    assert read_models("k=5").numbers("recursive-l", 0, 1) == (Fraction(0), Fraction(1))


@pytest.mark.parametrize(
    "text",
    [
        *("", "k", "k=", "k=1", "k=2.5", "k=x", "k=5,k=6", "k=5:6", "j=5", "l=1", "frequency-l=1", "entropy-l=0.5"),
        *("recursive-l=3", "recursive-l=0:2", "recursive-l=3:1", "t=-0.1", "t=1.1", "delta=0.6:0.1", "delta=0.5"),
        *("delta=0:2", "alpha=0.5", "k=5,alpha=1", "k=5,alpha=0", "m=1", "t=1/0", "t=nan", "t=inf"),
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^model: "):
        read_models(text)


def test_all_errors_are_reported_at_once() -> None:
    with pytest.raises(UsageError) as told:
        read_models("k=1,j=3,t=2")
    assert len(str(told.value).splitlines()) == 3


def test_needs_are_those_of_all_models() -> None:
    assert read_models("k=5").needs == frozenset()
    assert read_models("l=2,delta=0:0.5").needs == {ModelNeeds.SENSITIVE, ModelNeeds.POPULATION}


def test_only_counts_of_people_and_of_values_survive_suppression() -> None:
    assert read_models("k=5,l=2").absorbing
    assert not read_models("k=5,entropy-l=2").absorbing
