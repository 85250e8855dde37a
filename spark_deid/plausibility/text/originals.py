"""Which concepts a reader with the program counts as originals: those that some word is always read as."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.ontology.word_forms import PLURAL, word_forms
from spark_deid.plausibility.text.countability import is_counted
from spark_deid.plausibility.text.segments import changes_segments
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.plausibility.text.uses import may_be_other
from spark_deid.values.wording import plural_of

_LEAST = 2
_LIKE_NAME = re.compile(r"[^\W\d_]+[a-z]")
"""A beginning that, with a capital, looks like a name after a title ("ms. Measles")."""


class OriginalWords:
    """Words that are read as one concept, and replaced, in every context, number and case; by concept.

    ``counted`` are the concepts that have a word which English counts.
    """

    def __init__(self, senses: WordSenses, others: Sequence[WordSenses] = ()) -> None:
        self.plural: dict[str, str] = {}
        self.by_concept: dict[int, tuple[str, ...]] = {}
        ontology = senses.ontology
        usual = np.asarray(senses.usual)
        irregular: dict[int, tuple[str, ...]] = {}
        for form, lemma in enumerate(ontology.lemmas.tolist(), ontology.n_lemmas):
            irregular[lemma] = (*irregular.get(lemma, ()), ontology.word(form))
        rows: list[tuple[int, str, tuple[str, ...]]] = []
        for lemma in np.flatnonzero(usual >= 0).tolist():
            word = ontology.word(lemma)
            plurals = irregular.get(lemma) or (plural_of(word, lambda _: ()),)
            equal = {usual[homonym] for homonym in ontology.homonyms(lemma)}
            is_singular = PLURAL not in word_forms().get(word.lower(), "")
            if len(equal) == 1 and is_singular and all(map(_may_be_constant, (word, *plurals))):
                rows.append((lemma, word, plurals))
        variants = [list(_variants(word, plurals)) for _, word, plurals in rows]
        read = _read(senses, [each for several in variants for each, _ in several])
        ends = np.cumsum([0, *map(len, variants)])
        taken = [_read(other, [each for several in variants for each, _ in several])[:, 0] >= 0 for other in others]
        found: dict[int, list[str]] = {}
        for number, (lemma, word, plurals) in enumerate(rows):
            own = slice(ends[number], ends[number + 1])
            is_form = [each for _, each in variants[number]]
            is_constant = (read[own, 0] == usual[lemma]).all() and (read[own, 1] == is_form).all()
            if is_constant and not any(each[own].any() for each in taken):
                found.setdefault(int(usual[lemma]), []).append(word)
                self.plural[word] = plurals[0]
        self.by_concept = {concept: tuple(words) for concept, words in sorted(found.items())}
        self.counted = frozenset(c for c, words in self.by_concept.items() if any(map(is_counted, words)))


def _may_be_constant(word: str) -> bool:
    """Return whether a word is no acronym, ends no sentence, is only a noun, and follows a title as others do."""
    if len(word) < _LEAST or changes_segments(word) or not _LIKE_NAME.match(word):
        return False
    return not word.isupper() and not may_be_other(word.lower())


def _variants(word: str, plurals: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield a word and its plurals in every case, and whether each is a plural."""
    for form, is_form in ((word, 0), *((plural, 1) for plural in plurals)):
        for written in dict.fromkeys((form, form.lower(), form.upper(), form[:1].upper() + form[1:])):
            yield written, is_form


def _read(senses: WordSenses, words: Sequence[str]) -> Int32s:
    """Read words: rows of the concept or -1, and whether each is an inflected form."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(lengths + 1)
    bounds = np.stack((ends - lengths - 1, ends - 1), axis=1).astype(np.int32).reshape(-1, 2)
    rows = senses.ontology.terms("\n".join(words), bounds)
    usual = np.asarray(senses.usual)
    found: Int32s = np.stack((np.where(rows[:, 0] < 0, -1, usual[rows[:, 0]]), rows[:, 1]), axis=1).astype(np.int32)
    return found
