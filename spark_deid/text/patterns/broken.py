"""Numbers, dates and addresses that are broken over two lines, or parted by tabs and other breaks.

A line break is read as a space, or as nothing where a separator stands beside it, between the line that ends there and
the one that begins: so a number is broken once at most, and a column of numbers is none. Of what only breaks and spaces
part, telephone numbers need a word that says what they are, since rows of tables look like them.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from spark_deid.text.patterns.dates import MONTHS_BEGIN, MONTHS_END
from spark_deid.text.patterns.scan import Interval, TextScan

Find = Callable[[TextScan], Iterable[Interval]]
NUMBERS = ("phone", "ssn", "card", "iban", "date")
"""Kinds of numbers that are looked for over breaks."""
_ROWS = ("phone", "ssn", "card")
_BEGINS = "|".join(sorted(MONTHS_BEGIN))
_BEHIND = rf"[ \t]{{0,4}}(?:([-./(]?[0-9])|(?=@[a-zA-Z0-9])|(?=[dDoO](?:el?|f) [0-9]|(?i:{_BEGINS})))"
_BREAK = re.compile(rf"\n{_BEHIND}")
_OTHER_BREAK = re.compile(rf"[\x0b\x0c\x85\u2028\u2029]{_BEHIND}")
_OTHER_BREAKS = "\x0b\x0c\x85\u2028\u2029"
_SPACES = " \t\r"
_SEPARATORS = "-./@("
_REACH = 40
_CHAIN_BEFORE = re.compile(r"[A-Z]{0,2}[0-9 ./()+-]{1,30}$")
_CHAIN_AFTER = re.compile(r"[-0-9 ./()]{1,30}")
_LEAST_DIGITS = 6
_DAY_ENDS = re.compile(r"[a-z.] ?[0-9]{1,2}(?:st|nd|rd|th)?,$")
_YEAR_FOLLOWS = re.compile(r"(?:[dD]el? |[oO]f |[0-3]?[0-9](?:st|nd|rd|th)?,? )?(?:1[89]|20)[0-9]{2}(?![0-9])")
_MONTH_YEAR = re.compile(r"[^\W\d_]{3,12}\.?,? (?:del? |of )?(?:1[89]|20)[0-9]{2}(?![0-9])")
_GROUP_AFTER = re.compile(r"[0-9]+([-./ ])[0-9]")
_GROUP_BEFORE = re.compile(r"[0-9]([-./ ])[0-9]+$")
_TABS = "\t\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
_ODD = f"{_TABS}~_*="
"""What parts groups of numbers and no words."""
_GAP = f" ?[{_ODD}] ?"
_GAPS = re.compile(_GAP)
_ODD_SIGN = re.compile(f"[{_ODD}]")
_ROW = re.compile(
    rf"[0-9]{{3}}({_GAP})[0-9]{{2,3}}\1[0-9]{{4}}(?![{_ODD}]?[0-9])"
    rf"|[0-9]{{4}}({_GAP})[0-9]{{4}}\2[0-9]{{4}}\2[0-9]{{4}}(?![{_ODD}]?[0-9])"
)
_LONGEST_GROUP = 4
_MARKS = frozenset("-./()+")


class BrokenPlaces:
    """The places of a text where something may be broken, each with the lines beside it read as one."""

    def __init__(self, text: str) -> None:
        self._numbers: list[_JoinedLines] = []
        self._words: list[_JoinedLines] = []
        self._addresses: list[_JoinedLines] = []
        patterns = [_BREAK]
        if any(sign in text for sign in (_OTHER_BREAKS[:2] if text.isascii() else _OTHER_BREAKS)):
            patterns.append(_OTHER_BREAK)
        for pattern in patterns:
            for match in pattern.finditer(text):
                self._add(text, match)
        self._rows = list(_rows(text))
        self._text = text

    def find(self, kind: str, find: Find) -> Iterator[Interval]:
        """Yield what a kind's function finds over line breaks, and, of numbers, in rows of their groups."""
        joined = self._addresses if kind == "email" else self._numbers if kind in NUMBERS else []
        for lines in (*joined, *(self._words if kind == "date" else [])):
            crossing = [found for found in find(lines.scan) if lines.crosses(*found)]
            if crossing and (lines in self._words or not lines.is_whole_before(find)):
                yield from (
                    lines.original(*found) for found in crossing if _is_one(lines.scan.text[slice(*found)], kind)
                )
        for start, end in self._rows if kind in _ROWS else ():
            written = _GAPS.sub("-", self._text[start:end])
            if any(found == (0, len(written)) for found in find(TextScan(written))):
                yield start, end

    def _add(self, text: str, match: re.Match[str]) -> None:
        start, end = match.start(), match.start(1) if match[1] else match.end()
        while start > 0 and text[start - 1] in _SPACES:
            start -= 1
        last = text[start - 1 : start]
        if last == "@" or text[end : end + 1] == "@":
            self._addresses.append(_JoinedLines(text, start, end))
        elif match[1] and (last.isdigit() or (last and last in ").-/")) and _has_digits(text, start, end):
            self._numbers.append(_JoinedLines(text, start, end))
        elif _is_in_date(text, start, end):
            self._words.append(_JoinedLines(text, start, end))


