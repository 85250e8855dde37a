"""Build the partition of a rule's originals anew, from the words and the raw hypernym table.

The concepts below the roots are numbered so that those below one are a range; blocks are counted over ranges.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int64s
from spark_deid.ontology.word_forms import word_forms
from spark_deid.plausibility.recount.contexts import is_countable
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
    """A node whose name replaces originals, how many these are, and how many of them English counts."""

    node: int
    size: int
    counted: int


class RebuiltPartition:
    """What may be written for each concept: ``parts[i]`` in segments that touch i + 1 blocks; the last, in more."""

    def __init__(self, demand: CutDemand) -> None:
        self.words = word_concepts_of(demand.reading)
        self._others = [word_concepts_of(other) for other in demand.others]
        self.sizes = tuple(_sizes(demand.t))
        self._order = _RangedTree(self.words)
        self._constant: dict[int, list[tuple[str, str]]] = {}
        self._spelled: dict[int, list[list[str]]] = {}
        originals = set(self._originals())
        while True:
            parts = self._parts(originals)
            named = _NameWords({node for owner in parts.values() for node in owner.values()}, self.words)
            struck = {concept for concept in originals if any(map(named.has, self._spellings(concept)))}
            if not struck:
                break
            originals -= struck
        self.countable = frozenset(c for c in originals if any(is_countable(word) for word, _ in self._constant[c]))
        self.parts = [self._counted(parts[size]) for size in self.sizes]
        self._below = [self._divided(*levels) for levels in pairwise(self.parts)]
        self._is_written = lru_cache(1 << 12)(self._can_stand)

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

    def _counted(self, owner: Mapping[int, int]) -> dict[int, RebuiltPart]:
        numbers, counted = Counter(owner.values()), Counter(owner[c] for c in self.countable & owner.keys())
        return {concept: RebuiltPart(node, numbers[node], counted[node]) for concept, node in owner.items()}

    @staticmethod
    def _divided(coarser: Mapping[int, RebuiltPart], finer: Mapping[int, RebuiltPart]) -> dict[int, set[RebuiltPart]]:
        """Return for each node of one level the parts of the next that it is divided into."""
        found: dict[int, set[RebuiltPart]] = {}
        for concept, part in coarser.items():
            found.setdefault(part.node, set()).add(finer[concept])
        return found

    def written(self, concept: int, blocks: int, *, counted: bool, several: bool) -> RebuiltPart:
        """Return the part that a concept must be written by, whose block is in segments of that number of blocks.

        Its terms are ``counted`` or ``several``, in a form that not all originals have. A part is divided further while
        each part below it has enough originals with the form, or is divided into such parts.
        """
        last = min(blocks, len(self.sizes)) - 1
        level = 0
        while level < last and all(
            self._is_written(each, level + 1, last, counted, several)
            for each in self._below[level][self.parts[level][concept].node]
        ):
            level += 1
        return self.parts[level][concept]

    def _can_stand(self, part: RebuiltPart, level: int, last: int, counted: bool, several: bool) -> bool:
        if level < last and all(
            self._is_written(each, level + 1, last, counted, several) for each in self._below[level][part.node]
        ):
            return True
        is_enough = not counted or part.counted >= self.sizes[last]
        return is_enough and (not several or self._is_read_as_plural(part.node))

    def _is_read_as_plural(self, node: int) -> bool:
        """Return whether the plural of a node's name is read as the name is, and as nothing else."""
        name = self.words.name(node)
        return any(self._has_same_readers(name, plural) for plural in self.plurals(node))

    def plurals(self, node: int) -> tuple[str, ...]:
        """Return how a node's name may be written for several."""
        name = self.words.name(node)
        own = (name,) if "p" in word_forms().get(name, "") else ()
        return (*own, *self.words.irregular_plurals(name), plural_by_rule(name))

    def _has_same_readers(self, name: str, plural: str) -> bool:
        words = self.words
        one, other = words.read(name), words.read(plural)
        if one is None or other is None or not (words.is_inflected(plural) or name == plural):
            return False
        return set(words.bearers(one)) == set(words.bearers(other))

    def _originals(self) -> Iterator[int]:
        """Yield the concepts that some word is always read as."""
        for lemma in self.words.lemmas():
            concept = self.words.concept(lemma, None)
            word = self.words.table.word(lemma)
            plurals = self.words.table.irregular(lemma) or (plural_by_rule(word),)
            may_be_plural = "p" in word_forms().get(word.lower(), "")
            is_plain = not may_be_plural and all(_is_plain(each) for each in (word, *plurals))
            if is_plain and self._is_constant(lemma, concept, plurals):
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

    def _spellings(self, concept: int) -> list[list[str]]:
        """Return the tokens of all words of a concept, in both numbers."""
        if concept not in self._spelled:
            words = self.words.spelled(concept)
            self._spelled[concept] = [
                fold_term(each).split() for word in words for each in (word, plural_by_rule(word))
            ]
        return self._spelled[concept]


class _NameWords:
    """The names of some nodes, by each token that stands in them."""

    def __init__(self, nodes: Iterable[int], words: WordConcepts) -> None:
        self._names: dict[str, list[list[str]]] = {}
        for tokens in (fold_term(words.name(node)).split() for node in nodes):
            for token in set(tokens):
                self._names.setdefault(token, []).append(tokens)

    def has(self, tokens: list[str]) -> bool:
        """Return whether some name has these tokens one after another."""
        width = len(tokens)
        names = self._names.get(tokens[0], ()) if tokens else ()
        return any(name[at : at + width] == tokens for name in names for at in range(len(name) - width + 1))


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
    letters = "".join(takewhile(str.isalpha, word))
    has_letters = any("a" <= each <= "z" for each in letters[1:])
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
