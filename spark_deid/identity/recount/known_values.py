"""Dates and ages of a person that still are in a published text; shares nothing with what searches for them.

A text becomes words and numbers, and every form in which a known value may be written is laid over them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from spark_deid.text.visible import visible
from spark_deid.values.plain import words_of

_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_MONTHS = (
    "january jan enero ene",
    "february feb febrero",
    "march mar marzo",
    "april apr abril abr",
    "may mayo",
    "june jun junio",
    "july jul julio",
    "august aug agosto ago",
    "september sep sept septiembre setiembre set",
    "october oct octubre",
    "november nov noviembre",
    "december dec diciembre dic",
)
_ORDINALS = words_of(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
_FILLERS = frozenset(("of", "de", "del", "the"))
_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
"""Of ordinals in figures, where they touch a number."""
_JOINTS = frozenset("-/.")
_SMALL = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = words_of("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
_CALLS = frozenset(("age", "aged", "turned", "turning", "turns", "edad"))
_AMOUNTS = frozenset(
    words_of(
        "mg mcg ug µg μg g kg lb lbs ml l cc cm mm bpm mmhg unit units iu degree degrees percent point points times"
        " minute minutes min hour hours day days week weeks month months dia dias horas meses semanas grados f c"
    )
)
_BORN = frozenset(("born", "dob", "yob", "nacido", "nacida"))
_PATIENTS = frozenset(words_of("paciente varon mujer hombre nino nina senor senora"))
_NEAR = 4
_BETWEEN = frozenset(" \t\n,./_-")


class KnownOriginal(NamedTuple):
    """A value of a person that the texts are not to show: its kind, and how the view has it."""

    kind: str
    value: str


class _Words(NamedTuple):
    """The words and numbers of a text, in lowercase without accents, and where they start and end."""

    text: str
    words: Sequence[str]
    places: Sequence[tuple[int, int]]

    def gap(self, at: int) -> str:
        """Return what is between a word and the one before it; a wide gap before the first and after the last."""
        if not 0 < at < len(self.words):
            return " " * (2 * _NEAR + 1)
        return self.text[self.places[at - 1][1] : self.places[at][0]]

    def word(self, at: int) -> str:
        """Return a word, nothing beyond the borders."""
        return self.words[at] if 0 <= at < len(self.words) else ""


class _DateForm(NamedTuple):
    """Words of a date in a row; ``joint`` is what must be between them, nothing where anything short may."""

    words: tuple[str, ...]
    way: str
    joint: frozenset[str] = frozenset()


def count_known(text: str, known: Iterable[KnownOriginal], *, is_day_first: bool) -> int:
    """Count the places of a text where a known date or age occurs.

    >>> known = [KnownOriginal("date", "1951-03-06"), KnownOriginal("age", "73")]
    >>> count_known("DOB 06 Mar 1951, turned 73 on March 06; seen 06 Mar 2024; 73 mg", known, is_day_first=False)
    3
    """
    wanted = [*known]
    if not wanted:
        return 0
    every = _words_of(text)
    dated = _without_fillers(every)
    places = {place for each in wanted if each.kind == "date" for place in _dates(dated, each.value, is_day_first)}
    ages = [each.value for each in wanted if each.kind == "age" and each.value.isdecimal()]
    return len(places) + len({place for age in ages for place in _ages(every, int(age))})


def _words_of(text: str) -> _Words:
    shown = visible(text).text
    if not shown.isascii():
        shown = "".join(map(_plain_character, shown))
    found = [*_TOKEN.finditer(shown)]
    return _Words(shown, [each[0].lower() for each in found], [each.span() for each in found])


@lru_cache(maxsize=10_000)
def _plain_character(character: str) -> str:
    """Return a letter without its accents, a digit as ASCII's; a fraction, of several digits, remains what it is."""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = [each for each in unicodedata.normalize("NFKD", character) if not unicodedata.combining(each)]
    return parts[0] if len(parts) == 1 else character


