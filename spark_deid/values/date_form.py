"""Dates with the form in which they are written, so that another date can be written in it."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

from spark_deid.values.date import PartialDate, is_real
from spark_deid.values.date_words import DATE_WORDS, OTHER_DAYS, OTHER_MONTHS
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form

LONGEST = 80
"""A surface of more characters is not a date."""
FieldName = Literal["year", "month", "day", "month word", "weekday", "ordinal"]
_TIME = re.compile(
    r"(?<!\d)(?:[01]?\d|2[0-3])(?::[0-5]\d){1,2}(?:[.,]\d{1,9})?"
    r"(?:\s*(?:[ap]\.?\s?m\b\.?|h(?:rs?|s)?\b|uhr\b|horas?\b|heures?\b|ore\b|uur\b|Z\b|(?:UTC|GMT)\b|[+-]\d\d:?\d\d\b))?"
    r"|(?<!\d)(?:[01]?\d|2[0-3])\s?h(?:[0-5]\d)?\b|(?<!\d)(?:0?\d|1[0-2])\s?[ap]\.?m\b\.?",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\d+|[^\W\d_]+(?:-feira)?", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,.;:()/'’\-–T]*")
_COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(\d\d)(\d\d)")
_YEAR = re.compile(r"1[6-9]\d\d|20\d\d")
_SUFFIXES = frozenset(("st", "nd", "rd", "th", "er", "o", "a", "º", "ª", "e", "de", "ste"))
_MARKS = ("'", "’")


class DateField(NamedTuple):
    """Where a part of a date is written, and how: its name, and for words whether it is the short form."""

    start: int
    end: int
    name: FieldName
    is_short: bool = False


class WrittenDate(NamedTuple):
    """A date as it is written: what is known of it, and where its parts are in the surface.

    ``is_padded`` states whether days and months of one figure have a zero before it.
    """

    value: PartialDate
    fields: tuple[DateField, ...]
    is_padded: bool


class _Token(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def number(self) -> int | None:
        """Return the number that figures state."""
        return int(self.text) if self.text.isascii() and self.text.isdigit() else None


def read_form(surface: str, locale: ValueLocale) -> WrittenDate | None:
    """Return a date with its form; None where the surface is none, holds more than one, or a word that dates lack.

    Times of day are skipped. Day and month are in the locale's order, unless they can't.

    >>> form = read_form("Tue, March 4th, 2014", ValueLocale())
    >>> str(form.value), [field.name for field in form.fields]
    ('2014-03-04', ['weekday', 'month word', 'day', 'ordinal', 'year'])
    """
    if len(surface) > LONGEST or locale.language not in DATE_WORDS:
        return None
    text = _TIME.sub(lambda match: " " * len(match[0]), surface)
    tokens = tuple(_Token(match.start(), match.end(), match[0]) for match in _TOKEN.finditer(text))
    ends = [0, *(token.end for token in tokens)]
    starts = [*(token.start for token in tokens), len(text)]
    if not all(_BETWEEN.fullmatch(text, end, start) for end, start in zip(ends, starts, strict=True)):
        return None
    fields = _compact(tokens) or _fields(text, tokens, locale)
    form = None if fields is None else _form(surface, fields, locale)
    return form if form is not None and is_real(form.value) and _is_day(form.value) else None


def write_form(surface: str, form: WrittenDate, moved: date, locale: ValueLocale) -> str:
    """Write a date in a form; a day of the week is that of the date.

    >>> surface = "Tue, March 4th, 2014"
    >>> write_form(surface, read_form(surface, ValueLocale()), date(2014, 5, 22), ValueLocale())
    'Thu, May 22nd, 2014'
    """
    parts: list[str] = []
    position = 0
    for field in form.fields:
        parts += (surface[position : field.start], _written(surface, field, form, moved, locale.language))
        position = field.end
    return "".join((*parts, surface[position:]))


def _is_day(value: PartialDate) -> bool:
    return (value.day is None or value.day >= 1) and (value.year is None or 1 <= value.year <= 9999)


def _compact(tokens: Sequence[_Token]) -> list[DateField] | None:
    """Read eight figures in a row."""
    if len(tokens) != 1 or not _COMPACT.fullmatch(tokens[0].text):
        return None
    start = tokens[0].start
    return [
        DateField(start, start + 4, "year"),
        DateField(start + 4, start + 6, "month"),
        DateField(start + 6, start + 8, "day"),
    ]


def _fields(text: str, tokens: Sequence[_Token], locale: ValueLocale) -> list[DateField] | None:
    """Return what each token is; None where one is nothing of a date."""
    found: list[DateField] = []
    numbers: list[_Token] = []
    for number, token in enumerate(tokens):
        if token.number is not None:
            numbers.append(token)
            continue
        field = _of_word(text, token, locale.language)
        follows = number and tokens[number - 1].end == token.start and tokens[number - 1].number is not None
        if follows and token.text.lower() in _SUFFIXES:
            found.append(DateField(token.start, token.end, "ordinal"))
        elif field is not None:
            found.append(field)
        elif not (token.text == "T" and number and number == len(tokens) - 1) and plain_form(token.text) not in (
            DATE_WORDS[locale.language].fillers
        ):
            return None
    found = _with_weekday(text, found, locale.language)
    names = [field.name for field in found]
    if names.count("month word") > 1 or names.count("weekday") > 1:
        return None
    roles = _with_word(text, numbers, found) if "month word" in names else _in_figures(text, numbers, locale)
    if roles is None:
        return None
    found += (DateField(token.start, token.end, role) for token, role in zip(numbers, roles, strict=True))
    return sorted(found)


def _with_weekday(text: str, fields: list[DateField], language: str) -> list[DateField]:
    """Read the first of two names of months as a day of the week where it may be one, as Spanish ``mar`` is both."""
    words = [field for field in fields if field.name == "month word"]
    if len(words) != 2 or plain_form(text[words[0].start : words[0].end]) not in _days(language):
        return fields
    first = words[0]._replace(name="weekday", is_short=True)
    return [first if field is words[0] else field for field in fields]


def _of_word(text: str, token: _Token, language: str) -> DateField | None:
    """Read the name of a month or of a day of the week; of a short form that is whole a dot shows."""
    months, days = _months(language), _days(language)
    word = plain_form(token.text)
    has_dot = text[token.end : token.end + 1] == "."
    if word in months:
        _, is_whole = months[word]
        return DateField(token.start, token.end, "month word", not is_whole or (has_dot and len(word) < 4))
    if word in days:
        return DateField(token.start, token.end, "weekday", not days[word][1])
    return None


def _with_word(text: str, numbers: Sequence[_Token], fields: Sequence[DateField]) -> list[FieldName] | None:
    """Tell day from year beside the name of a month; two figures after a mark, or after the day, are a year."""
    years = [_is_year(text, token) for token in numbers]
    if not any(years) and _are_days(text, numbers, fields):
        return None
    if len(numbers) > 2 or any(len(token.text) == 3 or len(token.text) > 4 for token in numbers) or sum(years) > 1:
        return None
    if len(numbers) == 2 and not any(years):
        years[1] = len(numbers[1].text) == 2
    roles: list[FieldName] = ["year" if is_year else "day" for is_year in years]
    return None if roles.count("day") > 1 else roles


def _are_days(text: str, numbers: Sequence[_Token], fields: Sequence[DateField]) -> bool:
    """Return whether a hyphen joins two days ("March 3-15"); in "Mar-3-15" another one joins month and day."""
    if len(numbers) != 2 or text[numbers[0].end : numbers[1].start].strip() not in ("-", "–"):
        return False
    joints = {text[field.end : field.end + 1] for field in fields} | {text[f.start - 1 : f.start] for f in fields}
    return joints.isdisjoint(("-", "–"))


def _is_year(text: str, token: _Token) -> bool:
    return len(token.text) == 4 or int(token.text) > 31 or text[: token.start].endswith(_MARKS)


def _in_figures(text: str, numbers: Sequence[_Token], locale: ValueLocale) -> list[FieldName] | None:
    """Return the meaning of figures without a month's name."""
    if any(text[one.end : other.start].strip() not in ("-", "/", ".", "–") for one, other in pairwise(numbers)):
        return None
    lengths = [len(token.text) for token in numbers]
    if len(numbers) == 3 and lengths[0] == 4 and max(lengths[1:]) <= 2:
        return ["year", "month", "day"]
    if len(numbers) == 3 and max(lengths[:2]) <= 2 and lengths[2] in (2, 4):
        return [*_ordered(numbers, locale), "year"]
    if len(numbers) == 2 and max(lengths) <= 2:
        return _ordered(numbers, locale)
    if lengths in ([4, 1], [4, 2]):
        return ["year", "month"]
    if lengths in ([1, 4], [2, 4]):
        return ["month", "year"]
    return ["year"] if len(numbers) == 1 and _YEAR.fullmatch(numbers[0].text) else None


