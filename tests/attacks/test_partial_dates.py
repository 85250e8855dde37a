"""An attacker who reads weekdays, holidays, seasons, quarters, weeks and years next to dates that moved."""

import re
from calendar import day_name, month_name
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from random import Random

import pytest

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.surrogates.date_shift import ShiftRequest, shift
from spark_deid.surrogates.shift_technique import read_dates
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


# A second reader of partial dates. It has its own words and reads a text word by word, with no expression or list of
# the search.

_OTHER_DAY_NAMES = (
    *("lunes", "martes", "jueves", "viernes", "lundi", "mardi", "vendredi", "montag", "dienstag", "freitag"),
    *("maandag", "dinsdag", "zondag", "mandag", "tirsdag", "venerdì", "domenica"),
)
_DAY_NAMES = {name.lower() for names in (day_name, _OTHER_DAY_NAMES) for name in names}
_FEASTS = ("christmas", "easter", "thanksgiving", "halloween", "hanukkah", "ramadan", "diwali", "passover", "pentecost")
_PARTS = {"spring", "summer", "autumn", "winter", "primavera", "verano", "invierno", "printemps", "hiver", "herbst"}
_MONTH_NAMES = {name.lower()[:3] for name in month_name if name}
_WEEK_NAMES = {"week", "semana", "semaine", "woche", "settimana"}


def _partial_dates(text: str) -> list[str]:
    """Return the words that show a part of a date and are not in a date with day, month and year."""
    words = re.split(r"[\s,.;:()]+", text)
    found = []
    for place, word in enumerate(words):
        near = [other.lower() for other in words[max(0, place - 3) : place]]
        lower = word.lower().removesuffix("'s").removesuffix("s")
        is_year = len(word) == 4 and word.isdecimal() and "1800" <= word < "2100"
        is_dated = any(each[:3] in _MONTH_NAMES and each.isalpha() for each in near) and any(
            each.rstrip("stndrh").isdecimal() for each in near
        )
        number = words[place + 1 : place + 2]
        is_numbered = bool(number) and number[0].isdecimal()
        is_quarter = word[:1] in ("Q", "H") and word[1:2] in ("1", "2", "3", "4") and is_numbered
        is_season = lower in _PARTS and not {"in", "the", "last", "this", "early", "since"}.isdisjoint(near[-1:])
        is_day = lower in _DAY_NAMES or word.lower() in _DAY_NAMES or lower in _FEASTS
        is_week = lower in _WEEK_NAMES and is_numbered and words[place + 2 : place + 3] == ["of"]
        if is_day or is_quarter or is_season or is_week or (is_year and not is_dated):
            found.append(word)
    return found


def _clue(draws: Random) -> str:
    year, number = draws.randrange(1930, 2026), draws.randrange(1, 5)
    day = draws.choice(sorted(_DAY_NAMES))
    return draws.choice(
        (
            f"on {day.title()}",
            f"since {day.title()} morning",
            f"before {draws.choice(_FEASTS).title()}",
            f"{draws.choice(_FEASTS).title()} {year}",
            f"in {draws.choice(['spring', 'summer', 'autumn', 'winter'])} {year}",
            f"last {draws.choice(['spring', 'summer', 'winter'])}",
            f"Q{number} {year}",
            f"week {draws.randrange(1, 53)} of {year}",
            f"born in {year}",
            f"since {year}",
            f"from {year} to {year + number}",
        )
    )


def test_another_reader_finds_no_partial_date_in_random_notes() -> None:
    draws, counted = Random(11), 0
    words = ("stable", "the patient walks 3 miles", "took 20 mg", "room 1412B", "pain 4/10", "rest", "for 3 weeks")
    request = ShiftRequest(DAYS, False, ValueLocale(), KEY)
    for number in range(400):
        day = date(2012, 1, 9) + timedelta(draws.randrange(4000))
        pieces = [_clue(draws) if draws.random() < 0.5 else draws.choice(words) for _ in range(8)]
        pieces.insert(draws.randrange(8), f"seen {day:%B} {day.day}, {day.year}")
        text = "".join(piece + draws.choice((", ", ". ", "; ", "\n", " (see below) ")) for piece in pieces)
        document = Document(f"d{number}", text, f"p{number}")
        reading = read_dates(document, (), request=request, labels=("DATE",))
        results = reading.apply(document, reading.further)
        edits = [
            Edit(each.start, each.end, "suppress", "[DATE]") if isinstance(each, SuppressedSpan) else each
            for each in results
        ]
        counted += len(_partial_dates(text))
        published = apply_edits(text, edits)
        assert _partial_dates(published) == [], published
        assert all(each in published for each in words if each in pieces), "other words remain"
    assert counted > 1000
