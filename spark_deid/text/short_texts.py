"""Cells and answers of one to three words: too short for a model, so lists of words decide.

Such a text remains only if each of its words is a common word, an abbreviation, a unit or a short code. The lists are
English.
"""

import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from spark_deid.core.words import ends_with_title
from spark_deid.text.gazetteer import COMMON, GIVEN, LEMMA, SHARE, SURNAME, facts_of

MOST_WORDS = 3
_LONGEST = 80
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W\d_]+)*")
_LONGEST_ABBREVIATION, _LONGEST_CODE = 5, 4


@lru_cache(maxsize=16)
def listed_words(kind: str) -> frozenset[str]:
    """Return the words of a list, in lowercase."""
    written = (resources.files("spark_deid.text") / "data" / "ordinary" / "words.txt").read_text("utf-8")
    return frozenset(written.partition(f"[{kind}]\n")[2].partition("\n[")[0].split())


def is_plain(word: str) -> bool:
    """Return whether a word is a common word in lowercase that no list has as a name."""
    facts = _facts(word)
    return facts.common == _FREQUENT and not facts.is_name


def is_ordinary(word: str) -> bool:
    """Return whether a word is a common word, an abbreviation, a unit or a short code, and not more usual as a name."""
    return not _has_to_be_hidden(word)


class ShortWord(NamedTuple):
    """A word of a short text and whether it has to be hidden."""

    start: int
    end: int
    is_hidden: bool


@lru_cache(maxsize=4096)
def judge_short_text(text: str) -> tuple[ShortWord, ...] | None:
    """Return the words of a text of one to three words, each with whether it is hidden; None for other texts.

    Tokens with more than four characters of which one is a digit are decided by other rules.

    >>> [word.is_hidden for word in judge_short_text("Mark Brown") or ()]
    [True, True]
    >>> [word.is_hidden for word in judge_short_text("hip fracture") or ()]
    [False, False]
    """
    tokens = [] if len(text) > _LONGEST else list(_TOKEN.finditer(text))
    if not 1 <= len(tokens) <= MOST_WORDS:
        return None
    words: list[ShortWord] = []
    for token in tokens:
        if _is_code(token[0]):
            continue
        for word in _WORD.finditer(text, *token.span()):
            words.append(ShortWord(*word.span(), _has_to_be_hidden(word[0]) or ends_with_title(text, word.start())))
    return _with_names(text, words)


def _is_code(token: str) -> bool:
    """Return whether a token is a number or a code, but not a unit such as kg/m2."""
    if "@" not in token and len(token) <= _LONGEST_CODE:
        return False
    words = _WORD.findall(token)
    is_unit = bool(words) and all(len(word) == 1 or word.lower() in listed_words("abbreviations") for word in words)
    return any(map(str.isdigit, token)) and not (is_unit and sum(map(str.isdigit, token)) == 1)


def _with_names(text: str, words: list[ShortWord]) -> tuple[ShortWord, ...]:
    """Hide also the two words of a full name, words after a title, and names and letters next to a hidden word."""
    facts = [_facts(text[word.start : word.end]) for word in words]
    for number in range(1, len(words)):
        before, word = words[number - 1 : number + 1]
        both = _are_uppercase(text, before, word) and facts[number - 1].given and facts[number].surname
        if both or (
            text[before.start : before.end].lower() in listed_words("titles of short texts")
            and text[word.start].isupper()
        ):
            words[number] = word._replace(is_hidden=True)
            words[number - 1] = before._replace(is_hidden=before.is_hidden or bool(both))
    if len(words) > 1 and all(each.is_name for each in facts) and not all(each.common == _FREQUENT for each in facts):
        return tuple(word._replace(is_hidden=True) for word in words)
    if not any(word.is_hidden for word in words):
        return tuple(words)
    return tuple(
        word._replace(
            is_hidden=word.is_hidden or word.end - word.start == 1 or (each.is_name and each.common < _FREQUENT)
        )
        for word, each in zip(words, facts, strict=True)
    )


def _are_uppercase(text: str, *words: ShortWord) -> bool:
    return all(text[word.start].isupper() for word in words)


class _WordFacts(NamedTuple):
    """The facts of the gazetteer about a word that decide."""

    common: int
    given: int
    surname: int
    share: int
    is_lemma: bool

    @property
    def is_name(self) -> bool:
        return bool(self.given or self.surname)


def _facts(word: str) -> _WordFacts:
    found = facts_of(word)
    counts = (found >> COMMON & 3, found >> GIVEN & 3, found >> SURNAME & 1, found >> SHARE & 7)
    return _WordFacts(*counts, bool(found >> LEMMA & 1))


def _has_to_be_hidden(word: str) -> bool:
    lower = word.lower()
    if len(word) == 1 or lower in listed_words("abbreviations") or lower in listed_words("titles of short texts"):
        return False
    facts = _facts(lower)
    if not facts.is_name and (_DRUG.fullmatch(lower) or _is_derived(lower)):
        return False
    if word.isupper() and len(word) <= _LONGEST_ABBREVIATION and not facts.is_name:
        return False
    if not facts.common:
        return True
    if word[0].islower():
        return facts.common < _FREQUENT and facts.given == _FREQUENT and not facts.is_lemma
    is_usual_name = facts.given == _FREQUENT or (facts.surname and facts.common < _FREQUENT)
    return bool(is_usual_name) or facts.share >= _MOSTLY_UPPERCASE


def _is_derived(word: str) -> bool:
    """Return whether a word is a common word with an ending, such as contactless."""
    base = _ENDING.sub("", word)
    return base != word and any(_facts(form).common == _FREQUENT for form in (base, f"{base}e"))


_FREQUENT = 2
"""The value of the gazetteer for a common word in lowercase, and for a common given name."""
_MOSTLY_UPPERCASE = 4
"""The value of the gazetteer for a word of which three quarters of the occurrences begin with an uppercase letter."""
_ENDING = re.compile("(?:less|ness|ly|ing|ed|e?rs?|able|ful|ments?|ations?|e?s)$")
_DRUG = re.compile(
    r"cef\w+|\w{2,}(?:cillin|mycin|micin|floxacin|azole|pril|sartan|statin|olol|dipine|triptan|umab|ximab|tinib|ciclovir"
    r"|parin|gliptin|gliflozin|tidine|semide|thiazide|lukast|cycline|profen|caine|barbital|zepam|zolam|oxetine|traline"
    r"|pramine|triptyline|apine|peridol|setron|phylline|terol|sone|solone|nazole|quine|formin|glitazone|dronate)"
)
