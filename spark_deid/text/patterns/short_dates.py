"""Dates that say less than a day, a month and a year: "on 11/21", "in '09"; and, where asked for, weekdays and years.

Two numbers with a stroke are doses, ratios and scores too, so that a word before them must tell that they are a date.
"""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.calendar_parts import find_calendar_parts, is_short_day
from spark_deid.text.patterns.lists import read_lines
from spark_deid.text.patterns.scan import Interval, TextScan

_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
_AMOUNTS = (
    r"[ -]?(?:of|tabs?|tablets?|pills?|caps?|cups?|doses?|strength|hours?|hrs?|inch(?:es)?|in\.|ft|miles?|pounds?|lbs?"
    r"|mm ?Hg|kPa|mm|cm|mg|mcg|ml|mL|cc|units?|teaspoons?|tsp|tbsp|st|nd|rd|th|ths|way|points?|pts|pass(?:es)?|stars?"
    r"|patients|cases|specimens|cores|samples|nodes|teeth|eyes?)(?!\w)"
)
_MONTH_AND_DAY = rf"(?:{_MONTH}/{_DAY}|{_DAY}/{_MONTH})(?![\w/%°]|[.,:-][0-9])(?!{_AMOUNTS})"
PAIR = re.compile(_MONTH_AND_DAY)
_THROUGH, _SAID_YEAR = "(?: ?- ?| to | thru | through )", "/(?:(?:1[89]|20)[0-9]{2}|[0-9]{2})"
_PAIR_RANGE = re.compile(
    rf"(?:{_MONTH}/{_DAY}{_THROUGH}{_MONTH}/{_DAY}(?P<year>{_SAID_YEAR})?"
    rf"|{_DAY}/{_MONTH}{_THROUGH}{_DAY}/{_MONTH}(?P<last_year>{_SAID_YEAR}))(?![\w/%°]|[.,:-][0-9])(?!{_AMOUNTS})"
)
_SURE = re.compile(
    r"(?<!\w)(?:on|since|until|till?|dated?|due|as of|week of|wk of|effective|seen|admitted|adm|disch(?:arged)?|d/?c'?d"
    r"|born|DOA|DOS|EDD|LMP|LKW|RTC|appt|appointment|sent|rec'?d|received|signed|dx'?d|dna'?d|vm|addendum|le|vom|el día"
    r"|dal|den):? (?:the |about |or about )?$|(?<!\w)(?:Drs?|Prof|NP|PA|RN|Nurse|d/w|per)\.? [^\W\d_][\w'’-]{1,24},? $",
    re.IGNORECASE,
)
"""What only a day follows."""
_LIKELY = re.compile(
    r"(?<!\w)(?:from|by|before|after|through|thru|between|starting|ending|prior to|today|yesterday|tomorrow|tmrw|onset"
    r"|admit|next|last|prev(?:ious)?|f/?u|follow[ -]?up|recheck|redraw|visit|clinic|started|stopped|missed|sees?|saw"
    r"|drained|removed|read|drawn|done|exp|expires|mtg|meeting|called|phoned|reviewed|updated|resulted|repeated|changed"
    r"|completed|held|booked|scheduled|x-?ray|labs?|shot|vaccine|flu):? $",
    re.IGNORECASE,
)
"""What a score or a share may follow, too."""
_SCORES = frozenset(("5", "10", "12"))
_NO_DAY = ("9/11", "24/7")
"""What is no longer a day of anybody's."""
_MOST_MONTHS = 12
_ENTRY = re.compile(r"(?<![^\n])[ \t]{0,4}(?:[-*] ?)?$")
_ENTRY_ENDS = re.compile(r"(?: ?[:-] ?| {1,2})[A-Za-z]")
_FRACTIONS = frozenset(("1/2", "1/3", "2/3", "1/4", "3/4", "1/5", "1/8"))
_DAYS = re.compile("[0-9]{1,2}/[0-9]{1,2}")
_SHORTEST = 3
_LOOK_BACK = 36

