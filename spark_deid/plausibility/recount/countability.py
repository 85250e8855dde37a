"""Whether English counts a word, and whether the text before a term shows it: decided by rules of the recount."""

from spark_deid.ontology.countable import LONGER, SINGLE, countable_nouns
from spark_deid.ontology.word_forms import word_forms
from spark_deid.plausibility.recount.contexts import is_small

_HEADS = frozenset(["of", "in", "to", "for", "with", "from", "on", "at", "by", "and", "or", "under", "de"])
_ONE = frozenset(["a", "an", "another", "each", "every", "one", "either", "neither"])
_MOST = 3


def is_countable(word: str) -> bool:
    """Return whether English uses a word in the plural and after "a" or "an".

    >>> is_countable("ulcer of the skin"), is_countable("yellow fever"), is_countable("Hansen's disease")
    (True, False, False)
    """
    if any(each.isupper() or each == "'" for each in word):
        return False
    tokens = word.split(" ")
    last = next((at for at in range(1, len(tokens) - 1) if tokens[at] in _HEADS), len(tokens)) - 1
    letter = countable_nouns().get(tokens[last].rpartition("-")[2])
    return letter == LONGER or (letter == SINGLE and word == tokens[last] and "-" not in word)


def has_article(text: str, start: int) -> bool:
    """Return whether "a", "an" or a word like it comes before a place, with only adjectives between.

    >>> has_article("has a severe ", 13), has_article("has a son, ", 11)
    (True, False)
    """
    near = text[:start]
    if near[-1:] not in " \t\n":
        return False
    for word in reversed(near.replace("\n", " ").split(" ")[-_MOST - 2 :]):
        plain = word.strip("\"'\u201c\u2018(*_").lower()
        if plain in _ONE:
            return True
        if word and (is_small(plain) or "a" not in word_forms().get(plain, "")):
            return False
    return False
