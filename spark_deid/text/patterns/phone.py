"""Telephone numbers: international, North American, and the national forms of several European countries."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import is_introduced, read_lines
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.spoken import find_spoken_phones

_INTERNATIONAL = r"(?:\+|(?<![0-9])00)[1-9](?:[ ./-]?(?:\(0?\) ?)?\(?[0-9]\)?){7,14}"
_NORTH_AMERICAN = (
    r"(?:1[ .-])?(?:\([2-9][0-9]{2}\)[ .-]?|[2-9][0-9]{2}[ ./-])[0-9]{3}[ ./-][0-9]{4}"
    r"|(?<![0-9A-Za-z]-)(?<![(\[])(?<!: )[2-9][0-9]{2}-[0-9]{4}"
)
_SPANISH = (
    r"[6-9][0-9]{2}([ .-])[0-9]{3}\1[0-9]{3}"
    r"|[6-9][0-9]{2}([ .-])[0-9]{2}\2[0-9]{2}\2[0-9]{2}"
    r"|[89][0-9]([ .-])[0-9]{3}\3[0-9]{2}\3[0-9]{2}"
    r"|[89][0-9] [0-9]{7}|[6-9][0-9]{2}[ .-][0-9]{6}|[6-9][0-9]{8}"
)
_TRUNK = (
    r"0[1-9](?:[ .-]?[0-9]{2}){4}"
    r"|0[2-9][ -][0-9]{3,4}[ -]?[0-9]{2,4}(?:[ -][0-9]{2,4})?|06[ -]?[0-9]{8}|3[2-9][0-9][ ./-][0-9]{6,7}"
    r"|\([1-9][1-9]\) ?(?:9[ .]?)?[0-9]{4}-[0-9]{4}"
    r"|\(0[1-9][0-9]{1,4}\) ?[0-9]{3,8}(?:[ -][0-9]{2,6}){0,3}"
    r"|0[1-9][0-9]{1,4}[ /-]{1,3}[0-9]{3,8}(?:[ -][0-9]{2,6}){0,3}"
)
_MARKED = r"(?:[Xx]|[Ee][Xx][Tt](?:[Nn]|[Ee][Nn][Ss][Ii][Oo][Nn])?)\.? ?[0-9]{1,6}(?!\w)"
_END = rf"(?:(?!\w)|(?={_MARKED}))"
_PHONE = re.compile(
    rf"(?<!\w)(?<![0-9][.,])(?:{_INTERNATIONAL}|{_NORTH_AMERICAN}|{_SPANISH}|{_TRUNK}){_END}(?![.,-][0-9])"
)
_EXTENSION = re.compile(rf",? ?(?:{_MARKED}|# ?[0-9]{{1,6}}(?!\w))")
_WIDEST_EXTENSION = 20

_PHONE_WORDS = frozenset(read_lines("phone_words.txt"))
_INTRODUCED = re.compile(rf"\+?\(?[0-9](?>(?:\)?[ ./-]{{0,3}}\(?[0-9]){{5,14}}){_END}")
_EXTENSION_WORD = re.compile(
    r"(?<!\w)(?:ext|extn|extension|pager|beeper|bleep|pgr|pg|anexo|durchwahl|poste|interno|toestel|lokal|anknytning)"
    r"(?:(?: no\.?| number| is|\.|:|,)? ?#?|\.? ?[:#] ?#?)$",
    re.IGNORECASE,
)
_WORDS_END = frozenset(
    (
        *(
            "is",
            "no",
            "er",
            "xt",
            "XT",
            "tn",
            "TN",
            "on",
            "ON",
            "ER",
            "ep",
            "EP",
            "gr",
            "GR",
            "pg",
            "PG",
            "xo",
            "hl",
            "te",
        ),
        *("el", "al", "ng"),
    )
)
"""The last two letters of all of them, and of what may be behind them, before a space."""
_MARKS_END = frozenset(".:#,")
_X = re.compile(r"(?<![\w.])[xX]$|(?<=\()[xX]$")
_P = re.compile(r"(?<![A-Za-z])(?:M\.?D\.?|D\.O\.|RN|NP|PA|PA-C|LCSW|MSW|PharmD|MBBS|FRCS),? [pP]$")
_INNER = re.compile(r"(?:[0-9]-[0-9]{4}|[0-9]{2}-[0-9]{3,4}|[0-9]{3}-[0-9]{3,4}|[0-9]{3,6})(?!\w|[.,/:-][0-9])")
_AMOUNT = re.compile(
    r" ?(?:deg|degrees|°|%|mg|mcg|ml|mL|mm|cm|units?|days?|weeks?|hours?|hrs?|min|times|steps|patients|px)(?!\w)"
)
_BEFORE_EXTENSION = frozenset("xXpP:#.,")
_LEAST_OF_EXTENSION, _MOST_OF_EXTENSION, _LOOK_BACK = 3, 6, 18
_MIN_LENGTH = 7
_MIN_TRUNK_DIGITS = 9
_MAX_DIGITS = 15
_OPENINGS = "+("


def find_phones(scan: TextScan) -> Iterator[Interval]:
    """Find telephone numbers by their national grouping, and any number after words such as ``Tel.`` or ``fax``.

    Extensions (``x123``, ``ext. 4``) belong to the number. Letters for digits (``6l7-555-O143``) are read as such. By
    themselves extensions and pagers are found where a word states it (``ext. 4412``, ``pager 31234``, ``x4412``), or a
    letter behind a profession (``RN p4471``). Numbers told digit by digit are found from seven digits on.
    """
    found = [*_phones(scan), *scan.find_lettered(_phones)]
    yield from found
    ends = {end for _, end in found}
    yield from (place for place in _extensions(scan) if place[1] not in ends)
    yield from find_spoken_phones(scan)


def _phones(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    for cluster_start, end in scan.clusters:
        start = _with_openings(text, cluster_start)
        is_named = is_introduced(text, start, _PHONE_WORDS)
        if is_named and (match := _INTRODUCED.match(text, start)):
            yield start, _with_extension(text, match.end())
            start = match.end()
        if end - start >= _MIN_LENGTH:
            yield from _grouped(text, start, end)


def _grouped(text: str, start: int, end: int) -> Iterator[Interval]:
    for match in _PHONE.finditer(text, start, min(end + _WIDEST_EXTENSION, len(text))):
        if match.start() < end and _is_likely(match[0]):
            yield match.start(), _with_extension(text, match.end())


def _extensions(scan: TextScan) -> Iterator[Interval]:
    """Yield extensions and pagers separately: three to six digits after a word or, four of them, after an x."""
    text = scan.text
    for start, end in scan.runs:
        size, before = end - start, text[start - 1 : start]
        if size > _MOST_OF_EXTENSION or (size < _LEAST_OF_EXTENSION and text[end : end + 1] != "-"):
            continue
        if before == " ":
            may_follow = text[start - 3 : start - 1] in _WORDS_END or text[start - 2 : start - 1] in _MARKS_END
        else:
            may_follow = before in _BEFORE_EXTENSION
        if may_follow:
            match = _INNER.match(text, start)
            if match is None or _AMOUNT.match(text, match.end()):
                continue
            word = _EXTENSION_WORD.search(text, max(0, start - _LOOK_BACK), start)
            if word or (len(match[0]) > 3 and _is_marked(text, start)):
                yield match.span()


def _is_marked(text: str, start: int) -> bool:
    """Return whether an x is before a number, or a p behind who has a pager."""
    before = text[start - 1 : start]
    if before in "xX":
        return _X.search(text, max(0, start - 3), start) is not None
    return before in "pP" and _P.search(text, max(0, start - 10), start) is not None


def _with_openings(text: str, start: int) -> int:
    while start > 0 and text[start - 1] in _OPENINGS:
        start -= 1
    return start


def _with_extension(text: str, end: int) -> int:
    match = _EXTENSION.match(text, end)
    return match.end() if match else end


def _is_likely(number: str) -> bool:
    digits = sum(c.isdigit() for c in number)
    min_digits = _MIN_TRUNK_DIGITS if number.lstrip("(").startswith("0") else 7
    return min_digits <= digits <= _MAX_DIGITS
