"""What is written as it is spoken: months by themselves and with a day in words, and digits one by one, in English."""

import re
from collections.abc import Iterator, Sequence

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

_ALPHABET = (
    "alpha|alfa|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo"
    "|sierra|tango|uniform|victor|whiskey|x-?ray|yankee|zulu"
)
_SYMBOL = rf"(?:zero|oh|{_SMALL}|double|triple|{_ALPHABET}|[a-z0-9])(?!\w)(?: as in [a-z]{{2,12}}(?!\w))?"
_SPELLED = re.compile(
    rf"(?<![\w'-]){_SYMBOL}(?:(?:[ ,.-]{{1,3}}|,? (?:dash|hyphen|slash|dot) ){_SYMBOL}){{2,20}}(?!['\w]|[.,][0-9])"
)
_TWO_SYMBOLS = re.compile(rf"{_SYMBOL}(?:[ ,.-]{{1,3}}|,? (?:dash|hyphen|slash|dot) ){_SYMBOL}")
_SYMBOLS = re.compile(
    rf"(?<![\w'])(?:as in [a-z]+|dash|hyphen|slash|dot|zero|oh|{_SMALL}|double|triple|{_ALPHABET}|[a-z0-9])(?!\w)"
)
_SPELLED_CUE = re.compile(
    r"(?<!\w)(?:pin|passcode|code|badge|number|no\.?|nos?|id|mrn|card|ref(?:erence)?|plate|policy|serial|tracking"
    r"|ends|ending|ended|last (?:four|4)|extension|ext)"
    r"(?: (?:number|no\.?|is|was|in|with|on|it|of|the|his|her|card|plate|digits|are|said|reads)){0,4}"
    r"[:,]? $"
)
_DIGIT_WORDS = frozenset(("zero", "oh", *_SMALL.split("|"), "double", "triple"))
_NO_LETTERS = frozenset("ai")
_SPINE, _STAGES = frozenset("ctls"), tuple(map(frozenset, ("tnm", "gp", "mg", "ml", "g", "m")))
"""Letters of vertebrae, and of stages, pregnancies and units, which are next to numbers too."""
_SPELLED_BACK, _SPELLED_AHEAD, _CUE_BACK = 40, 120, 48
_LEAST_SYMBOLS, _LEAST_AFTER_CUE, _LEAST_LETTERS = 4, 3, 4
_VOWELS = frozenset("aeiouy")
_SIGNS = frozenset(("dash", "hyphen", "slash", "dot"))
_SPELLED_CUES = (
    " as in ",
    *(word for word in _ALPHABET.replace("?", "").split("|")),
    *(f"{mark}{letter}{mark}" for mark in " -" for letter in "bcdefghjklmnopqrstuvwxyz"),
)


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


def find_spelled_codes(scan: TextScan) -> Iterator[Interval]:
    """Find codes and names that are spelled: "k nine four q", "Tango 6 2 Bravo 9", "PIN is three three eight one"."""
    text = scan.lowered
    if len(text) != len(scan.text):
        return
    ones = [start for start, end in scan.runs if end - start == 1]
    reach = 0
    for cue in sorted((*scan.places_of(_DIGIT_CUES), *scan.places_of(_SPELLED_CUES), *ones)):
        place = cue + (text[cue] in " -")
        if place < reach or not _TWO_SYMBOLS.match(text, place):
            continue
        for match in _SPELLED.finditer(text, max(reach, place - _SPELLED_BACK), place + _SPELLED_AHEAD):
            if (whole := _SPELLED.match(text, match.start())) and _is_spelled(scan.text, whole):
                yield whole.span()
                reach = whole.end()


def _is_spelled(text: str, match: re.Match[str]) -> bool:
    """Return whether symbols in a row are a code or a spelled word, and no list, vertebrae, stage or abbreviation."""
    symbols = [each for each in _SYMBOLS.findall(match[0]) if not each.startswith("as in ")]
    is_sure = " as in " in match[0] or any(len(each) > 1 and each not in _DIGIT_WORDS for each in symbols)
    symbols = [each for each in symbols if each not in _SIGNS]
    letters = {each for each in symbols if len(each) == 1 and each.isalpha()} - _NO_LETTERS
    words = sum(each in _DIGIT_WORDS for each in symbols)
    digits = words + sum(map(str.isdigit, symbols))
    is_called = _SPELLED_CUE.search(text[max(0, match.start() - _CUE_BACK) : match.start()].lower()) is not None
    if is_called and digits >= _LEAST_AFTER_CUE - bool(letters):
        return True
    if not digits:
        return _is_word(text[match.start() : match.end()], symbols)
    if len(symbols) < _LEAST_SYMBOLS or digits < 2:
        return False
    if letters and (letters <= _SPINE or letters in _STAGES):
        return False
    return is_sure or (bool(letters) and words >= 2)


def _is_word(text: str, symbols: Sequence[str]) -> bool:
    """Return whether single letters in lowercase, or with hyphens, are a word: "v a r g a", "V-A-R-G-A"."""
    if len(symbols) < _LEAST_LETTERS or "." in text or "," in text or not (text.islower() or "-" in text):
        return False
    are_letters = all(len(each) == 1 for each in symbols) and len(set(symbols)) > 2
    return are_letters and not _VOWELS.isdisjoint(symbols) and list(symbols) != sorted(symbols)
