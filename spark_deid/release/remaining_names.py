"""Words of removed names that remain in published texts of the same person.

This counts again what the detector ``names`` hides, and shares no code with it: published texts are cut into words that
begin with an uppercase letter, and each word is looked up among the words that were removed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from spark_deid.text.base_letters import same_letters
from spark_deid.text.gazetteer import COMMON, facts_of
from spark_deid.text.visible import visible

_LISTED = """
    mr mrs ms miss mx dr prof professor doctor sir madam lady lord rev hon messrs sr sra srta don dona dna
    dra doctora profesor profesora herr frau mme mlle md phd rn np do dds pa jr ii iii iv esq de la del las
    los van von der den di da dos du le el al st san bin ibn an
"""
_TITLES = frozenset(_LISTED.split())
"""Titles, degrees, suffixes, particles and articles in lowercase letters, which belong to no single person."""
_ASCII = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Za-z]+(?![A-Za-z0-9])")
_LATIN = re.compile(r"[A-ZÀ-ÖØ-Þ](?<![^\W_].)[^\W\d_]+(?![^\W_])")
"""A word that begins with an uppercase letter of Latin-1. An expression that begins with a set of letters is fast."""
_ANY = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ACRONYM = 3
"""Letters up to which a word in uppercase is not taken for a name that was removed in another case."""

RemovedWords = Mapping[str, tuple[str, bool]]
"""Words that were removed from the texts of a person, by their letters without case and accents: the label of the name,
and whether the word was all in uppercase."""


class RemainingNames(NamedTuple):
    """Places of words of removed names: all, and those of common words; ``documents`` have one of the other places."""

    words: int = 0
    common_words: int = 0
    documents: int = 0


def removed_words(edits: Iterable[tuple[str, str]]) -> dict[str, tuple[str, bool]]:
    """Return the words of removed names; ``edits`` are labels, each with the text that was removed.

    Words have two letters and more. If a name has words that begin with an uppercase letter, only these count.

    >>> sorted(removed_words([("NAME", "Dr. Robert B. Smith")]))
    ['robert', 'smith']
    """
    found: dict[str, tuple[str, bool]] = {}
    for label, piece in edits:
        for key, is_upper in _words_of(piece):
            before, was_upper = found.get(key, (label, False))
            found[key] = min(before, label), was_upper or is_upper
    return found


@lru_cache(maxsize=1 << 14)
def _words_of(piece: str) -> tuple[tuple[str, bool], ...]:
    """Return the words of a removed piece by their letters, each with whether it is all uppercase."""
    words = _LETTERS.findall(piece if piece.isascii() else visible(piece).text)
    named = [word for word in words if word[0].isupper()] or words
    return tuple((key, word.isupper()) for word in named if (key := same_letters(word)) not in _TITLES)


def remaining_words(published: str, removed: RemovedWords) -> Iterator[str]:
    """Yield the words of removed names at each place where a published text has one, in its letters without case.

    >>> [*remaining_words("Robert and ROBERT, robert, Roberts", {"robert": ("NAME", False)})]
    ['robert', 'robert']
    """
    if not removed:
        return
    if published.isascii():
        lowered = published.lower()
        if not any(word in lowered for word in removed):
            return
        words = _ASCII.findall(published)
    else:
        shown = visible(published).text
        words = _LATIN.findall(shown) if _is_latin(shown) else [w for w in _ANY.findall(shown) if w[0].isupper()]
    for word in words:
        key = word.lower() if word.isascii() else same_letters(word)
        if (known := removed.get(key)) and (known[1] or len(word) > _ACRONYM or not word.isupper()):
            yield key


def _is_latin(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def count_remaining(found: Iterable[Sequence[tuple[str, str]]]) -> dict[str, RemainingNames]:
    """Count what remains by label; ``found`` has for each document the labels and the words.

    >>> count_remaining([[("NAME", "robert"), ("NAME", "white")], [("NAME", "white")]])
    {'NAME': RemainingNames(words=3, common_words=2, documents=1)}
    """
    words, common, documents = Counter[str](), Counter[str](), Counter[str]()
    for places in found:
        result = set()
        for label, word in places:
            words[label] += 1
            if is_usual(word):
                common[label] += 1
            else:
                result.add(label)
        documents.update(result)
    return {label: RemainingNames(number, common[label], documents[label]) for label, number in sorted(words.items())}


def add_remaining(parts: Iterable[Mapping[str, RemainingNames]]) -> dict[str, RemainingNames]:
    """Add the counts of several parts; each document is in one of them."""
    total: dict[str, RemainingNames] = {}
    for part in parts:
        for label, each in part.items():
            before = total.get(label, RemainingNames())
            total[label] = RemainingNames(*(a + b for a, b in zip(before, each, strict=True)))
    return dict(sorted(total.items()))


@cache
def is_usual(word: str) -> bool:
    """Return whether general text usually has a word in lowercase."""
    return facts_of(word) >> COMMON & 3 == 2
