"""Names of accounts: "@ann_lee" and what is after words such as "username"."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_HANDLE = re.compile(r"@[A-Za-z_][A-Za-z0-9_]{1,29}(?:\.[A-Za-z0-9_]{1,29}){0,3}(?![\w@(]|\.\w)")
_BEFORE = re.compile(r"[\w.+/@%&=-]$")
_NO_HANDLES = frozenset(
    (
        *(
            "home",
            "work",
            "night",
            "noon",
            "bedtime",
            "rest",
            "hs",
            "least",
            "once",
            "lunch",
            "dinner",
            "school",
            "the",
        ),
        *("param", "return", "returns", "override", "property", "media", "import", "charset", "todo", "see", "since"),
        *(
            "each",
            "time",
            "this",
            "that",
            "an",
            "around",
            "about",
            "approx",
            "baseline",
            "bedside",
            "discharge",
            "admission",
        ),
    )
)
_CUES = ("username", "user id", "login", "skype")
"""One of them is part of the words before a name of an account."""
_ACCOUNT = re.compile(
    r"(?:username|user id|login|(skype)(?: id)?)(?: is)? ?[:=] ?@?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{1,29}[A-Za-z0-9_](?![\w@/]|\.\w)")
_NO_WORD = re.compile(r"[A-Za-z]*[0-9_.]")
_NOTHING = frozenset(
    (
        *("none", "n/a", "unknown", "required", "password", "yes", "no", "same", "see", "not", "failed", "disabled"),
        *("null", "true", "false", "pending", "the", "you", "your", "please"),
    )
)
_THREAD = re.compile(r"/u/[A-Za-z0-9_-]{3,20}(?![\w/])")
_LEAST = 3


def find_handles(scan: TextScan) -> Iterator[Interval]:
    """Find "@ann_lee", "/u/ann_lee" and what "username:", "Skype:" and the like show.

    No handle is what follows a word or a number ("ann@example"), a dose or a time ("@50mg", "@10am"), and words such as
    "@home".
    """
    yield from _marked(scan.text)
    yield from _named(scan)
    place = scan.text.find("/u/")
    while place >= 0:
        match = _THREAD.match(scan.text, place)
        if match and not scan.text[place - 1 : place].strip():
            yield match.span()
        place = scan.text.find("/u/", place + 3)


def _marked(text: str) -> Iterator[Interval]:
    at = text.find("@")
    while at >= 0:
        match = _HANDLE.match(text, at)
        if match and match.end() - at > _LEAST and not (_is_joined(text, at) or match[0][1:].lower() in _NO_HANDLES):
            yield match.span()
        at = text.find("@", at + 1)


def _is_joined(text: str, at: int) -> bool:
    """Return whether what is before an @ belongs to it, as in an address."""
    return at > 0 and _BEFORE.match(text[at - 1]) is not None


def _named(scan: TextScan) -> Iterator[Interval]:
    text = scan.text
    if len(scan.lowered) != len(text):
        return
    covered = 0
    for place in scan.places_of(_CUES):
        account = _ACCOUNT.match(text, place) if place >= covered and not text[place - 1 : place].isalnum() else None
        name = _NAME.match(text, account.end()) if account else None
        if account is None or name is None or name[0].lower() in _NOTHING:
            continue
        if not account[1] or account[0].endswith("@") or _NO_WORD.match(name[0]):
            covered = name.end()
            yield account.end() - (text[account.end() - 1] == "@"), covered
