"""An attacker who reads weekdays, holidays, seasons, quarters, weeks and years next to dates that moved."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

import pytest

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.surrogates.date_shift import ShiftRequest, shift
from spark_deid.text.patterns import PatternDetector
from spark_deid.values.locale import ValueLocale

PEOPLE, DAYS, KEY = 60, 365, b"k" * 32
_MOVED = re.compile(r"on (\d{1,2})/(\d{1,2})/(\d{4})")
_SEASONS = ("winter", "spring", "summer", "fall")
_CLUES: tuple[tuple[re.Pattern[str], Callable[[date], str]], ...] = (
    (re.compile(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"), lambda day: f"{day:%A}".removesuffix("day")),
    (re.compile(r"\b(winter|spring|summer|fall)\b"), lambda day: _SEASONS[day.month % 12 // 3]),
    (re.compile(r"\bQ([1-4])\b"), lambda day: str((day.month + 2) // 3)),
    (re.compile(r"\bweek (\d{1,2}) of\b"), lambda day: str(day.isocalendar().week)),
    (re.compile(r"(?:\bin|\bof) (\d{4})\b"), lambda day: str(day.year)),
    (
        re.compile(r"\b(\d{1,3}) days after (?:Christmas|New Year)\b"),
        lambda day: str((day - date(day.year, 1, 1)).days),
    ),
    (re.compile(r"\b[Bb]orn in (\d{4}), aged 50\b"), lambda day: str(day.year - 50)),
)


def _note(number: int) -> str:
    day = date(2012, 1, 9) + timedelta(number * 17)
    clues = (
        f"That was a {day:%A}. It was {_SEASONS[day.month % 12 // 3]} of {day.year}, "
        f"Q{(day.month + 2) // 3} {day.year}, week {day.isocalendar().week} of {day.year}. Born {day.year - 50}. "
        f"{(day - date(day.year, 1, 1)).days} days after New Year."
    )
    return f"Seen on {day.month}/{day.day}/{day.year}. {clues} Return in 3 weeks."


def _found(published: str, number: int) -> bool:
    """Return whether the clues that remain agree with one offset only, and with the right one."""
    moved = _MOVED.search(published)
    if moved is None:
        return False
    seen = date(int(moved[3]), int(moved[1]), int(moved[2]))
    clues = [(match[1], clue) for expression, clue in _CLUES for match in expression.finditer(published)]
    offsets = [
        days
        for days in range(-DAYS, DAYS + 1)
        if days and all(clue(seen - timedelta(days)) == said for said, clue in clues)
    ]
    right = (seen - (date(2012, 1, 9) + timedelta(number * 17))).days
    return offsets == [right]


def _without_partial_dates(number: int) -> str:
    """Return a note in which only the dates that patterns find move."""
    text = _note(number)
    document = Document(f"d{number}", text, f"p{number}")
    spans = PatternDetector(kinds=("date",)).detect(text)
    edits = list(shift(document, spans, request=ShiftRequest(DAYS, False, ValueLocale(), KEY)))
    return apply_edits(text, [each for each in edits if not isinstance(each, SuppressedSpan)])


@lru_cache
def _redactor(kinds: tuple[str, ...], keep: str = "") -> sd.Redactor:
    rule = {"technique": "shift", **({"keep": keep} if keep else {})}
    return sd.Redactor({"patterns": {"kinds": list(kinds)}, "sources": ["patterns"], "rules": {"DATE": rule}})


def test_the_clues_show_the_offset_of_everyone_if_they_remain() -> None:
    assert sum(_found(_without_partial_dates(number), number) for number in range(PEOPLE)) == PEOPLE


@pytest.mark.parametrize("kinds", [("date",), ("email",)])
def test_no_offset_is_found_as_partial_dates_are_suppressed(kinds: tuple[str, ...]) -> None:
    redactor = _redactor(kinds)
    notes = [redactor.redact(_note(number), subject_id=f"p{number}") for number in range(PEOPLE)]
    assert sum(_found(note, number) for number, note in enumerate(notes)) == 0
    assert all("Return in 3 weeks." in note and _MOVED.search(note) for note in notes)
    assert not any(expression.search(note) for note in notes for expression, _ in _CLUES)


def test_a_document_of_the_person_without_a_whole_date_has_none_either() -> None:
    redactor = _redactor(("date",))
    note = redactor.redact(
        "Called on the Tuesday before Thanksgiving, Q4 2014; may call in the fall. Sat up.", subject_id="p"
    )
    assert note == "Called on the [DATE] before [DATE], [DATE]; may call in the [DATE]. Sat up."


def test_days_of_the_week_remain_if_dates_move_by_whole_weeks() -> None:
    redactor = _redactor(("date",), "weekday")
    notes = [redactor.redact(_note(number), subject_id=f"p{number}") for number in range(PEOPLE)]
    assert all(re.search(r"That was a \w+day\.", note) for note in notes)
    assert sum(_found(note, number) for number, note in enumerate(notes)) == 0


def test_a_day_of_the_week_in_the_span_of_a_date_moves_with_it() -> None:
    moved = _redactor(("date",)).redact("Seen on Tuesday, 3/4/2014.", subject_id="p")
    day = re.search(r"on (\w+), (\d+)/(\d+)/(\d+)", moved)
    assert day is not None
    assert day[1] == f"{date(int(day[4]), int(day[2]), int(day[3])):%A}"
    assert day[0] != "on Tuesday, 3/4/2014"
