"""Whether a term is meant as one or as several, so that what stands for it agrees."""

import re

from spark_deid.ontology.word_forms import PLURAL, word_forms

_ONE = frozenset(("a", "an", "this", "that", "each", "every", "another", "one", "was", "is", "has"))
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SEVERAL = frozenset(("these", "those", "many", "several", "few", "both", "were", "are", "have", *_NUMBERS))
_VERBS = frozenset(("was", "is", "has", "were", "are", "have"))
_BEFORE = re.compile(r"([^\W\d_]+)[^\S\n]*\n?[^\S\n]*\Z")
_AFTER = re.compile(r"[^\S\n]*\n?[^\S\n]*([^\W\d_]+)")
_NEAR = 16


def is_several(text: str, start: int, end: int, *, inflected: bool) -> bool:
    """Tell whether the term at ``text[start:end]`` is meant as several; ``inflected`` ones are.

    Of one that looks the same either way the words beside it tell; where they do not, one that is written as the plural
    of a noun is several.

    >>> is_several("The measles were over", 4, 11, inflected=False), is_several("saw oxen", 4, 8, inflected=False)
    (True, True)
    """
    if inflected:
        return True
    word = text[start:end].lower()
    written_so = PLURAL in word_forms().get(word, "")
    if not written_so and (not word.endswith("s") or word.endswith(("ss", "us", "is"))):
        return False
    before, after = _BEFORE.search(text, max(0, start - _NEAR), start), _AFTER.match(text, end, end + _NEAR)
    stated = {found[1].lower() for found in (before,) if found} - _VERBS
    stated |= {found[1].lower() for found in (after,) if found} & _VERBS
    if stated & _SEVERAL:
        return True
    return written_so and not stated & _ONE
