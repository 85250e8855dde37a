"""What a mode lets a text show, as expressions over what is written: apart from the rules that write it."""

import re
from collections.abc import Collection

_ALLOWED = {
    "full": {
        "age": r"\d|[1-8]\d|90\+",
        "postcode": r"\d{3}\*\*",
        "date": r"\d{4}",
        "state": r"[A-Z]{2}|[\w ]+",
        "gender": r"male|female|nonbinary",
    },
    "partial": {
        "age": r"\d{1,3}",
        "postcode": r"[0-9A-Z ]{5,8}",
        "date": r"\d{4}(-\d\d){0,2}|-(-\d\d){1,2}",
        "state": r"[A-Z]{2}|[\w ]+",
        "city": r"[\w ]+",
        "gender": r"male|female|nonbinary",
    },
}


_WORDS = ("city", "state", "term")
_ABBREVIATED = re.compile(r"[A-Z]{2}")


def is_allowed(mode: str, attribute: str, kind: str, published: str, sparse: Collection[str], last_year: int) -> bool:
    """Tell whether a mode lets a text show a value.

    >>> is_allowed("full", "age", "age", "89", (), 2030), is_allowed("full", "age", "age", "91", (), 2030)
    (True, False)
    """
    patterns = _ALLOWED[mode]
    pattern = patterns.get(attribute) or patterns.get(kind)
    if pattern is None or not re.fullmatch(pattern, published):
        return False
    if kind in _WORDS and not _ABBREVIATED.fullmatch(published) and any(map(str.isupper, published)):
        return False  # as it was written, and not as a value is
    if mode == "full" and kind == "postcode":
        return published[:3] not in sparse
    return not (mode == "full" and kind == "date" and last_year - int(published) >= 90)
