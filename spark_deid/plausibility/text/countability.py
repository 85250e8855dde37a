"""Whether English counts a term, and whether a mention shows it: by a plural, or by "a", "an" and the like."""

import re

from spark_deid.ontology.countable import LONGER, countable_nouns
from spark_deid.ontology.word_forms import ADJECTIVE, ADVERB, word_forms
from spark_deid.plausibility.text.function_words import FUNCTION_WORDS

_ONE = frozenset(("a", "an", "another", "each", "every", "one", "either", "neither"))
_MOST_BETWEEN = 3
_REACH = 80
_HEAD_ENDS = re.compile(r" (?:of|in|to|for|with|from|on|at|by|and|or|-in-|under|de) ")
_PARTS = re.compile(r"[ -]")
_LAST_WORD = re.compile(r"([^\W_]+(?:[-'’][^\W_]+)*)(,?)(?:[^\S\n]+\n?|\n)[^\S\n]*[\"'“‘«(\[*_]*\Z")


def is_counted(term: str) -> bool:
    """Return whether English uses a term in the plural and with an indefinite article.

    The head decides. Names ("Crohn's disease") are not counted.

    >>> [is_counted(term) for term in ("gastric ulcer", "cold", "common cold", "asthma", "Crohn's disease")]
    [True, True, False, False, False]
    """
    if term != term.lower() or "'" in term:
        return False
    head = _HEAD_ENDS.split(term, maxsplit=1)[0]
    before, last = _PARTS.split(head)[:-1], _PARTS.split(head)[-1]
    letter = countable_nouns().get(last, "")
    return letter == LONGER or bool(letter and not before and head == term)


def shows_one(text: str, start: int) -> bool:
    """Return whether a word before a term shows that the term is counted, next to it or before its adjectives.

    Verbs, function words and hidden terms (NUL) end the search.

    >>> [shows_one(text, len(text)) for text in ("caught a ", "had a severe, painful ", "a case of ", "a doctor saw ")]
    [True, True, False, False]
    """
    end = start
    for _ in range(_MOST_BETWEEN + 1):
        found = _LAST_WORD.search(text, max(0, start - _REACH), end)
        if found is None:
            return False
        word, comma = found[1].lower(), found[2]
        if word in _ONE:
            return not comma
        kinds = word_forms().get(word, "")
        is_adjective = ADJECTIVE in kinds or ADVERB in kinds
        if word in FUNCTION_WORDS or (kinds and not is_adjective) or (comma and not is_adjective):
            return False
        end = found.start()
    return False
