"""Dates: numeric in the usual orders, and written with the names of months of several languages."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.calendar_parts import find_weeks
from spark_deid.text.patterns.labelled_dates import find_days_near, find_labelled_dates
from spark_deid.text.patterns.lists import read_lines, read_words
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.short_dates import find_months_and_days
from spark_deid.text.patterns.spoken import find_spoken_dates

_YEAR = r"(?:1[89]|20)[0-9]{2}"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
_WITH_YEAR = (
    rf"{_YEAR} ?([/.-]) ?{_MONTH} ?\1 ?{_DAY}(?!\1?[0-9])"
    rf"|{_DAY} ?([/.-]) ?{_MONTH} ?\2 ?{_YEAR}(?!\2?[0-9])|{_MONTH} ?([/.-]) ?{_DAY} ?\3 ?{_YEAR}(?!\3?[0-9])"
)
_SHORT = (
    rf"{_DAY}([/-]){_MONTH}\4[0-9]{{2}}(?!\4?[0-9])|{_MONTH}([/-]){_DAY}\5[0-9]{{2}}(?!\5?[0-9])"
    r"|(?:3[01]|[12][0-9]|0[1-9])\.(?:1[0-2]|0[1-9])\.[0-9]{2}(?!\.?[0-9])"
    rf"|(?:1[0-2]|0[1-9])[/-]{_YEAR}(?![./-]?[0-9])"
)
_NUMERIC = re.compile(rf"(?<![^\W_])(?<![0-9][./,])(?:{_WITH_YEAR}|(?<![0-9]-)(?:{_SHORT}))")
_RANGE_END = re.compile(rf"-(?:{_WITH_YEAR}|{_SHORT})|/{_YEAR}-{_MONTH}-{_DAY}(?!-?[0-9])")
_SHORT_YEAR = rf"(?:{_YEAR}|[0-9]{{2}})"
_SHORT_RANGE = re.compile(
    rf"(?<![^\W_])(?<![0-9][./,-])(?:{_DAY}\.{_MONTH}\.? ?- ?{_DAY}\.{_MONTH}\.{_SHORT_YEAR}"
    rf"|{_DAY}\. ?- ?{_DAY}\.{_MONTH}\.{_SHORT_YEAR}|{_DAY} ?- ?{_DAY}([/.]){_MONTH}\1{_YEAR}"
    rf"|{_MONTH}/{_DAY} ?- ?{_DAY}/{_YEAR})(?![./-]?[0-9])"
)
"""A range whose first end takes the year, or the month, from the last: 15.-20.3.2022."""
_SHORT_END = re.compile(rf"(?<![\w.,/-]){_DAY}\.(?:{_MONTH}\.)? ?(?:-|bis) ?$")
_HYPHENED = "|".join("-".join(parts) for parts in ((_YEAR, _MONTH, _DAY), (_DAY, _MONTH, _YEAR), (_MONTH, _DAY, _YEAR)))
_RANGE = re.compile(rf"(?<![^\W_])(?<![0-9][./,-])(?:{_HYPHENED}) ?- ?(?:{_HYPHENED})(?!-?[0-9])")
"""From a date to another, all joined by hyphens: neither would be distinguished from a longer code only."""
_TIME = re.compile(
    r"(?:T(?:2[0-3]|[01]?[0-9]):?[0-5][0-9](?::?[0-5][0-9])?(?:[.,][0-9]{1,9})?"
    r"| (?:2[0-3]|[01]?[0-9]):[0-5][0-9]:[0-5][0-9](?:[.,][0-9]{1,9})?)"
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?(?![0-9])"
)
"""The time of a time stamp, "T10:30Z" or with seconds. Dates do not include other times of day."""
_IDEOGRAPHIC = re.compile(
    r"(?:[0-9]{4}\u5e74)?[0-9]{1,2}\u6708(?:[0-9]{1,2}\u65e5)?|[0-9]{4}\u5e74"
    r"|(?:[0-9]{4}\ub144 ?)?[0-9]{1,2}\uc6d4(?: ?[0-9]{1,2}\uc77c)?|[0-9]{4}\ub144"
)

_LANGUAGES = read_words("months.txt")
_AMBIGUOUS = frozenset(_LANGUAGES.pop("ambiguous"))
_MONTHS = frozenset(name for names in _LANGUAGES.values() for name in names)
_OTHER_ALPHABETS = frozenset(
    name.casefold() for names in read_words("months_of_other_alphabets.txt").values() for name in names
)
_MARK = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u0e31-\u0e4e"
_OTHER_LETTER = re.compile("[\u0370-\u0fff\u10a0-\u10ff]")
_OTHER_MONTH = re.compile(rf"[\u0370-\u0fff\u10a0-\u10ff](?:[^\W\d_]|[{_MARK}]){{1,14}}")
"""A word in another alphabet than Latin, with the marks that belong to its letters."""
_LED = ("\u05d1", "\u0648", "\u0641\u064a ")
"""What is written together with a month: Hebrew's and Arabic's prefixes."""
_DAY_BEFORE = re.compile(rf"(?<!\w)(?<![0-9][.,/]){_DAY}(?:\.|-?(?:го|е|ое|ης|η|வது|లో|वें))?[ /-]?(?:de |of |من )?$")
_YEAR_BEHIND = re.compile(
    r",?[ /-]?(?:του |عام |سنة |พ\.ศ\. ?|ค\.ศ\. ?)?((?:1[3489]|2[05])[0-9]{2}(?![0-9])|'[0-9]{2}(?![0-9]))"
    r"(?: ?(?:г(?:\.|ода?)?|р(?:\.|оку)?|م)(?!\w))?"
)

_PREPOSITION = r"(?:(?:del|de|of|d') ?)"
_DAY_FIRST = re.compile(
    rf"(?<![\w])(?<![0-9][.,/])((?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th|er|\.|\u00ba|\u00aa|\u00b0)?"
    rf"[ /-]?{_PREPOSITION}?)([^\W\d_]{{3,12}}+)(?![^\W_])\.?"
)
_GLUED = re.compile(rf"{_DAY}([A-Za-z]{{3,9}})({_YEAR}|[0-9]{{2}})(?=\W|_|T[0-9]|$)")
"""A day, a month and a year without anything between: 04APR2017, 07Jul22."""
_ONE_APART, _AFTER_DAY = frozenset(" /-"), frozenset(".\u00ba\u00aa\u00b0")
MONTHS_BEGIN, _PREPOSITIONS_BEGIN = frozenset(name[:3] for name in _MONTHS), frozenset(("de", "of", "d'"))
MONTHS_END = frozenset((*(name[-3:] for name in _MONTHS), " de", "del", " of"))
_YEAR_AFTER = re.compile(rf"(?:,? ?{_PREPOSITION}?|[-/.])({_YEAR}|'[0-9]{{2}}|(?<=[-/])[0-9]{{2}})(?![0-9])")
_ROMAN = r"(?:X(?:II?)?|IX|IV|VI{0,3}|I{1,3})"
_LONG_ROMAN = "(?:XII?|IX|IV|VI{1,3}|III?)"
_ROMAN_AFTER = frozenset((". ", *(f"{mark}{letter}" for mark in " ./-" for letter in "IVXivx")))
_ROMAN_MONTH = re.compile(
    rf"(?<![^\W_])(?<![0-9][.,/]){_DAY}(?:([/-]|\. ?)(?:{_ROMAN}|{_ROMAN.lower()})\1{_YEAR}"
    rf"|([./-]){_ROMAN}\2[0-9]{{2}}(?![./-][0-9])| (?:{_LONG_ROMAN}|{_LONG_ROMAN.lower()}) {_YEAR}"
    r"(?! ?(?:m[lLgG]|M[LG]|mcg|µg|cc|CC|[uU][iI]?|[iI][uU]|units?)(?!\w)))(?!\w)"
)
"""With spaces a month of one letter is none, nor is "IV" before an amount: 3 IV 2000 mg."""
_RANGE_BEFORE = re.compile(r"(?:\b[0-9]{1,2}(?:st|nd|rd|th|\.)? ?(?:-|to|and|al|y|und|bis|et|au|e) ?)$")
_MAX_RANGE = 12

_WORD_BACKWARD = re.compile(r"(?:[ .,/-]{1,2}+(?:ed |led |fo )?)([^\W\d_]{3,12}+)(?![^\W_])")
_DAY_AND_YEAR = re.compile(
    rf"(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?(?: ?(?:-|to|and) ?(?:3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?)?"
    rf"(?:(?:,? |,|[-/]|, ?of )({_YEAR})(?![0-9]))?(?![\w])"
)
_WEEKDAYS = "|".join(sorted({word[::-1] for line in read_lines("weekdays.txt") for word in line.split()}))
_WEEKDAY_BACKWARD = re.compile(
    rf"\n?(?: eht| le| ned| med| el)?(?: ,?\.?| ?,\.?|\( )(?:{_WEEKDAYS})(?!\w)", re.IGNORECASE
)
_DAY_OF_WEEK = re.compile(
    r"(?:3[01]|[12][0-9]|0?[1-9])(?:(?:st|nd|rd|th)(?!\w)"
    rf"|([/.-]){_MONTH}(?:\1(?:{_YEAR}|[0-9]{{2}}))?\.?(?![\w/-]|\.[0-9]))|{_MONTH}/{_DAY}(?![\w/-])"
)
_AFTER_DAY_OF_WEEK = frozenset("snrt/.-")
_YEAR_ALONE = re.compile(rf"{_YEAR}(?!\w)")
_LOOK_BACK = 20
_LEAST_RANGE = 17
_JOINTS = " .,/-"


def find_dates(scan: TextScan) -> Iterator[Interval]:
    """Find dates with a month and a day or a year. The time of a time stamp belongs to its date.

    Numeric: year first; day or month first with a year of four or two digits; month and year with a two-digit
    month. Written: "12 de marzo de 2015", "March 12th, 2015", "12-Mar-15", "March 2015", "12. Mai", "3-IV-1970". A
    month's name that is an ordinary word too ("may") needs a year of four digits. A weekday before a date belongs to
    it, and makes one of what has no year: "Mon 14/03", "Friday the 13th"; so do words such as "seen 3/4", "in '09", "by
    August". Two numbers that can be a month and a day in one way only are one where no score or share is there.
    """
    found = [*_numeric(scan), *_written(scan), *_of_weekdays(scan)]
    found += ((start, _with_time(scan.text, end)) for start, end in find_months_and_days(scan))
    found += (*find_spoken_dates(scan), *find_weeks(scan), *find_labelled_dates(scan))
    found += find_days_near(scan, found)
    if not scan.text.isascii() and _OTHER_LETTER.search(scan.text):
        found += _in_other_alphabets(scan.text)
    yield from _widest(sorted((_with_weekday(scan.text, start), end) for start, end in found))
    if any(sign in scan.text for sign in "\u6708\u5e74\uc6d4\ub144"):
        yield from (match.span() for match in _IDEOGRAPHIC.finditer(scan.text))


def _widest(ordered: list[Interval]) -> Iterator[Interval]:
    """Omit intervals that are within others; ordered by start."""
    reach = 0
    for index, (start, end) in enumerate(ordered):
        following = ordered[index + 1] if index + 1 < len(ordered) else None
        if end > reach and not (following and following[0] == start and following[1] >= end):
            yield start, end
            reach = end


def _numeric(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.clusters:
        if end - start >= _LEAST_RANGE:
            yield from (match.span() for match in _RANGE.finditer(text, start, min(end + 2, len(text))))
        if "-" in text[start:end]:
            yield from (match.span() for match in _SHORT_RANGE.finditer(text, start, min(end + 2, len(text))))
        for match in _NUMERIC.finditer(text, start, min(end + 2, len(text))):
            timed = _with_time(text, match.end())
            yield _with_short_end(text, match.start()), timed
            if until := _RANGE_END.match(text, timed):
                yield timed + 1, _with_time(text, until.end())


def _with_short_end(text: str, start: int) -> int:
    """Return where a range begins whose first end has no year ("15.3. - 20.3.2022"), or the start."""
    if text[max(0, start - 2) : start].strip() not in ("-", "s", "is"):
        return start
    end = _SHORT_END.search(text[max(0, start - _LOOK_BACK) : start])
    return start - len(end[0]) if end else start


def _written(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.runs:
        length = end - start
        if length <= 2:
            match = _DAY_FIRST.match(text, start) if _may_be_day(text, end) else None
            if match and match[2].lower() in _MONTHS:
                yield from _day_first(text, match)
            elif text[end : end + 1].isalpha() and (glued := _glued(text, start)):
                yield start, _with_time(text, glued)
            elif text[end : end + 2] in _ROMAN_AFTER and (match := _ROMAN_MONTH.match(text, start)):
                yield _with_days_before(text, start), _with_time(text, match.end())
        elif length != 4:
            continue
        if start > 2 and text[start - 1] in _JOINTS and _may_follow_month(text, start):
            month_start = _month_before(text, start)
            if month_start >= 0:
                yield from _month_first(text, month_start, start)


def _glued(text: str, start: int) -> int:
    """Return where a date ends that is written without anything between its parts; 0 if it is missing."""
    match = _GLUED.match(text, start)
    return match.end() if match and match[1].lower() in _MONTHS else 0


def _in_other_alphabets(text: str) -> Iterator[Interval]:
    """Yield dates with the names of months in Cyrillic, Greek, Arabic, Hebrew, and scripts of India and others."""
    for match in _OTHER_MONTH.finditer(text):
        word = match[0].casefold()
        if (
            word not in _OTHER_ALPHABETS
            and word.removeprefix(word[:1] if word[:1] in _LED else "") not in _OTHER_ALPHABETS
        ):
            continue
        end = match.end() + (text[match.end() : match.end() + 1] == ".")
        day = _DAY_BEFORE.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])
        year = _YEAR_BEHIND.match(text, end)
        if day or year:
            start = match.start() - (len(day[0]) if day else 0)
            yield start, _with_time(text, year.end() if year else match.end())


def _may_be_day(text: str, end: int) -> bool:
    """Tell from the characters after a number whether a month's name may follow it."""
    mark = text[end : end + 1]
    if mark in _ONE_APART:
        begin = text[end + 1 : end + 4].lower()
        return begin in MONTHS_BEGIN or begin[:2] in _PREPOSITIONS_BEGIN
    return mark.isalpha() or mark in _AFTER_DAY