def _ordered(numbers: Sequence[_Token], locale: ValueLocale) -> list[FieldName]:
    first, second = int(numbers[0].text), int(numbers[1].text)
    day_first = locale.is_day_first
    if (second if day_first else first) > 12 >= (first if day_first else second):
        day_first = not day_first
    return ["day", "month"] if day_first else ["month", "day"]


def _form(surface: str, fields: Sequence[DateField], locale: ValueLocale) -> WrittenDate | None:
    stated: dict[str, int] = {}
    figures: list[str] = []
    for field in fields:
        text = surface[field.start : field.end]
        if field.name == "month word":
            stated["month"] = _months(locale.language)[plain_form(text)][0]
        elif field.name in ("month", "day"):
            stated[field.name] = int(text)
            figures.append(text)
        elif field.name == "year":
            stated["year"] = int(text) if len(text) == 4 else locale.year_of(int(text))
    if not stated:
        return None
    in_words = any(field.name == "month word" for field in fields)
    is_padded = any(each.startswith("0") for each in figures) or (
        not in_words and all(len(each) == 2 for each in figures)
    )
    return WrittenDate(
        PartialDate(stated.get("year"), stated.get("month"), stated.get("day")), tuple(fields), is_padded
    )


def _written(surface: str, field: DateField, form: WrittenDate, moved: date, language: str) -> str:
    was, words = surface[field.start : field.end], DATE_WORDS[language]
    if field.name == "year":
        return f"{moved.year:04d}" if len(was) == 4 else f"{moved.year % 100:02d}"
    if field.name in ("day", "month"):
        number = moved.day if field.name == "day" else moved.month
        return f"{number:02d}" if form.is_padded else str(number)
    if field.name == "ordinal":
        return _ordinal(was, form, moved.day, language)
    if field.name == "weekday":
        return _like(was, (words.short_days if field.is_short else words.days)[moved.weekday()])
    return _like(was, (words.short_months if field.is_short else words.months)[moved.month - 1])


