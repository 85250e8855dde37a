"""Ages next to names and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.patterns import PatternDetector


def found(text: str, kind: str = "age") -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("Oleta Brandvold (44), Sami (7) left", ["44", "7"]),
        ("three children: Abu (12), Hawa (7) and the baby", ["12", "7"]),
        ("Hector (19) and May (16) each have", ["19", "16"]),
        ("Seen: Mr Adeyemi, 94", ["94"]),
        ("Miss Lowri Pascoe, 19, no.", ["19"]),
        ("baby brother Bodhi, 4 mo, well", ["4 mo"]),
        ("Pt LINDQVIST, HJALMAR  91M  rm 512", ["91M"]),
        ("Bed 1 - Mr. Abernathy, Clive. 82. D2 post", ["82"]),
        ("Flora Macaskill   26y\nRequested", ["26y"]),
        ("DOB 11/30/1994, 30. Client", ["30"]),
        ("pt: Mariama Kamara, abt 30, hosp", ["30"]),
        ("later Tegan Nancarrow, 22 (from bus pass)", ["22"]),
        ("Santiago Armijo is 9, with ex", ["9"]),
        ("my grandson Jaylen (10) does", ["10"]),
        ("As Tomás (1) and any", ["1"]),
        ("Gerardo, who died at 19 in Liberia", ["19"]),
        ("died of prostate cancer at 61 and his", ["61"]),
        ("a woman, 34, with", ["34"]),
        ("I am 56 yrs. I never", ["56 yrs"]),
        ("who is 3 years and 2 months. He", ["3 years and 2 months"]),
        ("her son, 8, has", ["8"]),
        ("mother (81) has", ["81"]),
        ("kids 7 and 9, at home", ["7", "9"]),
        ("a girl of 7, a man of 63 with", ["7", "63"]),
        ("M/45 seen, F/45 yrs", ["45", "45 yrs"]),
        ("Pt (34F), aged about 45, aet. 46", ["34F", "45", "46"]),
        ("Age at dx 43, age at death 81", ["43", "81"]),
        ("6 m/o, 8wk old, 6mo girl, 72 yrs F", ["6 m/o", "8wk old", "6mo", "72 yrs F"]),
        ("homme, 45 ans, hombre, 46 años", ["45 ans", "46 años"]),
        ("She is sixty-three years old.", ["sixty-three years old"]),
        ("a six-month-old baby", ["six-month-old"]),
        ("turned sixty-three in May", ["sixty-three"]),
        ("Mrs Okafor (ninety-two) fell", ["ninety-two"]),
        ("at the age of one hundred and one, she", ["one hundred and one"]),
        ("in her mid-90s and in their eighties", ["mid-90s", "eighties"]),
        ("her mother, a centenarian, was", ["centenarian"]),
    ],
)
def test_age_fires(text: str, ages: list[str]) -> None:
    assert found(text) == ages


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Table (3)",
            "Figure (12)",
            "Waterlow (18)",
            "Glasgow Coma Scale (15)",
            "Braden (14)",
            "Foley (16)",
            "New York (3)",
        ),
        *(
            "Smith (12) reported",
            "Placebo Group (34)",
            "Amoxicillin (10)",
            "PaCO(2)",
            "April (12)",
            "Males (34)",
            "Type A (12)",
        ),
        *(
            "Potassium is 4,",
            "Lantus is 22 and",
            "HTN, 84, DM",
            "Monday, 12, we",
            "Ann Lee, 12 Baker",
            "Smith J, 98, 45-50",
        ),
        *("Bed 12, Ward 4.", "Dr Lee, 3 tabs", "Grade 2, Type 3.", "oxygen at 94", "M 46 mg", "Ann Lee (130)"),
        *(
            "Patient 2 had",
            "in Patient 1. Then",
            "twin 1, then",
            "residents (109) were",
            "3 w/o pain",
            "a ratio of 7, then",
        ),
        *(
            "one-year survival",
            "ninety percent",
            "ninety-two patients",
            "turned ninety degrees",
            "in the nineties",
            "ninety mg",
        ),
        *(
            "sats are ninety-two.",
            "two years ago",
            "heart rate in the 90s",
            "in his fifth year",
            "turned ten corners",
            "she is one of",
        ),
    ],
)
def test_other_numbers_are_no_ages(text: str) -> None:
    assert found(text) == []


TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
UNITS = ("", "-one", "-two", "-three", "-four", "-five", "-six", "-seven", "-eight", "-nine")


@given(st.integers(20, 99), st.sampled_from(("a {}-year-old man", "she is {} years old.", "He turned {}.")))
def test_an_age_in_words_is_over_89_by_its_number(age: int, form: str) -> None:
    text = form.format(TENS[age // 10 - 2] + UNITS[age % 10])
    assert len(found(text)) == 1
    assert bool(found(text, "age_over_89")) is (age > 89)


@given(st.integers(1, 115), st.sampled_from(("Mr Adeyemi, {}.", "Edith Lumb ({}) up", "Mrs Edith Lumb, {}, of")))
def test_an_age_after_a_name_is_over_89_by_its_number(age: int, form: str) -> None:
    assert found(form.format(age)) == [f"{age}"]
    assert bool(found(form.format(age), "age_over_89")) is (age > 89)


@pytest.mark.parametrize("text", ["in his nineties", "in her 90s", "she is ninety-two.", "a centenarian"])
def test_ages_over_89_in_words_fire(text: str) -> None:
    assert len(found(text, "age_over_89")) == 1
    assert found("in his eighties and her 80s", "age_over_89") == []
