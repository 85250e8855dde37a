"""E-mail addresses, URLs, IP and MAC addresses."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from spark_deid.text.patterns.scan import Interval, TextScan, last_word

# E-mail addresses that write their marks as words, "ann [at] example (dot) com", or in brackets.


_AT = re.compile(r"[(\[{<] ?(?:at|@|ät|arroba|arobase) ?[)\]}>] ?", re.IGNORECASE)
_OPEN_BRACKETS = "([{<"
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
    """Find addresses around each "at" in brackets, whose dots may be words in brackets, or "dot" only, as well."""
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
        if any(bracket in text[at : at + _MOST] for bracket in _OPEN_BRACKETS):
            local = _LAST_PIECE.match(text[max(0, at - _MOST) : at][::-1])
            end = _domain_end(text, at + 1)
            if local and end:
                yield at - local.end(), end
        at = text.find("@", at + 1)


def _ats(text: str) -> Iterator[re.Match[str]]:
    for bracket in _OPEN_BRACKETS:
        place = text.find(bracket)
        while place >= 0:
            if match := _AT.match(text, place):
                yield match
            place = text.find(bracket, place + 1)


def _domain_end(text: str, start: int) -> int:
    """Return where the domain ends, 0 if it is missing; labels that can't be a top level are omitted."""
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


_MAX_LOCAL_PART = 64
_MAX_HOST = 253
_MAX_SCHEME = 16
_MAX_IPV6 = 45

# Combining accents are not word characters, and letters that are written with them are two characters.
_LOCAL_PART = re.compile(r"[\w\u0300-\u036f.%+'&-]++")
_MAIL_DOMAIN = re.compile(r"[\w\u0300-\u036f-]{1,63}+(?>(?:\.[\w\u0300-\u036f-]{1,63}+){1,20})")

_SCHEME = re.compile(r"[A-Za-z0-9+.-]*+")
_ADDRESS = re.compile(r"[^\s<>\"\u201c\u201d\u00ab\u00bb|]++")
_WWW = re.compile(r"(?<![\w.-])[Ww]{3}[0-9]?\.(?=\w)")
_WWW_FORMS = ("www", "WWW", "Www")
_BARE_DOMAIN = re.compile(
    r"\.(?:(?:com|org|net|edu|gov|mil|info|co|ac)\.[a-z]{2}|com|org|net|edu|gov|mil|info)(?![\w@-]|\.\w)",
    re.IGNORECASE,
)
_HOST = re.compile(r"[\w.-]++")
_PATH = re.compile(r"(?::[0-9]{1,5})?[/?#][^\s<>\"\u201c\u201d\u00ab\u00bb|]*+")
_CLOSING = ".,;:!?'*_)]}\u2019\u2026"
_BRACKETS = {")": "(", "]": "[", "}": "{"}

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"(?<![\w.]){_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET}(?![\w]|\.[0-9])")
_IPV6_MARK = re.compile(r":[0-9A-Fa-f]{0,4}:")
_IPV6_HEAD = re.compile(r"[0-9A-Fa-f:]++")
_IPV6_TAIL = re.compile(r"[0-9A-Fa-f:]{2,45}+(?>(?:[0-9]{0,3}(?:\.[0-9]{1,3}){3})?)")
# One mark each: expressions that begin with a character are searched many times faster than those with a class.
_MAC_WITH_COLONS = re.compile(r":[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}:")
_MAC_WITH_HYPHENS = re.compile(r"-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-")
_DOTTED_MAC_MARK = re.compile(r"\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\w)")
_MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2})(?![\w:-])"
    r"|(?<![\w:.-])(?=[0-9A-Fa-f.]{0,13}[A-Fa-f])(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}(?![\w:-]|\.\w)"
)


def find_emails(scan: TextScan) -> Iterator[Interval]:
    """Find e-mail addresses around each ``@``: a local part, and a domain of two or more labels; so ``[at]``."""
    text = scan.text
    at = text.find("@")
    while at >= 0:
        start = _skip(text, last_word(text, at, _MAX_LOCAL_PART, _LOCAL_PART), at, ".'&-")
        if start < at and (end := _mail_domain_end(text, at + 1)):
            yield start, end
        at = text.find("@", at + 1)
    yield from find_emails_in_words(scan)


def find_urls(scan: TextScan) -> Iterator[Interval]:
    """Find addresses with a scheme, hosts that begin with ``www.``, and hosts under the commonest top levels."""
    yield from _schemed_urls(scan.text)
    yield from _www_urls(scan.text)
    yield from _bare_urls(scan.text)


