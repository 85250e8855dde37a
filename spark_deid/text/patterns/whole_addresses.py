"""Addresses as a whole: the flat before a street, and the town, the region and the postcode after it."""

import re
from collections.abc import Iterable, Iterator

from spark_deid.text.gazetteer import GIVEN, PLACE, facts_of, is_common_word
from spark_deid.text.patterns.lists import read_words
from spark_deid.text.patterns.scan import Interval, TextScan

_LISTS = read_words("words_of_addresses.txt")
_AREAS = "|".join(_LISTS["areas"])
_REGION = rf"(?P<region>(?:{'|'.join(_LISTS['regions'])})(?!\w)|(?:{'|'.join(_LISTS['abbreviations'])})(?!\w)\.?)"
_CAPITAL = "A-ZÀ-ÖØ-ÞŠŽĐŁ"
_WORD = rf"[{_CAPITAL}][\w'’-]{{1,20}}"
_TOWN = rf"(?:(?:near|nr\.?|off) )?{_WORD}(?:[ -](?:{_WORD}|of|on|upon|le|la|de|in|by)){{0,3}}"
_UNIT = (
    r"(?:Apt|Apartment|Unit|Lot|Flat|Suite|Ste|Room|Rm|Floor|Box|Space|Trailer)\.? ?#?[0-9A-Za-z/-]{1,6}(?!\w)"
    r"|#[0-9]{1,5}[A-Za-z]?(?!\w)"
)
_CODE = (
    rf"[0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])|(?:{_AREAS})[0-9][0-9A-Z]?(?: ?[0-9][A-Z]{{2}})?(?!\w)"
    r"|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9](?!\w)|[A-Z][0-9]{2} ?[A-Z0-9]{4}(?!\w)"
)
_JOINT = r"(?:, ?|,? ?\r?\n ?| )"
_TAIL = re.compile(
    rf"(?:,? (?:{_UNIT}))?(?:\.?{_JOINT}{_TOWN}){{1,3}}?\.?"
    rf"{_JOINT}(?:{_REGION}(?:{_JOINT}(?:{_CODE}|[0-9]{{4}}(?![\w-])))?|{_CODE})"
)
_NEXT_TOWN = re.compile(rf"(?:,? (?:{_UNIT}))?, (?P<town>{_WORD}(?: {_WORD})?)(?=[.,;:)]|$|[\r\n\ufdd0])")
_NEXT_UNIT = re.compile(rf",? (?:{_UNIT})")
_UNIT_BEFORE = re.compile(rf"(?<![\w/])(?:{_UNIT}), ?$")
_LOOK_BACK = 24
_SEGMENT = re.compile(
    rf"(?:(?:[0-9]{{1,5}}[A-Za-z]?(?:[/-][0-9]{{1,4}})? )?(?:(?:The|Flat|Apt|Unit|Co)\.? )?{_TOWN}(?: [0-9/]{{1,5}})?"
    rf"|{_UNIT})"
)
_LAST_SEGMENT = re.compile(rf"(?<![\w/])(?:(?:[0-9]{{1,5}}[A-Za-z]? )?{_WORD}(?: {_WORD}){{0,3}}|{_UNIT})$")
_BUILT = frozenset(_LISTS["built"])
_TITLES = frozenset(_LISTS["titles"])
_MOST_SEGMENTS, _LINE_BACK = 4, 110
_SPOKEN_CUES = (" street", " avenue", " road", " lane", " boulevard", " drive")
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    r"|nineteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|oh)"
)
_SPOKEN = re.compile(
    rf"(?<![\w-])(?i:{_NUMBER_WORD})(?:[ -]{_NUMBER_WORD}){{0,4}} (?:{_WORD} ){{1,3}}"
    r"(?:Street|Avenue|Road|Lane|Boulevard|Drive)(?!\w)"
)
_SPOKEN_HOUSE = re.compile(
    rf"(?:(?<=lives at )|(?<=live at )|(?<=lived at )|(?<=address is )|(?<=moved to ))(?i:{_NUMBER_WORD})"
    rf"(?:[ -]{_NUMBER_WORD}){{1,4}}"
    rf" (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Janu|Febr|Mar|Apr|May|June|July|Aug|Sep|Oct|Nov|Dec){_WORD}(?!\w)"
)
_HOUSE_CUES = ("lives at ", "live at ", "lived at ", "address is ", "moved to ")
_LOWERCASE = re.compile(
    r"(?<![\w.,/-])[0-9]{2,5}[a-z]?(?:-[0-9]{1,5})? (?:(?:n|s|e|w|north|south|east|west)\.? )?"
    r"(?!(?:hour|minute|min|mile|way|lane|degree|day|week|second|foot|feet|yard|metre|meter)s?[ -])"
    r"[a-z][a-z']{2,20}(?: [a-z']{3,20})?"
    r" (?:(?:street|avenue|ave|road|rd|lane|ln|boulevard|blvd)(?![\w'])"
    r"(?:, [a-z]{3,20}(?: [a-z]{3,20})?,? [0-9]{5}(?!\w))?"
    r"|(?:st|dr|drive|ct|loop), [a-z]{3,20}(?: [a-z]{3,20})?,? [0-9]{5}(?!\w))"
)
_LOWERCASE_CUES = (
    " street",
    " avenue",
    " ave",
    " road",
    " rd",
    " lane",
    " ln",
    " boulevard",
    " blvd",
    " st,",
    " dr,",
    " drive,",
    " ct,",
    " loop,",
)


