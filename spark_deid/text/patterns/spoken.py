"""What is written as it is spoken: months by themselves and with a day in words, and digits one by one, in English."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WHOLE = ("uary", "ruary", "ch", "il", "", "e", "y", "ust", "tember", "ober", "ember", "ember")
_NAMES = tuple(begin + rest for begin, rest in zip(_MONTHS, _WHOLE, strict=True))
_CUES = (*_MONTHS, "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_SMALL_CUES = (*(name.lower() for name in _NAMES if name not in ("March", "May")), "oct", "nov", "dec", "sept")
"""Two months are ordinary words in small letters."""
_MONTH = re.compile(rf"(?:{'|'.join((*_NAMES, 'Sept', *_MONTHS))})(?![\w-])", re.IGNORECASE)
_WHEN = (
    "in|by|since|until|till?|last|next|this|past|early|mid|late|(?:end|beginning|middle|start|month) of|during|through"
    "|thru|before|after|around|every|each"
)
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?:{_WHEN})[ -]|(?:{'|'.join((*_NAMES, 'Sept', *_MONTHS))})\.?(?:,? (?:and|or|to|through)|,| ?-) ?)$",
    re.IGNORECASE,
)
_LOOK_BACK = 24
_ABBREVIATED = 3

_UNITS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_ORDINAL = (
    rf"(?:(?:twenty|thirty)[ -](?:{_UNITS})|{_UNITS}|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth"
    r"|twentieth|thirtieth)"
)
_SMALL = "one|two|three|four|five|six|seven|eight|nine"
_TENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{_SMALL}))?|(?:oh|o)[ -](?:{_SMALL})|hundred)"
_SPOKEN_YEAR = (
    rf"(?:(?:nineteen|twenty)[ -]{_BELOW_100}|two thousand(?: and)?(?:[ -](?:{_SMALL}|{_BELOW_100}))?"
    r"|(?:1[89]|20)[0-9]{2}(?!\w))"
)
_YEAR = rf"(?:,? (?:of )?(?:{_SPOKEN_YEAR}|(?:oh|o)[ -](?:{_SMALL}))| '[0-9]{{2}})(?!\w)"
_DAY = re.compile(rf" (?:the )?{_ORDINAL}(?!\w)(?:{_YEAR})?|{_YEAR}", re.IGNORECASE)
_DAY_BEFORE = re.compile(rf"(?<!\w)(?:the )?{_ORDINAL} (?:of )?$", re.IGNORECASE)
_DAY_BACK = 26

_DIGIT = rf"(?:zero|oh|{_SMALL}|double|triple)"
_DIGITS = re.compile(rf"{_DIGIT}(?:[ ,-]{{1,2}}{_DIGIT}){{4,30}}(?!\w)")
_RARE = ("oh ", "zero", "five", "six", "seven", "eight", "nine", "double", "triple")
"""One of them is in nearly each number that is told digit by digit; counting from one to four is none."""
_COUNTING = ["one", "two", "three", "four", "five"]
_PHONE = 7


def find_spoken_dates(scan: TextScan) -> Iterator[Interval]:
    """Find months that a word says a time by ("in August", "last april"), and days in words ("june third")."""
    text = scan.text
    for cue in (*_CUES, *_SMALL_CUES):
        place = text.find(cue)
        while place >= 0:
            if place == 0 or not text[place - 1].isalnum():
                yield from _month(text, place)
            place = text.find(cue, place + 1)


def _month(text: str, place: int) -> Iterator[Interval]:
    match = _MONTH.match(text, place)
    if match is None:
        return
    day = _DAY.match(text, match.end())
    before = _DAY_BEFORE.search(text[max(0, place - _DAY_BACK) : place])
    if before:
        yield place - (before.end() - before.start()), day.end() if day else match.end()
    elif day:
        yield place, day.end()
    elif (when := _BEFORE.search(text[max(0, place - _LOOK_BACK) : place])) and _is_month(match[0], when[0]):
        yield match.span()


def _is_month(word: str, before: str) -> bool:
    """Tell an abbreviation in capitals that stands in other text ("frozen in OCT") from a month."""
    return not (word.isupper() and len(word) == _ABBREVIATED and not before.isupper())


def find_spoken_phones(scan: TextScan) -> Iterator[Interval]:
    """Find numbers of seven digits and more that are told digit by digit: "five five five oh one eight eight"."""
    yield from (found for found, digits in _spoken_numbers(scan) if digits >= _PHONE)


def find_spoken_codes(scan: TextScan) -> Iterator[Interval]:
    """Find shorter numbers that are told digit by digit, of five digits at least."""
    yield from (found for found, digits in _spoken_numbers(scan) if digits < _PHONE)


def _spoken_numbers(scan: TextScan) -> Iterator[tuple[Interval, int]]:
    if len(scan.lowered) != len(scan.text) or not any(word in scan.lowered for word in _RARE):
        return
    for match in _DIGITS.finditer(scan.lowered):
        words = re.findall("[a-z]+", match[0])
        begins = not scan.lowered[match.start() - 1 : match.start()].isalnum()
        if begins and words[: len(_COUNTING)] != _COUNTING:
            yield match.span(), len(words)
