"""What a mode lets a text show, as expressions over what is written: apart from the rules that write it."""

import re
from collections.abc import Collection
from functools import lru_cache
from string import capwords

from spark_deid.ontology.ontology import ontology_at

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
        "city": r"[^\n\[\]{}]+",
        "gender": r"male|female|nonbinary",
    },
}


_WORDS = ("state", "term")
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
    if kind == "city":
        return _is_town(published)
    if kind in _WORDS and not _ABBREVIATED.fullmatch(published) and any(map(str.isupper, published)):
        return False  # as it was written, and not as a value is
    if mode == "full" and kind == "postcode":
        return published[:3] not in sparse
    return not (mode == "full" and kind == "date" and last_year - int(published) >= 90)


@lru_cache(maxsize=100_000)
def _is_town(published: str) -> bool:
    """Tell whether a town stands in the one form that texts show: the list's of places, else a capital a word.

    Small letters alone are those of a value.
    """
    if re.fullmatch(r"[\w ]+", published) and published in (capwords(published), published.lower()):
        return True
    places = ontology_at("places")
    lemma = places.lemma(published)
    return lemma is not None and any(places.name_of(int(each)) == published for each in places.senses_of(lemma))
