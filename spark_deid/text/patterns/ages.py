"""Ages: numbers that words before or after them call so, in English, Spanish, German and French."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.ages_of_people import AGE_ENDS, age_of_person
from spark_deid.text.patterns.lists import LOOK_BACK, is_introduced
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.spoken_ages import find_spoken_ages

OLDEST = 125
OVER = 89
"""Ages above it identify by themselves (HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(C))."""

_YEARS = re.compile(
    r"(?:[ -]{0,2}(?:years?|yrs?)[ -]{0,2}(?:old|of age)|[ -]?(?:y/o|yo|y\.o\.|y-o|y old)|[ -]?jährige?[nrsm]?"
    r"| ?jahre alt| ?años de edad| ?ans d'âge"
    r"| ?(?:y|yrs?|years?)[ /](?:(?-i:[MF])|(?:fe)?male|girl|boy|man|woman|lady|gentleman))(?!\w)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"[ -]{0,2}(?:(?:months?|mos?|weeks?|wks?|days?)[ -]{0,2}(?:old|of age)|m/o"
    r"|mos?(?= (?:girl|boy|(?:fe)?male|infant|baby)))(?!\w)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"[ -]{0,2}[yjamwd]", re.IGNORECASE)
"""How everything begins that stands after an age."""
_UNIT = re.compile(r" ?(?:years?|yrs?|años|ans|jahre)(?!\w)", re.IGNORECASE)
_WORDS = frozenset(("age", "aged", "ages", "turned", "turning", "turns", "edad", "alter", "âge", "âgé", "âgée", "agé"))
_PERSONS = re.compile(r"(?:varón|hombre|mujer|paciente|niño|niña|señor|señora|âgée?) de $", re.IGNORECASE)
_CUES = ("age", "turn", "edad", "alter", "âg", "agé", "varón", "hombre", "mujer", "paciente", "pacıente", "ñ")
"""One of them is part of whatever makes an age of a number after it."""
_SUBJECT = re.compile(
    r"(?<!\w)(?:i(?: a|')m|(?:s?he|who|patient)(?: is| was|'s)|(?:ich|er|sie) (?:bin|ist|war)) ", re.IGNORECASE
)
_STATED_UNIT = re.compile(
    r"(?: ?(?:yrs?|years?|months?)(?: and (?:[0-9]{1,2} (?:months?|weeks?)|a half))?)?(?=[,;!?)]|\.(?:\s|$))"
)
_AFTER_SUBJECT = re.compile(r"[,;!?]|\.? *(?:$|[\r\n)])|\. | (?:and|but|now|when|und|jetzt)(?!\w)")
_SUBJECT_ENDS = ("m ", "M ", "s ", "S ", "n ", "N ", "t ", "T ", "r ", "R ")
"""How every subject ends."""
_LOOK_BACK = 24
_NO_END = re.compile(r"[\w%°]|[.,/:-][0-9]")


def find_ages(scan: TextScan) -> Iterator[Interval]:
    """Find ages: "63-year-old", "63 y/o", "aged 63", "Edad: 63 años", "63-jährige", "18-month-old", "She is 63.".

    Also ages without such a word: "58F with", "58/M", "Ann Lee, 63, of Dover", "Ann Lee (63)", and ages in words.
    """
    yield from (found for found, _ in _ages(scan))


def find_ages_over_89(scan: TextScan) -> Iterator[Interval]:
    """Find the ages in years above 89 alone."""
    yield from (found for found, years in _ages(scan) if years > OVER)


def _ages(scan: TextScan) -> Iterator[tuple[Interval, int]]:
    """Yield ages with their years, 0 where they are told in months, weeks or days."""
    text = scan.text
    yield from find_spoken_ages(scan)
    called, last = set(scan.runs_after(_CUES, LOOK_BACK)), -1
    for run in scan.runs:
        start, end = run
        if end - start > 3 or (start and not _may_begin(text, start)):
            continue
        has_unit = _BEGINS.match(text, end) is not None
        is_stated = text[start - 2 : start] in _SUBJECT_ENDS and _is_statement(text, start, end)
        unlabelled = unlabelled_age(text, start, end) if text[end : end + 2] in AFTER_UNLABELLED else None
        if unlabelled is None and (text[start - 2 : start] in AGE_ENDS or text[start - 1 : start] in "(/"):
            unlabelled = age_of_person(text, start, end, last)
            last = unlabelled[1] if unlabelled else last
        if not (has_unit or run in called or is_stated or unlabelled) or (number := int(text[start:end])) > OLDEST:
            continue
        if has_unit and (match := _YEARS.match(text, end)):
            yield (start, match.end()), number
        elif has_unit and (match := _OTHERS.match(text, end)):
            yield (start, match.end()), 0
        elif run in called and _is_called_age(text, start, end):
            unit = _UNIT.match(text, end)
            yield (start, unit.end() if unit else end), number
        elif is_stated:
            unit = _STATED_UNIT.match(text, end)
            yield (start, unit.end() if unit else end), number
        elif unlabelled:
            yield unlabelled, number


def _may_begin(text: str, start: int) -> bool:
    """Return whether the character before a number can be that before an age."""
    mark = text[start - 1]
    return not (mark.isalnum() or mark in ".,/:_") or text[start - 2 : start] in ("M/", "F/")


def _is_statement(text: str, start: int, end: int) -> bool:
    """Tell whether a number is all that is said of somebody: "She is 63, works", "I am 41 now"."""
    if _NO_END.match(text, end) or not (_AFTER_SUBJECT.match(text, end) or _STATED_UNIT.match(text, end)):
        return False
    before = text[max(0, start - _LOOK_BACK) : start]
    return any(match.end() == len(before) for match in _SUBJECT.finditer(before))


def _is_called_age(text: str, start: int, end: int) -> bool:
    if _NO_END.match(text, end):
        return False
    if is_introduced(text, start, _WORDS):
        return True
    before = text[max(0, start - _LOOK_BACK) : start]
    return _PERSONS.search(before) is not None and _UNIT.match(text, end) is not None


# Ages that no word calls so: "58F with", "58/M", "Ann Lee, 63, of Dover", "Ann Lee (63)".


_CAPITAL = "A-ZÀ-ÖØ-ÞŠŽĐŁ"
_LETTER = re.compile(r"(?: ?(?:y|yr|yo|y/o|y\.o\.) ?|[ /]?)[FMfm](?![\w°'&/.-]|[ ]?[0-9])")
_NEEDS_NO_WORD = re.compile(r"(?: ?(?:y|yr|yo|y/o|y\.o\.) ?|/)[FMfm]")
"""Letters with which only an age is written."""
_GOES_ON = re.compile(
    r",? (?:with|w/|c/o|h/o|s/p|p/w|who|presents?|presenting|presented|admitted|here|found|pt|patient|PMHx?|hx|status"
    r"|complain\w{1,5}|brought|BIBA|has|had|is|was|referred|transferred|from|by|back|on|smoker|known|G[0-9](?:P[0-9])?|\|)"
    r"(?!\w)"
)
_NO_PERSON = re.compile(
    r"(?:temp(?:erature)?|temps?|tmax|t|fever|of|at|to|x|water|degrees|heated|below|above|around|foley|cath(?:eter)?|sheath"
    r"|stent|drain|tubes?|placed|size|via|introducer|balloon|F[,/|] ?) ?$",
    re.IGNORECASE,
)
_TUBES = re.compile(
    r" (?:with an? )?(?:foley|catheter|sheath|tube|chest|stent|drain|cath|introducer|guid|balloon)", re.IGNORECASE
)
_LEAST, _HOTTEST = 10, range(90, 111)
_OF_SOMEBODY = re.compile(
    rf", (?:of|from) [{_CAPITAL}]|, (?:who|was|is|has|had|died|said|told|lives?|lived|faces?"
    r"|pleaded|pled|remains|whose)(?!\w)"
)
_NAME_AND_COMMA = re.compile(rf"(?<![\w.])[{_CAPITAL}][a-zà-öø-ÿß'’-]{{1,24}}(?: (?:Jr\.?|Sr\.?|III?))?, $")
_FULL_NAME_AND_COMMA = re.compile(
    rf"(?<![\w.])[{_CAPITAL}][\w'’-]{{1,24}} (?:[{_CAPITAL}]\.? |(?:van|von|de|der|da|di|al|bin) ){{0,2}}"
    rf"[{_CAPITAL}][\w'’-]{{1,24}}(?: (?:Jr\.?|Sr\.?|III?))?, $"
)
_SAYS_ON = re.compile(
    r", (?:an?|his|her|their|identified|found|born|aged|married|divorced|single|widow(?:ed|er)?|retired|mother|father"
    r"|wants?|presents|presented|admitted|seen|came|comes|living|works|working|known|complains|dead|deceased|here|now|self)(?!\w)"
)
"""How the description of a person continues after the name in full and the age."""
_NAME_BEFORE = re.compile(
    rf"(?<![\w.])[{_CAPITAL}][a-zà-öø-ÿß]{{1,20}} (?:[{_CAPITAL}]\. |(?:van|von|de|der|da|di) ){{0,2}}"
    rf"[{_CAPITAL}][a-zà-öø-ÿß'’-]{{1,24}} \($"
)
_AFTER_BRACKETS = re.compile(
    rf"\) (?:of|from|aus|de) [{_CAPITAL}]|\),? (?:who|was|is|died|said|says|told|lives?|lived|aus|ist|war|sagt"
    r"|und seine?|and h(?:is|er)|who)(?!\w)"
)
_NO_NAMES = re.compile(
    r"(?<!\w)(?:Figure|Fig|Table|Section|Article|Act|Rule|No|Chapter|Part|Equation|Appendix|Step|Item|Question|Verse|Psalm"
    r"|Law|Court|Code|Order|Rights|Committee|Commission|Jan\w*|Feb\w*|March|April|May|June|July|Aug\w*|Sep\w*|Oct\w*|Nov\w*"
    r"|Dec\w*|Page|Room|Route|Highway|Number|Volume|Line|Ref|Note|Paragraph|Grade|Level|Score|Unit)\.?,? ?\(?$"
)
_UNLABELLED_LOOK_BACK = 60
_LETTERS = "FMfm"
AFTER_UNLABELLED = frozenset(
    (
        *(", ", ") ", "),", "yo", "y/", "y.", "yF", "yM", "yf", "ym", "yr", "y ", " y"),
        *(f"{mark}{letter}" for mark in " /" for letter in _LETTERS),
        *(f"{letter}{mark}" for letter in "FM" for mark in " ,"),
    )
)
"""First characters of any text that may follow such an age."""


def unlabelled_age(text: str, start: int, end: int) -> Interval | None:
    """Return the place of an age that is one number of two or three digits, with its letter; None if it is not an age.

    A temperature ("98F"), a tube ("16F Foley"), a page or a section is not an age.
    """
    sign = text[end : end + 1]
    if end - start < 2:
        return None
    if sign == ",":
        return (start, end) if _is_of_somebody(text, start, end) else None
    if sign == ")":
        return (start, end) if text[start - 1 : start] == "(" and _is_in_brackets(text, start, end) else None
    number, letter = int(text[start:end]), _LETTER.match(text, end)
    if letter is None or not int(text[start:end]) >= _LEAST:
        return None
    if _NEEDS_NO_WORD.match(text, end) or _is_of_patient(text, start, letter.end(), number):
        return start, letter.end()
    return None


def _is_of_patient(text: str, start: int, end: int, number: int) -> bool:
    if text[end - 1].islower() or _TUBES.match(text, end) or not _GOES_ON.match(text, end):
        return False
    before = text[max(0, start - _UNLABELLED_LOOK_BACK) : start]
    return _NO_PERSON.search(before) is None and (number not in _HOTTEST or text[end - 1] == "M")


def _is_of_somebody(text: str, start: int, end: int) -> bool:
    if text[start - 2 : start] != ", ":
        return False
    before = text[max(0, start - _UNLABELLED_LOOK_BACK) : start]
    name = (
        _NAME_AND_COMMA
        if _OF_SOMEBODY.match(text, end)
        else _FULL_NAME_AND_COMMA
        if _SAYS_ON.match(text, end)
        else None
    )
    return name is not None and name.search(before) is not None and _NO_NAMES.search(before) is None


def _is_in_brackets(text: str, start: int, end: int) -> bool:
    if not _AFTER_BRACKETS.match(text, end):
        return False
    before = text[max(0, start - _UNLABELLED_LOOK_BACK) : start]
    return _NAME_BEFORE.search(before) is not None and _NO_NAMES.search(before) is None