def whole_addresses(scan: TextScan, streets: Iterable[Interval]) -> Iterator[Interval]:
    """Yield streets with their flat, town, region and postcode, and streets with house numbers in words."""
    text = scan.text
    for start, end in streets:
        before = _UNIT_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
        yield before.start() if before else start, _end_of(text, end)
    for match in scan.matches_near(_SPOKEN_CUES, _SPOKEN, 60, 80):
        yield match.start(), _end_of(text, match.end())
    yield from (match.span() for match in scan.matches_near(_HOUSE_CUES, _SPOKEN_HOUSE, 0, 80))
    yield from (match.span() for match in scan.matches_near(_LOWERCASE_CUES, _LOWERCASE, 50, 90))


def _end_of(text: str, end: int) -> int:
    """Return where an address ends whose street ends at a place."""
    if tail := _TAIL.match(text, end):
        return tail.end()
    unit = _NEXT_UNIT.match(text, end)
    town = _NEXT_TOWN.match(text, end)
    if town and _is_place(town["town"]):
        return town.end()
    return unit.end() if unit else end


def _is_place(town: str) -> bool:
    last = town.split()[-1]
    return (
        bool(facts_of(town) >> PLACE & 1 or facts_of(last) >> PLACE & 1)
        and not is_common_word(last)
        and not facts_of(last) >> GIVEN & 3
    )


def before_postcodes(scan: TextScan, codes: Iterable[Interval]) -> Iterator[Interval]:
    """Yield addresses that end with a British postcode: "Station Road, Wickham Episcopi, SN14 9ZZ"."""
    text = scan.text
    for start, end in codes:
        if not text[start].isalpha():
            continue
        line = max(text.rfind("\n", 0, start), text.rfind("\ufdd0", 0, start), start - _LINE_BACK) + 1
        begin = _begin_of(text[line:start])
        if begin is not None:
            yield line + begin, end


def _begin_of(before: str) -> int | None:
    """Return where an address begins in the text before its postcode, None without a town or a street."""
    before = before.rstrip(" ").removesuffix(",")
    place, begin = len(before), None
    for number, part in enumerate(reversed(before.split(", ")[-_MOST_SEGMENTS:])):
        place -= len(part) + (2 if number else 0)
        segment = None if _TITLES.intersection(part.split()) else _SEGMENT.fullmatch(part) or _LAST_SEGMENT.search(part)
        if segment is None:
            break
        words = segment[0].split()
        is_town = number == 0 and not is_common_word(words[-1])
        if is_town or segment[0][0].isdigit() or not _BUILT.isdisjoint((words[0], words[-1])):
            begin = place + segment.start()
        if segment[0] != part:
            break
    return begin