def _without_fillers(every: _Words) -> _Words:
    """Omit what may be between the parts of a date; a gap then states that they are near, or not."""
    kept = [at for at, word in enumerate(every.words) if word not in _FILLERS and not _is_suffix(every, at)]
    places, words = [every.places[at] for at in kept], [every.words[at] for at in kept]
    starts = [every.places[at][0] for at in kept]
    for number, at in enumerate(kept):
        before = kept[number - 1] + 1 if number else at
        if before < at and all(_is_narrow(every.gap(each)) for each in range(before, at + 1)):
            starts[number] = every.places[before][0] + max(0, len(every.gap(before)) - 1)
    return _Words(
        every.text, words, [(min(start, place[1]), place[1]) for start, place in zip(starts, places, strict=True)]
    )


def _is_suffix(every: _Words, at: int) -> bool:
    return every.words[at] in _SUFFIXES and not every.gap(at) and every.word(at - 1).isdigit()


def _is_narrow(gap: str) -> bool:
    return len(gap) <= _NEAR and not set(gap) - _BETWEEN and "\n\n" not in gap


def _dates(words: _Words, value: str, is_day_first: bool) -> Iterator[int]:
    forms = _forms(value, is_day_first)
    for at, word in enumerate(words.words):
        for form in forms.get(word, ()):
            end = at + len(form.words)
            if tuple(words.words[at:end]) == form.words and _fits(words, at, end, form, value):
                yield at
                break


@lru_cache(maxsize=10_000)
def _forms(value: str, is_day_first: bool) -> dict[str, list[_DateForm]]:
    """Return how a date may be written, by the first word."""
    parts = value.split("-")
    found: dict[str, list[_DateForm]] = {}
    if value.startswith("-") or not 2 <= len(parts) <= 3:
        return found
    year, month = parts[0], parts[1]
    days = _days(parts[2]) if len(parts) == 3 else []
    for form in (*_numeric(year, month, parts[2:], is_day_first), *_worded(year, int(month), days)):
        found.setdefault(form.words[0], []).append(form)
    return found


def _bare(number: str) -> tuple[str, ...]:
    return tuple({number, number.lstrip("0")})


def _days(day: str) -> list[tuple[str, ...]]:
    number = int(day)
    written = [(each,) for each in _bare(day)]
    if number <= len(_ORDINALS):
        return [*written, (_ORDINALS[number - 1],)]
    tens, ones = divmod(number, 10)
    return [*written, ("thirtieth",) if not ones else (("twenty", "thirty")[tens - 2], _ORDINALS[ones - 1])]


def _numeric(year: str, month: str, day: Sequence[str], is_day_first: bool) -> Iterator[_DateForm]:
    yield from (_DateForm((word, *between, year), "full") for word in _BORN for between in ((), ("in",), ("en",)))
    for m in _bare(month):
        yield _DateForm((m, year), "month", _JOINTS)
        yield _DateForm((year, m), "month", _JOINTS)
    for whole in day:
        for m in _bare(month):
            for d in _bare(whole):
                yield from (
                    _DateForm(each, "full") for each in ((year, m, d), (year, d, m), (m, d, year), (d, m, year))
                )
                yield from (_DateForm((*each, year[2:]), "full", _JOINTS) for each in ((m, d), (d, m)))
                orders = {(d, m) if is_day_first else (m, d)} | ({(d, m), (m, d)} if int(d) > 12 else set())
                yield from (_DateForm(each, "day", frozenset("/")) for each in orders if len("".join(each)) > 2)
                padded = [each for each in orders if len("".join(each)) == 4 and "0" in (each[0][0], each[1][0])]
                yield from (_DateForm(each, "day", frozenset("-")) for each in padded)
        yield from (
            _DateForm((each,), "full") for each in (year + month + whole, month + whole + year, whole + month + year)
        )


def _worded(year: str, month: int, days: Sequence[tuple[str, ...]]) -> Iterator[_DateForm]:
    for name in _MONTHS[month - 1].split():
        yield _DateForm((name, year), "named month")
        yield _DateForm((year, name), "month before")
        for day in days:
            yield _DateForm((*day, name), "named day")
            yield _DateForm((name, *day), "named day")