def _is_one(found: str, kind: str) -> bool:
    """Tell whether a number over a break is one: telephone numbers have more than spaces between their groups."""
    return kind != "phone" or not _MARKS.isdisjoint(found)


def _is_in_date(text: str, start: int, end: int) -> bool:
    """Tell whether a date with a month's name may go on behind a break: with its year, or with month and year."""
    before = text[max(0, start - 14) : start]
    if _YEAR_FOLLOWS.match(text, end):
        return before.rstrip(",.")[-3:].lower() in MONTHS_END or _DAY_ENDS.search(before) is not None
    return text[end : end + 3].lower() in MONTHS_BEGIN and before[-1:].isdigit() and bool(_MONTH_YEAR.match(text, end))


def _rows(text: str) -> Iterator[Interval]:
    """Yield rows of groups of digits that odd signs part: none that goes on before or behind."""
    covered = 0
    for sign in _ODD_SIGN.finditer(text):
        place = sign.start() - (text[sign.start() - 1 : sign.start()] == " ")
        if place < max(covered, 1) or not text[place - 1].isdigit():
            continue
        begin = place
        while begin > max(covered, place - _LONGEST_GROUP) and text[begin - 1].isdigit():
            begin -= 1
        goes_on = begin > 0 and (
            text[begin - 1].isdigit() or (text[begin - 1] in _ODD and text[begin - 2 : begin - 1].isdigit())
        )
        if not goes_on and (row := _ROW.match(text, begin)):
            covered = row.end()
            yield row.span()


class _JoinedLines:
    """Two lines as one, around a break, and where their characters stand."""

    def __init__(self, text: str, start: int, end: int) -> None:
        before = text[max(text.rfind("\n", 0, start) + 1, start - _REACH) : start]
        joint = _joint(text, start, end)
        self.scan = TextScan(before + joint + text[end : end + _REACH].partition("\n")[0])
        self._inner = len(before), len(before) + len(joint)
        self._outer = start, end

    def crosses(self, start: int, end: int) -> bool:
        return start < self._inner[0] and end > self._inner[1]

    def is_whole_before(self, find: Find) -> bool:
        """Tell whether something is found that ends with the first line: what follows is none of it."""
        end = self._inner[0]
        return any(last >= end - 1 for _, last in find(TextScan(self.scan.text[:end])))

    def original(self, start: int, end: int) -> Interval:
        return self._outer[0] - self._inner[0] + start, self._outer[1] - self._inner[1] + end


def _has_digits(text: str, start: int, end: int) -> bool:
    """Tell whether a number may go on behind a break: enough digits stand beside it, and nothing but separators."""
    before = _CHAIN_BEFORE.search(text, max(0, start - 32, text.rfind("\n", 0, start) + 1), start)
    after = _CHAIN_AFTER.match(text, end)
    if before is None or after is None:
        return False
    return sum(map(str.isdigit, before[0])) + sum(map(str.isdigit, after[0])) >= _LEAST_DIGITS


def _joint(text: str, start: int, end: int) -> str:
    """Return what a break is read as: the separator of the groups beside it, nothing where one stands there."""
    if text[start - 1] in _SEPARATORS or text[end] in _SEPARATORS:
        return ""
    adjacent = _GROUP_AFTER.match(text, end) or _GROUP_BEFORE.search(text, max(0, start - _REACH), start)
    return adjacent[1] if adjacent else " "