def _ordinal(was: str, form: WrittenDate, day: int, language: str) -> str:
    """Write what follows a day's number; languages but English have it after the first of a month as a rule."""
    if language == "en":
        new = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return new.upper() if was.isupper() else new
    return was if day == 1 or (form.value.day or 1) > 1 else ""


def _like(was: str, word: str) -> str:
    """Write a word in the case of another."""
    if was.isupper() and len(was) > 1:
        return word.upper()
    return word.lower() if was[0].islower() else word[0].upper() + word[1:]


@cache
def _months(language: str) -> dict[str, tuple[int, bool]]:
    """Return the numbers of months by their names in plain form, and whether these are whole."""
    words = DATE_WORDS[language]
    others = {name: (number, len(name) > 5) for name, number in OTHER_MONTHS[language].items()}
    short = {plain_form(name): (number, False) for number, name in enumerate(words.short_months, 1)}
    return others | short | {plain_form(name): (number, True) for number, name in enumerate(words.months, 1)}


@cache
def _days(language: str) -> dict[str, tuple[int, bool]]:
    words = DATE_WORDS[language]
    others = {name: (number, name not in ("tues", "wednes")) for name, number in OTHER_DAYS.get(language, {}).items()}
    short = {plain_form(name): (number, False) for number, name in enumerate(words.short_days)}
    return others | short | {plain_form(name): (number, True) for number, name in enumerate(words.days)}
