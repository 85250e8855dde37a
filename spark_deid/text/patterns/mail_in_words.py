"""E-mail addresses that write their marks as words, "ann [at] example (dot) com", or in brackets."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_AT = re.compile(r"[(\[{<] ?(?:at|@|ät|arroba|arobase) ?[)\]}>] ?", re.IGNORECASE)
_BRACKETS = "([{<"
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
_COMMON = "(?:com|org|net|edu|gov|mil|info)"
_DOTTED_LABEL = r"[\w-]{1,63}"
_SPOKEN_PIECE = r"[\w.+-]{1,64}"
_SPOKEN = re.compile(
    rf"(?<![\w.-]){_SPOKEN_PIECE}(?: dot {_SPOKEN_PIECE}){{0,3}} at "
    rf"{_DOTTED_LABEL}(?: dot {_DOTTED_LABEL}){{0,4}} dot {_COMMON}(?!\w)",
    re.IGNORECASE,
)
"""An address as it is spoken: "ann dot lee at example dot com"."""
_LAST_PIECE = re.compile(r"[\w.%+'&-]{1,64}")


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
    yield from _spoken(scan)
    yield from _with_dots_in_brackets(text)


def _spoken(scan: TextScan) -> Iterator[Interval]:
    if " dot " in scan.text or " DOT " in scan.text or " Dot " in scan.text:
        yield from (match.span() for match in _SPOKEN.finditer(scan.text))


def _with_dots_in_brackets(text: str) -> Iterator[Interval]:
    at = text.find("@")
    while at >= 0:
        if any(bracket in text[at : at + _MOST] for bracket in _BRACKETS):
            local = _LAST_PIECE.match(text[max(0, at - _MOST) : at][::-1])
            end = _domain_end(text, at + 1)
            if local and end:
                yield at - local.end(), end
        at = text.find("@", at + 1)


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
