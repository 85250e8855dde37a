"""Words of a name that are also common words of the language, and the places where such a word is surely the name."""

from functools import cache

from spark_deid.core.words import ends_with_title

COPIED = "a common word only after a title"
"""The rule in words. A training report has it: counts of a training with another rule do not describe releases."""
USUAL = 2
"""The value of the gazetteer's fact ``COMMON`` for a word that is usual in lower case."""
_LISTED = """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues
    wed thu thur thurs fri sat sun
"""
_DATES = frozenset(_LISTED.split())
"""Months and days, which English writes with an uppercase letter."""


@cache
def is_common_word(word: str) -> bool:
    """Return whether general text (``text.gazetteer``) usually has a word in lower case, or a calendar has it.

    The list is English. That a word is also a given name or a surname makes no difference.

    >>> [is_common_word(word) for word in ("White", "May", "April", "Robert", "Quibblewick")]
    [True, True, True, False, False]
    """
    from spark_deid.text.gazetteer import COMMON, facts_of  # compiled, so imported where it is needed

    return word.lower() in _DATES or facts_of(word) >> COMMON & 3 == USUAL


@cache
def is_known_name(word: str) -> bool:
    """Return whether the gazetteer lists a word as a given name or a surname.

    >>> is_known_name("Robert"), is_known_name("Quibblewick")
    (True, False)
    """
    from spark_deid.text.gazetteer import GIVEN, SURNAME, facts_of

    facts = facts_of(word)
    return bool(facts >> GIVEN & 3 or facts >> SURNAME & 1)


def is_surely_name(word: str, text: str, start: int) -> bool:
    """Return whether a single word of a name is the name at a place: it is not a common word, or it follows a title.

    >>> text = "Dr. White counts. White count is 12."
    >>> is_surely_name("White", text, 4), is_surely_name("White", text, 18), is_surely_name("Robert", text, 18)
    (True, False, True)
    """
    return not is_common_word(word) or ends_with_title(text, start)
