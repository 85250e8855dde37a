import re

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.persons import PLAIN, plain_person


def test_ids_that_look_equal_are_one() -> None:
    spellings = ("José", " José", "José\u00a0", "Jose\u0301", "Jos\u00ade\u0301", "José\u200b", "\uff2a\uff4fs\u00e9")
    assert {plain_person(each) for each in spellings} == {"José"}
    assert plain_person("\uff50\u2010\u0661") == plain_person("p\x01-1\x7f") == "p-1"


def test_ids_that_look_different_remain_separate() -> None:
    assert len({plain_person(each) for each in ("ann", "Ann", "Ánn", "1", "01", "1.0", "Ann Lee", "AnnLee")}) == 8


@given(st.text("aé1\u0301 -\u00ad\u2010\uff11\x01\u3000"))
def test_what_the_expression_finds_is_as_it_looks(person: str) -> None:
    if re.fullmatch(PLAIN, person):
        assert plain_person(person) == person
    assert plain_person(plain_person(person)) == plain_person(person)
