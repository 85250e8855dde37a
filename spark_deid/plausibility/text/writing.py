"""Write what a term becomes, in its number and case."""

import re

from spark_deid.ontology.word_forms import ADJECTIVE, ADVERB, LONGER, PLURAL, countable_nouns, word_forms
from spark_deid.plausibility.text.mentions import TermMention
from spark_deid.plausibility.text.senses import GeneralizationStep, WordSenses
from spark_deid.plausibility.text.uses import FUNCTION_WORDS
from spark_deid.values.wording import in_case_of

OUTSIDE, NO_PLURAL, UNDECIDED = "outside-ontology", "no-plural", "maybe-no-noun"
FEW_COUNTED = "few-counted"


def write_term(text: str, mention: TermMention, step: GeneralizationStep, senses: WordSenses) -> str | None:
    """Return what is written for a term, in its number and case; None where no plural can be written for several."""
    if senses.ontology.spelling is not None:
        return senses.ontology.replacement(text[mention.start : mention.end], step.node)
    name: str | None = step.name
    if is_several(text, mention.start, mention.end, inflected=mention.inflected):
        name = senses.plural(step.node)
    return None if name is None else written_name(text, mention, name, senses)


def written_name(text: str, mention: TermMention, name: str, senses: WordSenses) -> str:
    """Return a name, in the number that it is to have, in the case of a term."""
    if text[mention.start : mention.end].islower():
        return name
    return in_case_of(text, mention.start, mention.end, senses.word(mention.lemma), name)


# Whether a term is meant as one or as several, so that what stands for it agrees.


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


# Whether English counts a term, and whether a mention shows it: by a plural, or by "a", "an" and the like.


_SINGULAR = frozenset(("a", "an", "another", "each", "every", "one", "either", "neither"))
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
        if word in _SINGULAR:
            return not comma
        kinds = word_forms().get(word, "")
        is_adjective = ADJECTIVE in kinds or ADVERB in kinds
        if word in FUNCTION_WORDS or (kinds and not is_adjective) or (comma and not is_adjective):
            return False
        end = found.start()
    return False
