"""Words and hypernyms of an ontology as plain tables, and what can be counted from these alone.

The search's data are not used: words are found in a dictionary instead of compiled look-ups, hypernyms
by walking the raw table, and volumes by walking it downwards, where the ontology has them packed.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.plausibility.recount.tokens import fold_term, single_spaced

_KEPT = 1 << 13
_KEPT_WORDS = 1 << 14
_LEAST = 2
STOP = "."


def singulars_of(word: str) -> Iterator[tuple[int, str]]:
    """Yield how a word would be made singular: how many letters go, and what comes in their place.

    >>> list(singulars_of("ulcers")), list(singulars_of("boxes"))
    ([(1, '')], [(1, ''), (2, '')])
    """
    if word.endswith("men"):
        yield 2, "an"
    if not word.endswith("s"):
        return
    yield 1, ""
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        yield 2, ""
    if word.endswith("ves"):
        yield 3, "f"
    if word.endswith("ies"):
        yield 3, "y"
    if word.endswith("ves"):
        yield 3, "fe"
    if word.endswith("oes"):
        yield 2, ""
    if word.endswith("ses"):
        yield 2, "is"


def _as_written(words: Sequence[tuple[int, str]], seen: str) -> int:
    """Return the number of the word that is written so, else of the first."""
    return next((number for number, word in words if word == seen), words[0][0])


class RecountOntology:
    """An ontology read again; what is counted is kept for the concepts of late."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self.alike: Callable[[int], tuple[int, ...]] = lru_cache(_KEPT)(self._alike)
        self.ancestors: Callable[[int], frozenset[int]] = lru_cache(_KEPT)(self._ancestors)
        self._read_of_late = lru_cache(_KEPT_WORDS)(self._read)
        self._words_of_late: Callable[[str], tuple[tuple[int, str], ...]] = lru_cache(_KEPT)(self._words_alike)
        self.bearers: Callable[[int], tuple[int, ...]] = lru_cache(_KEPT)(self._bearers)
        self.volume: Callable[[int], int] = lru_cache(_KEPT)(self._volume)

    def word(self, number: int) -> str:
        """Return a word as it is written; irregular forms are last."""
        index = self._ontology.index
        return index.text[index.starts[number] : index.starts[number + 1]].tobytes().decode()

    @cached_property
    def _hashed(self) -> tuple[Int64s, Int32s]:
        """The hashes of all words as they fold, in order, and the words' numbers beside them.

        A dictionary of the words themselves would take some 50 MB a process.
        """
        hashes = np.fromiter((hash(fold_term(self.word(n))) for n in range(self._ontology.n_words)), np.int64)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        return hashes[order], order

    @cached_property
    def _places(self) -> Int32s:
        """The place of each word among the hashes."""
        _, numbers = self._hashed
        places = np.empty_like(numbers)
        places[numbers] = np.arange(len(numbers), dtype=np.int32)
        return places

    def _words_alike(self, key: str) -> tuple[tuple[int, str], ...]:
        """Return the words that fold so, in order, each as it is written; a word is looked up in several cases."""
        hashes, numbers = self._hashed
        own = hash(key)
        first = hashes.searchsorted(own)
        if first == len(hashes) or hashes[first] != own:
            return ()
        end = first + 1
        while end < len(hashes) and hashes[end] == own:
            end += 1
        words = ((number, self.word(number)) for number in numbers[first:end].tolist())
        return tuple((number, single_spaced(word)) for number, word in words if fold_term(word) == key)

    @cached_property
    def _irregular(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for form, lemma in enumerate(self._ontology.lemmas.tolist(), self._ontology.n_lemmas):
            found[lemma] = (*found.get(lemma, ()), self.word(form))
        return found

    @cached_property
    def _children(self) -> tuple[Int32s, Int32s]:
        """The concepts right below every concept, and where those of each begin."""
        ontology = self._ontology
        below = np.repeat(np.arange(ontology.n_concepts, dtype=np.int32), np.diff(ontology.hypernym_starts))
        order = np.argsort(ontology.hypernyms, kind="stable")
        starts = np.searchsorted(ontology.hypernyms[order], np.arange(ontology.n_concepts + 1))
        return below[order], starts.astype(np.int32)

    def read(self, surface: str, *, inflected: bool = True) -> int | None:
        """Return the lemma of a term in any case, singular or plural; of those that fold alike the one as written."""
        return self._read_of_late(surface, inflected)

    def _read(self, surface: str, inflected: bool) -> int | None:
        found = self.listed(surface, inflected=inflected)
        spelling = self._ontology.spelling
        if found is not None or spelling is None or (word := spelling.read(surface)) is None:
            return found
        return self._get(fold_term(word), single_spaced(word))

    def listed(self, surface: str, *, inflected: bool = True) -> int | None:
        """Return the lemma of a term that the ontology lists, as ``read`` does, without those that a pattern shows."""
        key, seen = fold_term(surface), single_spaced(surface)
        found = self._get(key, seen)
        if found is not None or not inflected:
            return found
        for taken, added in singulars_of(key):
            if len(key) - taken + len(added) >= _LEAST:
                found = self._get(key[:-taken] + added, seen[:-taken] + added)
                if found is not None:
                    return found
        return None

    def is_inflected(self, surface: str) -> bool:
        """Return whether a term that ``read`` finds is written in a separate form: an irregular one, or one by rule."""
        words = self._words_of_late(fold_term(surface))
        return not words or _as_written(words, single_spaced(surface)) >= self._ontology.n_lemmas

    def _bearers(self, lemma: int) -> tuple[int, ...]:
        """Return the concepts that a word may represent: first those of its spelling, then of other cases."""
        words = (lemma, *self.alike(lemma))
        return tuple(dict.fromkeys(c for n in words for c in self._ontology.senses_of(n).tolist()))

    def spelled(self, surface: str, written: str) -> tuple[int, ...]:
        """Return the concepts as which a term would be written so, in an ontology that words terms by a pattern."""
        ontology = self._ontology
        if ontology.spelling is None or (lemma := self.read(surface)) is None:
            return ()
        above = {c for own in self.bearers(lemma) for c in self.ancestors(own)}
        return tuple(c for c in sorted(above) if ontology.spelling.replacement(surface, ontology.name_of(c)) == written)

    def _alike(self, lemma: int) -> tuple[int, ...]:
        """Return the lemmas that fold as this one does, itself among them."""
        hashes, _ = self._hashed
        place = int(self._places[lemma])
        if hashes[place] != hashes[place - 1] and (place + 1 == len(hashes) or hashes[place] != hashes[place + 1]):
            return (lemma,)
        return tuple(n for n, _ in self._words_of_late(fold_term(self.word(lemma))) if n < self._ontology.n_lemmas)

    def irregular(self, lemma: int) -> tuple[str, ...]:
        """Return the irregular forms of a lemma."""
        return self._irregular.get(lemma, ())

    def below(self, concept: int) -> Int32s:
        """Return a concept and all below it, by any path."""
        children, starts = self._children
        if starts[concept] == starts[concept + 1]:
            return np.array([concept], np.int32)
        seen = np.zeros(self._ontology.n_concepts, np.bool_)
        seen[concept] = True
        front = np.array([concept], np.int32)
        while len(front):
            parts = [children[starts[node] : starts[node + 1]] for node in front.tolist()]
            front = np.unique(np.concatenate(parts))
            front = front[~seen[front]]
            seen[front] = True
        return np.flatnonzero(seen).astype(np.int32)

    def children(self, concept: int) -> Int32s:
        """Return the concepts right below one."""
        children, starts = self._children
        return children[starts[concept] : starts[concept + 1]]

    def leaves(self, concept: int) -> Int32s:
        """Return the leaves at or below a concept."""
        _, starts = self._children
        below = self.below(concept)
        found: Int32s = below[starts[below + 1] == starts[below]]
        return found

    def _get(self, key: str, seen: str) -> int | None:
        words = self._words_of_late(key)
        if not words:
            return None
        number = _as_written(words, seen)
        lemmas = self._ontology.n_lemmas
        return number if number < lemmas else int(self._ontology.lemmas[number - lemmas])

    def _ancestors(self, concept: int) -> frozenset[int]:
        starts, hypernyms = self._ontology.hypernym_starts, self._ontology.hypernyms
        found: set[int] = set()
        waiting = [concept]
        while waiting:
            node = waiting.pop()
            above = set(hypernyms[starts[node] : starts[node + 1]].tolist()) - found
            found |= above
            waiting += above
        return frozenset(found)

    def _volume(self, concept: int) -> int:
        """Count the leaves at or below a concept."""
        return len(self.leaves(concept))


@lru_cache(8)
def table_at(source: str) -> RecountOntology:
    """Open a table, once a process."""
    return RecountOntology(ontology_at(source))
