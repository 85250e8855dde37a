"""Build the partition of a rule's originals anew, from the words and the raw hypernym table.

The concepts below the roots are numbered so that those below one are a range; blocks are counted over ranges.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.numerics.arrays import Int64s
from spark_deid.ontology.word_forms import word_forms
from spark_deid.plausibility.recount.telling import WordConcepts, word_concepts_of
from spark_deid.plausibility.recount.tokens import fold_term
from spark_deid.plausibility.text.settings import CutDemand

_KEPT = 4
_NOBODY = -1
_LEAST = 2
_APART = str.maketrans("(-_", "   ")
_SHORT_WORDS = "mr mrs ms dr prof rev hon gen col sgt capt lt st no nos vs etc fig jr sr approx"
"""Words behind which a full stop ends no sentence."""
_HEADS = "of in to for with from on at by and or under de"
_HEAD_ENDS, _SHORT = frozenset(_HEADS.split()), frozenset(_SHORT_WORDS.split())


class RebuiltPart(NamedTuple):
    """A node whose name stands for originals, and how many these are."""

    node: int
    size: int


class RebuiltPartition:
    """What may be written for each concept: ``parts[i]`` in segments that touch i + 1 blocks; the last, in more."""

    def __init__(self, demand: CutDemand) -> None:
        self.words = word_concepts_of(demand.reading)
        self._others = [word_concepts_of(other) for other in demand.others]
        self.sizes = tuple(_sizes(demand.t))
        self._order = _RangedTree(self.words)
        self._constant: dict[int, list[tuple[str, str]]] = {}
        self._names: dict[int, list[str]] = {}
        self._spelled: dict[int, list[list[str]]] = {}
        originals = set(self._originals())
        while True:
            parts = self._parts(originals)
            struck = {c for owner in parts.values() for c, node in owner.items() if self._is_named(c, node)}
            if not struck:
                break
            originals -= struck
        self.parts = [self._counted(parts[size]) for size in self.sizes]

    def _parts(self, originals: set[int]) -> dict[int, dict[int, int]]:
        """Return for each size the node of each original that has one."""
        tree = self._order
        found: dict[int, dict[int, int]] = {}
        places = np.sort(np.array([tree.place[c] for c in originals], np.int64))
        nodes = np.full(len(places), _NOBODY, np.int64)
        for size in sorted(set(self.sizes)):
            is_first = not found
            positions = (
                places
                if is_first
                else np.array([tree.place[n] if n >= 0 else _NOBODY for n in nodes.tolist()], np.int64)
            )
            order = np.argsort(positions, kind="stable")
            coarser = tree.blocks(positions[order], size, itself=not is_first)
            nodes = np.empty_like(coarser)
            nodes[order] = coarser
            found[size] = {tree.concepts[p]: n for p, n in zip(places.tolist(), nodes.tolist(), strict=True) if n >= 0}
        return found

    @staticmethod
    def _counted(owner: Mapping[int, int]) -> dict[int, RebuiltPart]:
        numbers: dict[int, int] = {}
        for node in owner.values():
            numbers[node] = numbers.get(node, 0) + 1
        return {concept: RebuiltPart(node, numbers[node]) for concept, node in owner.items()}

    def _originals(self) -> Iterator[int]:
        """Yield the concepts that some word is always read as."""
        for lemma in self.words.lemmas():
            concept = self.words.concept(lemma, None)
            word = self.words.table.word(lemma)
            plurals = self.words.table.irregular(lemma) or (plural_by_rule(word),)
            if all(_is_plain(each) for each in (word, *plurals)) and self._is_constant(lemma, concept, plurals):
                self._constant.setdefault(concept, []).append((word, plurals[0]))
                yield concept

    def constant_words(self, concept: int) -> list[tuple[str, str]]:
        """Return the words that are always read as an original, each with its plural."""
        return self._constant[concept]

    def _is_constant(self, lemma: int, concept: int, plurals: tuple[str, ...]) -> bool:
        """Tell whether a word and its plurals are read as a concept in every case, and by no other rule."""
        words, word = self.words, self.words.table.word(lemma)
        if any(words.concept(each, None) != concept for each in words.table.alike(lemma)):
            return False
        for form, is_plural in ((word, False), *((plural, True) for plural in plurals)):
            for written in {form, form.lower(), form.upper(), form[:1].upper() + form[1:]}:
                if any(other.read(written) is not None for other in self._others):
                    return False
                found = words.read(written)
                if found is None or words.concept(found, None) != concept or words.is_inflected(written) != is_plural:
                    return False
        return True

    def _is_named(self, concept: int, node: int) -> bool:
        """Tell whether the name of a node has a word of a concept, in either number."""
        if node not in self._names:
            self._names[node] = fold_term(self.words.name(node)).split()
        if concept not in self._spelled:
            words = self.words.spelled(concept)
            self._spelled[concept] = [
                fold_term(each).split() for word in words for each in (word, plural_by_rule(word))
            ]
        name = self._names[node]
        return any(
            name[at : at + len(tokens)] == tokens
            for tokens in self._spelled[concept]
            for at in range(len(name) - len(tokens) + 1)
        )


class _RangedTree:
    """The concepts below the roots, each hung by one other, in an order in which those below one are a range."""

    def __init__(self, words: WordConcepts) -> None:
        above = words.hung()
        below: dict[int, list[int]] = {}
        for concept, parent in above.items():
            below.setdefault(parent, []).append(concept)
        self.concepts: list[int] = []
        self.place: dict[int, int] = {}
        last: dict[int, int] = {}
        height: dict[int, int] = {}
        waiting = [(root, False) for root in sorted(below.get(_NOBODY, ()), reverse=True)]
        while waiting:
            concept, is_done = waiting.pop()
            own = below.get(concept, [])
            if is_done:
                last[concept] = len(self.concepts)
                height[concept] = 1 + max((height[each] for each in own), default=0)
                continue
            self.place[concept] = len(self.concepts)
            self.concepts.append(concept)
            waiting.append((concept, True))
            waiting += ((each, False) for each in sorted(own, reverse=True))
        lowest = sorted(last, key=lambda concept: (height[concept], concept))
        self._ranges = [(concept, self.place[concept], last[concept]) for concept in lowest]

    def places_of(self, nodes: Int64s) -> Int64s:
        """Return the places of nodes, -1 for -1."""
        return np.array([self.place[node] if node >= 0 else _NOBODY for node in nodes.tolist()], np.int64)

    def blocks(self, positions: Int64s, size: int, *, itself: bool) -> Int64s:
        """Return the node that takes each of what stands at some places, in order; -1 where none does, or at -1.

        A node takes what stands below it, or at it where ``itself``, and was not taken, once it is ``size`` or more.
        """
        taken = np.full(len(positions), _NOBODY, np.int64)
        for node, first, end in self._ranges:
            low, high = np.searchsorted(positions, (first if itself else first + 1, end)).tolist()
            if high - low < size:
                continue
            free = np.flatnonzero(taken[low:high] == _NOBODY)
            if len(free) >= size:
                taken[low + free] = node
        return taken


def _sizes(t: int) -> Iterator[int]:
    """Yield the least whole numbers, of at least 2, whose first, second ... power is t or more; 2 is the last."""
    power, size = 1, t
    while size > 2:
        yield size
        power += 1
        size = max(2, round(t ** (1 / power)) - 2)
        while size**power < t:
            size += 1
    yield 2


def _is_plain(word: str) -> bool:
    """Tell whether a word is nothing but a noun, no acronym, and ends no sentence."""
    kinds = set(word_forms().get(word.lower(), "")) - {"p"}
    has_letters = any(each.isalpha() for each in word)
    if len(word) < _LEAST or not has_letters or word.isupper() or kinds or set(word) & set(".!?"):
        return False
    last = word.lower().translate(_APART).split()[-1:]
    return not last or (last[0] not in _SHORT and not (len(last[0]) == 1 and last[0].isalpha()))


def plural_by_rule(term: str) -> str:
    """Return the plural of a term, of its head where a preposition follows, as English makes it by rule.

    >>> plural_by_rule("drug of abuse"), plural_by_rule("neurosis"), plural_by_rule("woman")
    ('drugs of abuse', 'neuroses', 'women')
    """
    parts = term.split(" ")
    places = [place for place in range(1, len(parts) - 1) if parts[place] in _HEAD_ENDS]
    head = places[0] - 1 if places else len(parts) - 1
    parts[head] = _plural_of_word(parts[head])
    return " ".join(parts)


def _plural_of_word(word: str) -> str:
    small = word.lower()
    if word.endswith("sis") and not word.endswith("ssis") and len(word) > len("sis"):
        return word[:-2] + "es"
    if small.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if small.endswith("y") and len(word) > 1 and small[-2] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith("man") and len(word) > len("man") and word[-4] != "u" and word not in ("human", "german"):
        return word[:-2] + "en"
    return word + "s"


@lru_cache(_KEPT)
def partition_of(demand: CutDemand) -> RebuiltPartition:
    """Build the partition of a demand, once a process."""
    return RebuiltPartition(demand)
