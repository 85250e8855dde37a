"""What is written as it is spoken: months by themselves and with a day in words, and digits one by one, in English."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import read_words
from spark_deid.text.patterns.scan import Interval, TextScan

_NAMES = tuple(name for name in read_words("months.txt")["en"] if len(name) > 3 or name == "may")
_BEGINS = tuple(dict.fromkeys(name[:3] for name in _NAMES))
_CUES = (
    *(written for begin in _BEGINS for written in (begin.title(), begin.upper())),
    *(*(name for name in _NAMES if name not in ("sept",)), "oct", "nov", "dec", "sept"),
)
_WORDS = ("march", "may")
"""Ordinary words in small letters, unless a day or a year follows."""
_ANY = "|".join(sorted((*_NAMES, *_BEGINS), key=len, reverse=True))
_MONTH = re.compile(rf"(?:{_ANY})(?!\w|-(?!(?:{_ANY})(?!\w)))", re.IGNORECASE)
_SPACE = r"(?:[ \t]{1,2}|[ \t]?\r?\n)"
_WHEN = (
    "in|by|since|until|till?|last|next|this|past|early|mid|late|(?:end|beginning|middle|start|month) of|during|through"
    "|thru|before|after|around|every|each"
)
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?:{_WHEN})(?:{_SPACE}|-)|(?:{_ANY})\.?(?:(?:,? (?:and|or|to|through)|,) | ?- ?))$", re.IGNORECASE
)
_LOOK_BACK = 24
_ABBREVIATED = 3

_UNITS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_ORDINAL = (
    rf"(?:(?:twenty|thirty)[ -](?:{_UNITS})|{_UNITS}|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth"
    r"|twentieth|thirtieth)"
)
_SMALL = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
_TENS = "(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{_SMALL}))?|{_TEENS}|(?:oh|o)[ -](?:{_SMALL})|hundred)"
_FULL_YEAR = (
    rf"(?:(?:nineteen|twenty)[ -]{_BELOW_100}|two thousand(?: and)?(?:[ -](?:{_BELOW_100}|{_SMALL}))?"
    r"|(?:1[89]|20)[0-9]{2}(?!\w))"
)
_SHORT_YEAR = rf"of {_TENS}(?:[ -](?:{_SMALL}))?|(?:of )?(?:oh|o)[ -](?:{_SMALL})"
_YEAR = rf"(?:,?{_SPACE}(?:(?:of )?{_FULL_YEAR}|{_SHORT_YEAR})|,? '[0-9]{{2}})(?!\w)"
_CARDINAL = rf"(?:twenty(?:[ -](?:{_SMALL}))?|thirty(?:[ -]one)?|{_TEENS}|{_SMALL})"
_DAY_AND_YEAR = re.compile(
    rf"{_SPACE}(?:the )?{_ORDINAL}(?!\w)(?:{_YEAR})?"
    rf"|{_SPACE}(?:{_CARDINAL}|[0-9]{{1,2}}(?:st|nd|rd|th)?){_YEAR}|{_YEAR}",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(rf"(?<!\w)(?:the )?{_ORDINAL} (?:of )?$", re.IGNORECASE)
_DAY_BACK = 26

_DIGIT = rf"(?:zero|oh|o|{_SMALL}|double|triple)"
_NUMBER = rf"{_DIGIT}(?:[ ,.-]{{1,2}}{_DIGIT}){{4,30}}(?!\w)"
_SMALL_NUMBER, _ANY_NUMBER = re.compile(_NUMBER), re.compile(_NUMBER, re.IGNORECASE)
"""The first is many times faster; where small letters take another length ("İ"), the second searches."""
_BETWEEN = (*" ,.-", *(one + other for one in " ,.-" for other in " ,.-"))
_DIGIT_CUES = (*("zero", "oh", *_SMALL.split("|"), "double", "triple"), *(f"o{each}o" for each in _BETWEEN))
"""A number of five words has one of them, with two further words after it."""
_THREE_DIGITS = re.compile(rf"{_DIGIT}(?:[ ,.-]{{1,2}}{_DIGIT}){{2}}")
_WORD = re.compile(r"\w+")
_LEAST, _PHONE = 5, 7


def find_spoken_dates(scan: TextScan) -> Iterator[Interval]:
    """Find months that a word says a time by ("in August", "last april"), and days in words ("june third")."""
    text = scan.text
    for place in scan.places_as_written(_CUES):
        if place == 0 or not text[place - 1].isalnum():
            yield from _month(text, place)


def _month(text: str, place: int) -> Iterator[Interval]:
    month = _MONTH.match(text, place)
    if month is None:
        return
    more = _DAY_AND_YEAR.match(text, month.end())
    end = more.end() if more else month.end()
    if before := _DAY_BEFORE.search(text[max(0, place - _DAY_BACK) : place]):
        yield place - (before.end() - before.start()), end
    elif more or _is_time(text, month):
        yield place, end


def _is_time(text: str, month: re.Match[str]) -> bool:
    """Tell whether a word says a time by a month; "frozen in OCT" and "they may march" say none."""
    word, before = month[0], text[max(0, month.start() - _LOOK_BACK) : month.start()]
    when = _BEFORE.search(before)
    if when is None or word in _WORDS:
        return False
    return not (word.isupper() and len(word) == _ABBREVIATED and not when[0].isupper())


def find_spoken_phones(scan: TextScan) -> Iterator[Interval]:
    """Find numbers of seven digits and more that are told digit by digit: "five five five oh one eight eight"."""
    yield from (found for found, digits in _spoken_numbers(scan) if digits >= _PHONE)


def find_spoken_codes(scan: TextScan) -> Iterator[Interval]:
    """Find shorter numbers that are told digit by digit, of five digits at least."""
    yield from (found for found, digits in _spoken_numbers(scan) if digits < _PHONE)


def _spoken_numbers(scan: TextScan) -> Iterator[tuple[Interval, int]]:
    if not any(_THREE_DIGITS.match(scan.lowered, place) for place in scan.places_of(_DIGIT_CUES)):
        return
    is_aligned = len(scan.lowered) == len(scan.text)
    found = _SMALL_NUMBER.finditer(scan.lowered) if is_aligned else _ANY_NUMBER.finditer(scan.text)
    for match in found:
        words = [word.span() for word in _WORD.finditer(scan.text, *match.span())]
        if scan.text[match.start() - 1 : match.start()].isalnum():
            del words[0]  # the end of a longer word, as of "phone"
        if len(words) >= _LEAST:
            yield (words[0][0], match.end()), len(words)
