"""Parts of a calendar, and the same words with other meanings."""

from random import Random

import pytest

from spark_deid.text.patterns import PatternDetector, calendar_parts


def found(text: str) -> list[str]:
    spans = PatternDetector(kinds=("date", "partial_date")).detect(text)
    reach, kept = 0, []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.end > reach:
            kept.append(text[span.start : span.end])
            reach = span.end
    return kept


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("moved in Spring 2020 and fall 2021", ["Spring 2020", "fall 2021"]),
        ("in the fall of 2014 and last winter", ["fall of 2014", "winter"]),
        ("since the summer; early spring, this summer", ["summer", "spring", "summer"]),
        ("retired in the fall", ["fall"]),
        ("fall semester 2019, winter '09", ["fall semester 2019", "winter '09"]),
        ("fall/winter 2013", ["fall/winter 2013"]),
        (
            "en el verano de 2014, im Herbst 2015, été 2016, desde el otoño",
            ["verano de 2014", "Herbst 2015", "été 2016", "otoño"],
        ),
        ("Q3 2014, 2Q15, 2014Q4, in Q2 and Q1-Q2 2020", ["Q3 2014", "2Q15", "2014Q4", "Q2", "Q1-Q2 2020"]),
        (
            "third quarter of 2014, 2. Quartal 2015, premier trimestre 2016",
            ["third quarter of 2014", "2. Quartal 2015", "premier trimestre 2016"],
        ),
        (
            "2014-W12, week 12 of 2014, KW 12, ISO week 7, W07 2015",
            ["2014-W12", "week 12 of 2014", "KW 12", "ISO week 7", "W07 2015"],
        ),
        ("day 330 of 2015, 2015-330", ["day 330 of 2015", "2015-330"]),
        ("6/2014, 2014/15, FY15, 2014/2015, class of 68", ["6/2014", "2014/15", "FY15", "2014/2015", "class of 68"]),
        ("born 1950, b. 1951, (*1952), b.1953", ["1950", "b. 1951", "1952", "b.1953"]),
        ("in nineteen eighty-four, since two thousand and nine", ["nineteen eighty-four", "two thousand and nine"]),
        ("on Sat; next Sun; Mon-Fri; Sat morning, Wed", ["Sat", "Sun", "Mon-Fri", "Sat", "Wed"]),
        ("back on thurs or next fri; dialysis MWF", ["thurs", "fri", "MWF"]),
        ("his October visit, December", ["October", "December"]),
    ],
)
def test_parts_of_a_calendar_fire(text: str, parts: list[str]) -> None:
    assert found(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "for 3 weeks, two months, week 12 visit, 24 weeks pregnant",
        "She had a fall; her last fall was in the kitchen. Fall risk, falls, in the fall she hit her head",
        "broke her hip in the fall",
        "You may sat down; O2 sat 98%, on Sat 98%, sats, the sun, sun exposure",
        "spring water, the spring in the mattress, Summer Lee, winter squash, spring onion",
        "estate planning in estate matters, a été vu, lente mejoría",
        "Q4 hours, q3h, Q2H, Q1 week, H1 blocker, H2 blockers, 2Q",
        "first quarter of the moon, second trimester",
        "mon ami, fri, wed in church, they may march",
        "twenty twenty vision, twenty five, two thousand units",
        "note 2015.5, 2000 mg, room 2014, 1.5/2014.3",
        "a mass in the head, 15 days of therapy, day 3 of 5",
    ],
)
def test_other_words_do_not_fire(text: str) -> None:
    assert found(text) == []


_SIGNS = (
    *("2014", "1999", "W12", "-W07", "-330", "/", "-", " ", ". ", "b", "FY", "class of ", "week ", "12", "day 3", "th"),
    *(" of ", "de ", "3/", "'09", "KW 7", "calendar week 9", "sem", "settimana 4", "wk. 8 ", "x", "n\u00e9e. ", "\n"),
)


def test_years_that_are_looked_at_have_all_weeks_and_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = Random(2)
    texts = ["".join(draws.choices(_SIGNS, k=9)) for _ in range(4000)]
    expected = [*map(found, texts)]
    for name in ("_may_be_week", "_may_be_odd"):
        monkeypatch.setattr(calendar_parts, name, lambda *_: True)
    assert [*map(found, texts)] == expected