def find_ip_addresses(scan: TextScan) -> Iterator[Interval]:
    """Find IPv4 addresses (four numbers up to 255, no fifth) and IPv6 addresses in any of their written forms."""
    text = scan.text
    for start, end in scan.clusters:
        if text.count(".", start, end) >= 3:
            yield from (match.span() for match in _IPV4.finditer(text, start, min(end + 2, len(text))))
    yield from _ipv6_addresses(text)


def find_mac_addresses(scan: TextScan) -> Iterator[Interval]:
    """Find hardware addresses: six pairs of hexadecimal digits, or three groups of four joined by dots."""
    text = scan.text
    if _MAC_WITH_COLONS.search(text) or _MAC_WITH_HYPHENS.search(text) or _DOTTED_MAC_MARK.search(text):
        yield from (match.span() for match in _MAC.finditer(text))


def _skip(text: str, start: int, end: int, characters: str) -> int:
    while start < end and text[start] in characters:
        start += 1
    return start


def _mail_domain_end(text: str, start: int) -> int:
    """Return where the domain ends, 0 if it is missing; labels that can't be a top level are omitted."""
    match = _MAIL_DOMAIN.match(text, start)
    if match is None:
        return 0
    labels = match[0].split(".")
    while len(labels) > 1:
        last = labels[-1].rstrip("-_")
        if _TOP_LEVEL.fullmatch(last):
            return start + len(".".join(labels[:-1])) + 1 + len(last)
        labels.pop()
    return 0


def _schemed_urls(text: str) -> Iterator[Interval]:
    position = text.find("://")
    while position >= 0:
        end = position + 3
        scheme = last_word(text, position, _MAX_SCHEME, _SCHEME)
        start = next((i for i in range(scheme, position) if text[i].isalpha()), position)
        if start < position and (match := _ADDRESS.match(text, end)):
            end = _trimmed(text, end, match.end())
            if end > position + 3:
                yield start, end
            end = match.end()
        position = text.find("://", end)


def _www_urls(text: str) -> Iterator[Interval]:
    covered = 0
    for place in sorted(place for form in _WWW_FORMS for place in _places(text, form)):
        match = _WWW.match(text, place) if place >= covered else None
        if match:
            address = _ADDRESS.match(text, match.end())
            covered = match.end() if address is None else address.end()
            yield match.start(), _trimmed(text, match.end(), covered)


def _places(text: str, mark: str) -> Iterator[int]:
    place = text.find(mark)
    while place >= 0:
        yield place
        place = text.find(mark, place + 1)


def _bare_urls(text: str) -> Iterator[Interval]:
    covered = 0
    for match in _BARE_DOMAIN.finditer(text):
        if match.start() < covered:
            continue
        start = _skip(text, last_word(text, match.start(), _MAX_HOST, _HOST), match.start(), ".-_")
        if start == match.start() or (start > 0 and text[start - 1] in "@/"):
            continue
        path = _PATH.match(text, match.end())
        covered = path.end() if path else match.end()
        yield start, _trimmed(text, match.end(), covered)


def _trimmed(text: str, start: int, end: int) -> int:
    """Omit closing marks of the sentence; a bracket that the address opened itself belongs to it."""
    surplus = {close: text.count(close, start, end) - text.count(_BRACKETS[close], start, end) for close in _BRACKETS}
    while end > start and (last := text[end - 1]) in _CLOSING:
        if last in surplus:
            if surplus[last] <= 0:
                break
            surplus[last] -= 1
        end -= 1
    return end


def _ipv6_addresses(text: str) -> Iterator[Interval]:
    position = 0
    while mark := _IPV6_MARK.search(text, position):
        start = max(position, last_word(text, mark.start(), _MAX_IPV6, _IPV6_HEAD))
        match = _IPV6_TAIL.match(text, start)
        if match is None:
            position = mark.end()
            continue
        position = max(match.end(), mark.end())
        end = match.end() - (text[match.end() - 1] == ":" and text[match.end() - 2] != ":")
        if _is_ipv6(text[start:end]) and not _touches_word(text, start, end):
            yield start, end


def _is_ipv6(candidate: str) -> bool:
    if "::" not in candidate and candidate.count(":") < 6:
        return False
    if not any(c.isalnum() for c in candidate):
        return False
    try:
        IPv6Address(candidate)
    except AddressValueError:
        return False
    return True


def _touches_word(text: str, start: int, end: int) -> bool:
    before = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_:.")
    after = end < len(text) and (text[end].isalnum() or text[end] == "_")
    return before or after