_SHORT_YEAR = re.compile(r"'[0-9]{2}s?(?![\w'%]|[.,/-][0-9])")
_YEAR_CUE = re.compile(
    r"(?<!\w)(?:in|since|of|from|until|till?|by|before|after|during|circa|early|late|mid|spring|summer|fall|autumn|winter"
    r"|class of|back in|through|to|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})[ -]$",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[^'\n]{1,40}'(?!\w)")
"""An apostrophe behind says that the first one opens a quotation."""

_YEAR = re.compile(
    r"(?:1[89]|20)[0-9]{2}s?(?![\w%°/]|[.,:][0-9]|-[A-Za-z])"
    r"(?! ?(?:mg|mcg|g|kg|ml|mL|cc|kcal|cal|units?|IU|UI|mm|cm|m|km|ft|hrs?|calories|dollars|euros?|patients|steps)"
    r"(?!\w))"
)
_NO_YEAR_BEFORE = re.compile(
    r"(?:[\w.,/#$€£°+-]|[#$€£=<>~] |et al\.?,? ?\(?|(?:[pP]ages?|pp?\.|§|[sS]ection|[nN]o\.?|[rR]oom) )$"
)
_IN_NUMBERS = frozenset("_.,/#$€£°+-")
_DAY_NAMES = tuple(word for line in read_lines("weekdays.txt") for word in line.split() if len(word) > 3)
_CUT_DAYS = "Mon|Tue|Tues|Thu|Thur|Thurs|Fri"
_DAY_NAME = re.compile(
    rf"(?<![\w'-])(?:(?i:{'|'.join(sorted(_DAY_NAMES, key=len, reverse=True))})s?|(?:{_CUT_DAYS})\.?)(?![\w-])"
)
_DAY_CUES = tuple(dict.fromkeys("day" if word.endswith("day") else word for word in _DAY_NAMES))
_CUT_DAY_CUES = ("Mon", "Tue", "Thu", "Fri")
_HOLIDAY = re.compile(
    r"(?<![\w'-])(?:"
    + "|".join(read_lines("holidays.txt"))
    + r")(?:'s)?(?: (?:Day|Eve|Sunday|Monday|weekend))?(?![\w-])"
    r"(?! (?:tree|disease|island|eggs?|bunny|seals?|lilly|cake)(?!\w))",
    re.IGNORECASE,
)


def _literal(expression: str) -> str:
    """Return the longest run of letters and spaces that every text of a holiday's expression has.

    >>> _literal("st\\\\.? patrick'?s day"), _literal("eid(?: al[- ](?:fitr|adha))?")
    (' patrick', 'eid')
    """
    plain = _GROUP.sub("|", _GROUP.sub("|", expression))
    runs: list[str] = re.findall(r"[^\W\d_ ]?(?:[^\W\d_]|(?<=[^\W\d_]) | (?=[^\W\d_]))+(?![?*])", plain)
    return max(runs, key=len)


_GROUP = re.compile(r"\((?:\?:)?[^()]*\)\??|\[[^]]*\]\??|\w\?|\\[\s\S]\??")
_HOLIDAY_CUES = tuple(dict.fromkeys(map(_literal, read_lines("holidays.txt"))))


def find_months_and_days(scan: TextScan) -> Iterator[Interval]:
    """Find a month and a day: "seen 3/4", "3/4-3/9", "3/4: seen" at a line's begin, and 11/21, which can be one alone.

    No days are 28/30 and 11/21 behind the name of a score, a share or a size; of two numbers that may both be a month
    a word must tell that they are a day. And years of two digits after an apostrophe: "in '09", "class of '94".
    """
    yield from _months_and_days(scan, with_cue=True)
    yield from _short_years(scan.text, with_cue=True)


def find_partial_dates(scan: TextScan) -> Iterator[Interval]:
    """Find weekdays, holidays, seasons, quarters, weeks, years and a possible month and day, each by itself.

    No years are numbers with a unit, page numbers, and those of citations ("et al., 2015", "[2015] UKSC 12").
    """
    yield from _months_and_days(scan, with_cue=False)
    yield from _short_years(scan.text, with_cue=False)
    text = scan.text
    for start, end in scan.runs:
        if end - start == 4 and text[start] in "12" and (match := _YEAR.match(text, start)):
            before = text[max(0, start - _LOOK_BACK) : start]
            is_range = before.endswith("-") and before[-5:-1].isdigit() and not before[-6:-5].isalnum()
            if is_range or not (_is_no_year(before) or _is_citation(text, start, match.end())):
                yield match.span()
    yield from (match.span() for match in scan.matches_near(_DAY_CUES, _DAY_NAME, 8, 20))
    cut = scan.places_as_written(_CUT_DAY_CUES)
    yield from (match.span() for match in scan.matches_at(cut, _DAY_NAME, 0, 10))
    yield from (match.span() for match in scan.matches_near(_HOLIDAY_CUES, _HOLIDAY, 24, 60))
    yield from find_calendar_parts(scan)


def is_weekday(text: str) -> bool:
    """Return whether a text names days of the week and nothing else.

    >>> is_weekday("Tuesdays"), is_weekday("Fri."), is_weekday("Easter")
    (True, True, False)
    """
    return _DAY_NAME.fullmatch(text) is not None or is_short_day(text)


def _is_no_year(before: str) -> bool:
    """Return whether the text before four digits shows that they are not a year."""
    last = before[-1:]
    return last in _IN_NUMBERS or last.isalnum() or _NO_YEAR_BEFORE.search(before) is not None


def _is_citation(text: str, start: int, end: int) -> bool:
    """Tell whether brackets show a year to be that of a law report: "[2015] UKSC"."""
    return text[start - 1 : start] == "[" and text[end : end + 2] == "] " and text[end + 2 : end + 3].isupper()


def _months_and_days(scan: TextScan, *, with_cue: bool) -> Iterator[Interval]:
    text = scan.text
    for start, end in scan.runs if "/" in text else ():
        if text[end : end + 1] != "/" or end - start > 2:
            continue
        if start and (text[start - 1].isalnum() or text[start - 1] in "/.,$#"):
            continue
        if through := _PAIR_RANGE.match(text, start):
            if through["year"] or through["last_year"] or _is_range(through[0]):
                yield through.span()
            continue
        match = PAIR.match(text, start)
        if match is None or match[0] in _FRACTIONS:
            continue
        is_likely = _is_day_alone(text, *match.span()) if with_cue else not may_be_score(match[0])
        if is_likely or tells_day(text, *match.span()):
            yield match.span()


def tells_day(text: str, start: int, end: int) -> bool:
    """Tell whether words before a month and a day say that they are one: alone they may be a dose or a score.

    >>> tells_day("seen on 11/21", 8, 13), tells_day("Lotrel 6/20", 7, 11)
    (True, False)
    """
    before, pair = text[max(0, start - _LOOK_BACK) : start], text[start:end]
    if before[-1:] == " ":
        if _SURE.search(before):
            return True
        if _LIKELY.search(before) and not may_be_score(pair) and not is_called_ratio(text, start):
            return True
    begins = before[-1:] in ("", "\n", " ", "\t", "-", "*")
    is_entry = begins and (len(before) < _LOOK_BACK or "\n" in before) and _ENTRY.search(before) is not None
    return is_entry and not may_be_score(pair) and _ENTRY_ENDS.match(text, end) is not None


def is_likely_day(before: str) -> bool:
    """Return whether the words before a month and a day often precede a day.

    >>> is_likely_day("drained "), is_likely_day("scored ")
    (True, False)
    """
    return _LIKELY.search(before) is not None


def is_no_day(pair: str) -> bool:
    """Return whether two numbers are a fraction or an expression, such as 1/2 and 24/7.

    >>> is_no_day("1/2"), is_no_day("10/6")
    (True, False)
    """
    return pair in _FRACTIONS or pair in _NO_DAY


def _is_day_alone(text: str, start: int, end: int) -> bool:
    """Tell whether two numbers can be a month and a day in one way alone, and nothing beside them says otherwise."""
    pair = text[start:end]
    first, _, second = pair.partition("/")
    if max(int(first), int(second)) <= _MOST_MONTHS or pair in _NO_DAY:
        return False
    return not is_ratio(text, start, end)


def _is_range(through: str) -> bool:
    """Tell whether a range is one of days: of two scores ("8/10 to 3/10", "4/5-5/5") none is above."""
    return any(day not in _FRACTIONS and not may_be_score(day) for day in _DAYS.findall(through))


def may_be_score(pair: str) -> bool:
    """Return whether two numbers are as often a score as a month and a day.

    >>> may_be_score("7/10"), may_be_score("3/4"), may_be_score("10/6")
    (True, True, False)
    """
    return len(pair) <= _SHORTEST or pair.partition("/")[2] in _SCORES or pair in _NO_DAY


def _short_years(text: str, *, with_cue: bool) -> Iterator[Interval]:
    for match in _SHORT_YEAR.finditer(text):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        if before[-1:].isalnum() or before[-1:] in ("'", '"'):
            continue
        if _CLOSED.match(text, match.end()) is None and (not with_cue or _YEAR_CUE.search(before)):
            yield match.span()


# Meanings of two numbers with a stroke besides a month and a day: scores, fractions, doses, settings, durations.


_NAMED_SCORES = (
    "GCS|Glasgow|MMSE|MoCA|SLUMS|mini[- ]?mental|AMTS?|ACE|PHQ|GAD|HADS?|EPDS|CAGE|AUDIT|NIHSS|SOFA|APACHE|APGARs?"
    "|Braden|Morse|ESS|Epworth|Barthel|Tinetti|Rankin|Gleason|Bishop|Beighton|VAS|NRS|MRC|FIM|scor\\w{1,3}|scale|index"
    "|rat(?:ed|ing)"
    "|pain|strength|power|tone|reflex(?:es)?|pulses?|murmur|nodes?|LNs?|ratio|BiPAP|CPAP|IPAP|PEEP|BP|acuity|vision|visual"
    "|frequency|proportion|approximately|cytokeratin"
)
"""Words before a value, with a word or two between."""
_DIRECT = (
    "VA|OD|OS|OU|RE|LE|[RL]|CK|grade|stage|page|pp?\\.|size|gauge|drill|bolt|fraction|(?<!C.)section|article|chapter|rule"
    "|figure|fig\\.?|table|item|number|no\\.?|tooth|teeth|for|x|over|of|every|another"
)
"""Words right before a single number that show that it is not a day."""
_BEFORE = re.compile(
    rf"(?:(?<!\w)(?:{_NAMED_SCORES})\b[^.;\n]{{0,18}}|(?<!\w)(?:{_DIRECT})[ :#(]{{0,2}}|% ?\()$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r",? ?\([0-9.]{1,5} ?%|,? ?[0-9.]{1,5} ?%|\"|\u2033|-(?:week|day|hour)"
    r"| (?:lymph|LNs?|nodes?|positive|women|men|children|people|subjects|dilution|supply|daily|nightly|BID|TID|QID|QD"
    r"|qd|bid|qhs|QHS|po|PO|prn|PRN|cmH2O)(?!\w)"
)
_ODD_SIXTEENTHS = "16"
_VISION = "20"
_OFTEN_DOSES = 5
"""Two numbers that this divides are the strengths of many drugs (10/20, 5/25), whose names cannot all be listed."""
LOOK_BACK = 30


def is_ratio(text: str, start: int, end: int) -> bool:
    """Return whether two numbers with a stroke are surely or likely something else than a month and a day.

    >>> is_ratio("MMSE was 11/28", 9, 14), is_ratio("MRI 11/28", 4, 9)
    (True, False)
    """
    first, _, second = text[start:end].partition("/")
    if first == _VISION or (second == _ODD_SIXTEENTHS and int(first) % 2):
        return True
    if int(first) % _OFTEN_DOSES == 0 and int(second) % _OFTEN_DOSES == 0:
        return True
    return _BEHIND.match(text, end) is not None or is_called_ratio(text, start)


def is_called_ratio(text: str, start: int) -> bool:
    """Return whether words before two numbers mark them as a score, fraction, setting, place or duration."""
    return _BEFORE.search(text[max(0, start - LOOK_BACK) : start]) is not None