def _may_follow_month(text: str, start: int) -> bool:
    """Tell from the characters before a number and what joins them whether they may end a month's name."""
    end = start - 1 if text[start - 2].isalpha() else start - 2
    return text[max(0, end - 3) : end].lower() in MONTHS_END


def _of_weekdays(scan: TextScan) -> Iterator[Interval]:
    """Yield days, and days with months, right after the names of weekdays."""
    text = scan.text
    for start, end in scan.runs:
        if (
            end - start <= 2
            and text[end : end + 1] in _AFTER_DAY_OF_WEEK
            and (match := _DAY_OF_WEEK.match(text, start))
            and _with_weekday(text, start) < start
        ):
            yield start, _with_time(text, match.end())


def _with_weekday(text: str, start: int) -> int:
    match = _WEEKDAY_BACKWARD.match(text[max(0, start - _LOOK_BACK) : start][::-1])
    return start - match.end() if match else start


def _day_first(text: str, match: re.Match[str]) -> Iterator[Interval]:
    end = match.end(2)
    year = _YEAR_AFTER.match(text, match.end())
    if year is None and match[2] in _AMBIGUOUS:
        return
    yield _with_days_before(text, match.start()), _with_time(text, year.end() if year else end)


def _with_days_before(text: str, start: int) -> int:
    """Return where the days of a range begin, "3-" before "5-IV-1970", or the start."""
    days = _RANGE_BEFORE.search(text[max(0, start - _MAX_RANGE) : start])
    return start - (len(days[0]) if days else 0)


def _month_first(text: str, start: int, number: int) -> Iterator[Interval]:
    month = text[start:number].partition(" ")[0].rstrip(".,/-")
    match = _DAY_AND_YEAR.match(text, number) or _YEAR_ALONE.match(text, number)
    if match is None:
        return
    has_year = match.re is _YEAR_ALONE or match[1] is not None
    if has_year or month not in _AMBIGUOUS or _with_weekday(text, start) < start:
        yield start, _with_time(text, match.end())


def _month_before(text: str, number: int) -> int:
    """Return where the month's name right before a number begins, -1 if it is missing."""
    match = _WORD_BACKWARD.match(text[max(0, number - _LOOK_BACK) : number][::-1])
    if match is None or match[1][::-1].lower() not in _MONTHS:
        return -1
    return number - match.end(1)


def _with_time(text: str, end: int) -> int:
    match = _TIME.match(text, end)
    return match.end() if match else end
