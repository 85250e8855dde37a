"""Dates that only words or other dates near them show.

Examples: "DOB 19640502", "born 110871", "through the 9th", "exp 5/2026", "10/19 and 11/6".
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date

from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.short_dates import PAIR, is_called_ratio, is_likely_day, is_no_day, may_be_score

_BIRTH = (
    r"d\.? ?o\.? ?b|born(?: on)?|birth ?date|birthday|b-?day|geb(?:oren|urtsdatum)?(?: am)?|n[ée]e? le"
    r"|nacid[oa](?: el)?|nat[oa](?: il)?|nascid[oa](?: em)?|f(?:echa)?\.? (?:de )?nac(?:imiento)?"
    r"|(?:date|data) d[ei] na\w{5,7}"
)
_EVENTS = (
    r"birth|service|admission|discharge|death|visit|exam|examination|surgery|procedure|injury|onset|collection|report"
    r"|issue|entry|enrollment|transfer|operation|delivery|diagnosis|consent"
)
_DATE_LABEL = rf"dates?|dated|(?:date|d\.) of (?:{_EVENTS})|d\.? ?o\.? ?[adis]|fecha|datum"
_EVENT_LABEL = (
    "on|since|until|till|admitted|discharged|died|deceased|seen|collected|received|signed|exp|expir(?:es|y|ed|ation)"
    "|effective|valid (?:until|from)"
)
_JOINT = r"(?: ?\([^()\n]{1,12}\))?[ \t]{0,2}(?:(?:[:=#.-]|is|was)[ \t]{1,2}|[:=#.-][ \t]{0,2})?$"
_LABEL = re.compile(rf"(?<![\w/])(?:{_BIRTH}|{_DATE_LABEL}){_JOINT}", re.IGNORECASE)
_EVENT = re.compile(rf"(?<![\w/])(?:{_EVENT_LABEL}){_JOINT}", re.IGNORECASE)
_LABEL_ENDS = frozenset(" \t:=#.-")
_LONG, _DAY_OF_YEAR, _SHORT = 8, 7, 6
_TIMES = frozenset((_LONG + 4, _LONG + 6))
"""Lengths of a date with a time of day: 201405021015."""
_NO_END = re.compile(r"[\w%]|[.,/:-][0-9]")
_FIRST_YEAR, _LAST_YEAR = 1880, 2049
_LEAP_YEAR_IN_TWO_DIGITS = 2000
_LOOK_BACK = 48

_YEAR = r"(?:19|20)[0-9]{2}"
_TWO_DIGITS = (
    r"(?:(?:0[1-9]|[12][0-9]|3[01])([_\t])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])([_\t])(?:0[1-9]|[12][0-9]|3[01]))"
)
_SPLIT = re.compile(
    rf"(?:{_TWO_DIGITS}[_\t]{_YEAR}|{_YEAR}([_\t])(?:0[1-9]|1[0-2])\3(?:0[1-9]|[12][0-9]|3[01]))(?![^\W_]|[_\t.,/-][0-9])"
)
"""A date with parts that underscores or tabs separate: 14_07_2003."""
_SPLITS = frozenset("_\t")
_NUMBER_BEFORE = re.compile(r"[0-9][_\t.,/-]$|[^\W_]$")
_JULIAN = re.compile(rf"{_YEAR}[-.](?:[0-2][0-9]{{2}}|3[0-5][0-9]|36[0-6])(?![\w/-]|[.,][0-9])")
_JULIAN_LABEL = re.compile(rf"(?:(?:julian|ordinal)(?: (?:date|day))?|day of (?:the )?year){_JOINT}", re.IGNORECASE)
_MONTH_OF_YEAR = re.compile(rf"[1-9]/{_YEAR}(?![\w/-]|[.,][0-9])")
_MONTH_CUE = re.compile(
    r"(?<!\w)(?:exp|expir(?:es|ed|y|ation)|since|until|till?|through|thru|by|from|in|on|before|after|dated?|early|late|mid"
    r"|started|stopped|due|last|next|to|valid)[ .:-]{1,2}$",
    re.IGNORECASE,
)

_DAY = r"(?:3[01]|[12][0-9]|[1-9])(?:st|nd|rd|th)"
_LIST = rf"(?>(?:(?: ?(?:,|&|/|-) ?| (?:and|or|to|through|thru|until) )(?:the )?{_DAY}){{0,4}})"
_THEN = (
    r"(?:[.,;:!?)]*(?:$|[\r\n\ufdd0])|[;!?)]|[.,:](?=\s)|\.?[\"'](?!\w)"
    r"| (?:and|or|but|with|at|if|when|unless|because|as|so|then|per|due|via|he|she|they|we|i|pt|patient|by|for|in the"
    r"|of (?:this|next|last|the|each|every) month)(?!\w))"
)
_DAYS = re.compile(rf"{_DAY}{_LIST}(?={_THEN})", re.IGNORECASE)
_DAY_CUE = re.compile(
    r"(?<!\w)(?:on|through|thru|until|till?|by|since|as of|effective|starting|beginning|ending|due|from) (?:the )?$",
    re.IGNORECASE,
)
_RANGES = (" through ", " thru ", " until ")
_ENTRY = re.compile(r"(3[01]|[12][0-9]|0?[1-9])\.(1[0-2]|0?[1-9])\.(?=[ \t]+\S|:)")
"""A day and a month at the begin of a line."""
_SUFFIXES = frozenset(("st", "nd", "rd", "th", "ST", "ND", "RD", "TH"))
_DAYS_IN_WORDS = re.compile(
    r"(?:on|through|thru|until|till?|by|since|as of|due) the (?P<day>(?:tenth|eleventh|twelfth"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth|thirty[ -]first"
    rf"|twenty[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)))(?={_THEN})",
    re.IGNORECASE,
)
_WORD_CUES = tuple(
    f" the {begin}"
    for begin in ("tent", "elev", "twel", "thirt", "fourt", "fift", "sixt", "sevent", "eighte", "ninet", "twent")
)

_BORDER = "\ufdd0"
"""The character between records that are read as one text: no date is near beyond it."""
_LINE_BEGINS = frozenset(("", "\n", _BORDER))
_NEAR = 160
_LIST_JOINT = re.compile(r"(?:,|;| ?[-&+/]| (?:and|or|to|through|thru|until|then))+ ?(?:on |the )?")
_JOINT_LENGTH = 12
_NO_BEGIN = re.compile(r"[^\W_]$|[/.,$#]$")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[.,:;(]? ?\(?$")
_DRUG = re.compile(
    r"(?:ol|in|ine|ide|one|ate|pril|artan|azole|mab|nib|am|vir|xaban|pine|etic|terol|ium|ase|inhaler|dose|strength)$"
)


def find_labelled_dates(scan: TextScan) -> Iterator[Interval]:
    """Find dates in figures after a label, days of a month after a preposition, and months with a year after a cue."""
    text, entries = scan.text, []
    for start, end in scan.runs:
        if end - start <= 2 and text[start - 1 : start] in _LINE_BEGINS and (entry := _ENTRY.match(text, start)):
            entries.append(entry)
        elif text[end : end + 1] in _SPLITS and (split := _SPLIT.match(text, start)):
            if not _NUMBER_BEFORE.search(text, max(0, start - 2), start):
                yield split.span()
        elif found := _short(text, start, end) if end - start <= 2 else _long(text, start, end):
            yield found
    yield from _diary_days(text, entries)
    yield from (match.span("day") for match in scan.matches_near(_WORD_CUES, _DAYS_IN_WORDS, 12, 48))


def _short(text: str, start: int, end: int) -> Interval | None:
    """Return the date that begins with one or two digits: "the 9th", "5/2026"."""
    mark, near = text[end : end + 2], (max(0, start - _LOOK_BACK), start)
    if mark in _SUFFIXES and (days := _DAYS.match(text, start)):
        is_range = any(word in days[0] for word in _RANGES)
        return days.span() if is_range or _DAY_CUE.search(text, *near) else None
    month = _MONTH_OF_YEAR.match(text, start) if end - start == 1 and mark[:1] == "/" else None
    return month.span() if month and _MONTH_CUE.search(text, *near) else None


def _long(text: str, start: int, end: int) -> Interval | None:
    """Return the date that begins with four or more digits after a label: "DOB 19640502", "Julian date 2014-202"."""
    if text[start - 1 : start] not in _LABEL_ENDS:
        return None
    if end - start >= _SHORT:
        return (start, end) if _is_labelled(text, start, end) else None
    day, near = _JULIAN.match(text, start), (max(0, start - _LOOK_BACK), start)
    is_called = day and any(label.search(text, *near) for label in (_JULIAN_LABEL, _LABEL, _EVENT))
    return day.span() if day and is_called else None


def _diary_days(text: str, entries: Sequence[re.Match[str]]) -> Iterator[Interval]:
    """Yield days at the begins of lines of one month in a row: "14.1." and "15.1.", not "2.1." and "2.2."."""
    for number, entry in enumerate(entries):
        near = [*entries[max(0, number - 1) : number], *entries[number + 1 : number + 2]]
        others = [
            each
            for each in near
            if _BORDER not in text[min(each.end(), entry.end()) : max(each.start(), entry.start())]
        ]
        if any(each[1] != entry[1] and each[2] == entry[2] for each in others) and not any(
            each[1] == entry[1] for each in others
        ):
            yield entry.span()


def _is_labelled(text: str, start: int, end: int) -> bool:
    """Return whether a number after a label is a day of the calendar."""
    size = end - start
    if size not in (_SHORT, _DAY_OF_YEAR, _LONG, *_TIMES) or _NO_END.match(text, end):
        return False
    near = max(0, start - _LOOK_BACK), start
    if not is_calendar_day(text[start:end] if size < _LONG else text[start : start + _LONG]):
        return False
    if _LABEL.search(text, *near):
        return True
    return size >= _LONG and _EVENT.search(text, *near) is not None


def is_calendar_day(digits: str) -> bool:
    """Return whether six, seven or eight digits are a day in one of the usual orders.

    >>> [is_calendar_day(digits) for digits in ("19640502", "11081971", "110871", "2014202", "19641352", "999999")]
    [True, True, True, True, False, False]
    """
    if len(digits) == _DAY_OF_YEAR:
        return _FIRST_YEAR <= int(digits[:4]) <= _LAST_YEAR and 1 <= int(digits[4:]) <= 366
    year = len(digits) - 4
    first, last = digits[:year], digits[-year:]
    orders = ((first, digits[year:-2], digits[-2:]), (last, digits[:2], digits[2:4]), (last, digits[2:4], digits[:2]))
    return any(_is_day(*map(int, order), has_century=year == 4) for order in orders)


def _is_day(year: int, month: int, day: int, *, has_century: bool) -> bool:
    if has_century and not _FIRST_YEAR <= year <= _LAST_YEAR:
        return False
    try:
        date(year if has_century else _LEAP_YEAR_IN_TWO_DIGITS + year, month, day)
    except ValueError:
        return False
    return True


def find_days_near(scan: TextScan, dates: Sequence[Interval]) -> Iterator[Interval]:
    """Find a month and a day that may be a score or a dose, next to other dates of the text: "10/19 and 11/6"."""
    if not dates or "/" not in scan.text:
        return
    text, ordered = scan.text, sorted(dates)
    ends = sorted(end for _, end in ordered)
    for start, end in scan.runs:
        if text[end : end + 1] != "/" or end - start > 2 or _NO_BEGIN.search(text, max(0, start - 1), start):
            continue
        match = PAIR.match(text, start)
        if match is None or is_no_day(match[0]) or _is_within(ordered, *match.span()):
            continue
        if _is_next_to(text, ordered, ends, *match.span()):
            yield match.span()


def _is_within(ordered: Sequence[Interval], start: int, end: int) -> bool:
    place = bisect_left(ordered, (start + 1, 0))
    return any(first <= start and end <= last for first, last in ordered[max(0, place - 3) : place])


def _is_next_to(text: str, ordered: Sequence[Interval], ends: Sequence[int], start: int, end: int) -> bool:
    """Return whether a pair is in a list with a date, or near one where no word makes it a score or a dose."""
    if is_called_ratio(text, start):
        return False
    number, following = bisect_left(ends, start + 1) - 1, bisect_left(ordered, (end, 0))
    gaps = [(ends[number], start)] if number >= 0 else []
    gaps += [(end, ordered[following][0])] if following < len(ordered) else []
    gaps = [gap for gap in gaps if gap[1] - gap[0] <= _NEAR and _BORDER not in text[slice(*gap)]]
    if any(gap[1] - gap[0] <= _JOINT_LENGTH and _LIST_JOINT.fullmatch(text, *gap) for gap in gaps):
        return True
    if not gaps:
        return False
    before = text[max(0, start - _LOOK_BACK) : start]
    if is_likely_day(before):
        return True
    word = _WORD_BEFORE.search(before)
    return not may_be_score(text[start:end]) and not (word and (word[1][0].isupper() or _DRUG.search(word[1])))