def _fits(words: _Words, start: int, end: int, form: _DateForm, value: str) -> bool:
    """Return whether words are near each other, and no other year, or day, makes another date of them."""
    gaps = [words.gap(at) for at in range(start + 1, end)]
    if not all(map(_is_narrow, gaps)):
        return False
    if form.joint and any(gap.strip() not in form.joint for gap in gaps):
        return False
    before, after = words.word(start - 1), words.word(end)
    is_near_before, is_near_after = (len(words.gap(each)) <= 2 * _NEAR for each in (start, end))
    year_before = is_near_before and before.isdigit() and len(before) == 4
    if form.way == "named day":
        is_other = is_near_after and after.isdigit() and len(after) in (2, 4) and after not in (value[:4], value[2:4])
        return not is_other and not (year_before and before != value[:4])
    if form.way in ("month", "day"):
        joined = (
            words.gap(start).strip() in _JOINTS and before.isdigit(),
            words.gap(end).strip() in _JOINTS and after.isdigit(),
        )
        return not any(joined)
    if form.way == "named month":
        return not (is_near_before and _may_be_day(before))
    return not (form.way == "month before" and is_near_after and _may_be_day(after))


def _may_be_day(word: str) -> bool:
    return (word.isdigit() and len(word) <= 2) or word in _ORDINALS or word in ("thirtieth", "treinta")


@cache
def _spelled(number: int) -> tuple[tuple[str, ...], ...]:
    """Return how an age is written, in figures and in English words."""
    if number >= 100:
        return ((str(number),),)
    tens, ones = divmod(number, 10)
    results = (_SMALL[number],) if number < 20 else (_TENS[tens], *((_SMALL[ones],) if ones else ()))
    return (str(number),), results


def _ages(words: _Words, number: int) -> Iterator[int]:
    for form in _spelled(number):
        for at, word in enumerate(words.words):
            end = at + len(form)
            if word != form[0] or tuple(words.words[at:end]) != form:
                continue
            if any(len(words.gap(place)) > 1 for place in range(at + 1, end)) or _is_part(words, at):
                continue
            if _is_followed(words, end) or (_is_called(words, at) and not _is_amount(words, end)):
                yield at


def _is_part(words: _Words, at: int) -> bool:
    """Return whether a number is what follows the point or the stroke of another."""
    gap = words.gap(at)
    return not gap or gap.endswith((".", ",")) or (gap in ("/", ":", "-") and words.word(at - 1).isdigit())


def _is_followed(words: _Words, end: int) -> bool:
    """Return whether a unit of age, or a gender, follows a number."""
    if len(words.gap(end)) > 2 or set(words.gap(end)) - set(" -_,\n"):
        return False
    first, second, third = (words.word(end + step) for step in range(3))
    near = len(words.gap(end + 1)) <= 2
    if first in ("year", "years", "yr", "yrs", "ano", "anos") and "," not in words.gap(end):
        return near and (second == "old" or (second, third) in (("of", "age"), ("de", "edad")))
    if first == "y":
        return second == "o" and words.gap(end + 1) in ("/", ".")
    if first in ("st", "nd", "rd", "th"):
        return not words.gap(end) and second == "birthday" and near
    letter = words.text[slice(*words.places[end])] if end < len(words.places) else ""
    follows = letter in ("M", "F") or first in ("male", "female") or (first in ("m", "f") and not words.gap(end))
    return first == "yo" or (follows and words.text[words.places[end][1] :][:1] not in ("'", "_"))


def _is_called(words: _Words, at: int) -> bool:
    gap, before = words.gap(at), words.word(at - 1)
    if gap == words.gap(at - 1) == " " and before in ("of", "is", "de"):
        if before == "de" and words.word(at - 2) in _PATIENTS:
            return words.gap(at + 1) == " " and words.word(at + 1) == "anos"
        return words.word(at - 2) in ("age", "edad")
    return before in _CALLS and len(gap) <= 3 and not set(gap) - set(" :=-_(") and not words.gap(at - 1).endswith("_")


def _is_amount(words: _Words, end: int) -> bool:
    gap = words.gap(end) if end < len(words.words) else words.text[words.places[-1][1] :]
    if gap[:1] in ("%", "°") or gap.startswith((" %", " °")):
        return True
    after = words.word(end)
    return (gap in (".", ",", "/", ":", "-") and after.isdigit()) or (len(gap) <= 1 and after in _AMOUNTS)
