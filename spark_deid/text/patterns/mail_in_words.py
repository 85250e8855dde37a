"""E-mail addresses that write their marks as words in brackets: "ann [at] example (dot) com"."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_AT = re.compile(r"[(\[{] ?(?:at|@|ät|arroba|arobase) ?[)\]}] ?", re.IGNORECASE)
_BRACKETS = "([{"
_LABEL = r"[\w\u0300-\u036f-]{1,63}+"
_DOT = r"(?:\.| ?[(\[{] ?(?:dot|\.|punto|punkt|point) ?[)\]}] ?| dot )"
_DOMAIN = re.compile(rf"{_LABEL}(?>(?:{_DOT}{_LABEL}){{1,8}})", re.IGNORECASE)
_DOTS = re.compile(_DOT, re.IGNORECASE)
_TOP_LEVEL = re.compile(r"[^\W\d_]{2,24}|xn--[\w-]{2,59}", re.IGNORECASE)
_PIECE = r"[\w\u0300-\u036f.%+'&-]{1,64}+"
_LOCAL_BACKWARD = re.compile(
    rf" ?{_PIECE}(?>(?: ?[)\]}}] ?(?:tod|\.|otnup|tknup|tniop) ?[(\[{{] ?{_PIECE}){{0,4}})", re.IGNORECASE
)
_MOST = 96


def find_emails_in_words(scan: TextScan) -> Iterator[Interval]:
    """Find addresses around each "at" in brackets, whose dots may be words in brackets, or "dot" alone, as well."""
    text = scan.text
    for at in _ats(text):
        local = _LOCAL_BACKWARD.match(text[max(0, at.start() - _MOST) : at.start()][::-1])
        end = _domain_end(text, at.end()) if local else 0
        if local and end:
            start = at.start() - local.end()
            while text[start] in " .'&-":
                start += 1
            if start < at.start():
                yield start, end


def _ats(text: str) -> Iterator[re.Match[str]]:
    for bracket in _BRACKETS:
        place = text.find(bracket)
        while place >= 0:
            if match := _AT.match(text, place):
                yield match
            place = text.find(bracket, place + 1)


def _domain_end(text: str, start: int) -> int:
    """Return where the domain ends, 0 where there is none; labels that can't be a top level are left out."""
    match = _DOMAIN.match(text, start)
    if match is None:
        return 0
    dots = [dot.span() for dot in _DOTS.finditer(text, start, match.end())]
    end = match.end()
    for before, label in reversed(dots):
        top = text[label:end].rstrip("-_")
        if _TOP_LEVEL.fullmatch(top):
            return label + len(top)
        end = before
    return 0
