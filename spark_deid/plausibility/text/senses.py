"""Read words as a plan states: their concepts, what is above these, and what generalizations they can have."""

import math
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, UInt8s, UInt16s
from spark_deid.ontology.glosses import hashed_words
from spark_deid.ontology.lesk import best_sense
from spark_deid.ontology.ontology import EVERYWHERE, WHOLE, Ontology, ontology_at
from spark_deid.ontology.sources.tables import read_frequencies
from spark_deid.ontology.subtrees import hang_concepts, roots_of
from spark_deid.ontology.word_forms import PLURAL, word_forms
from spark_deid.plausibility.likelihood import entropies, weigh_leaves
from spark_deid.plausibility.text.settings import OntologyReading
from spark_deid.plausibility.text.uses import FUNCTION_WORDS
from spark_deid.values.wording import plural_of

_PLURALS = frozenset(("cattle", "people", "police", "poultry", "livestock", "vermin"))
_KEPT = 1 << 13
_KEPT_LARGE = 1 << 12
_KEPT_OPEN = 8


class GeneralizationStep(NamedTuple):
    """A generalization of a concept: a node above it, what is written for it, and how many leaves it may represent.

    ``volume`` is that of the smallest node above the concept that bears the name. ``reach`` has all concepts that the
    words of the name bear, and all above the usual senses of these: what the name would reveal.
    """

    node: int
    name: str
    volume: int
    bits: float
    reach: frozenset[int]


class GeneralizationChain(NamedTuple):
    """Concepts that have one node, their generalizations, the lowest first, and all that the names would reveal."""

    concepts: frozenset[int]
    steps: tuple[GeneralizationStep, ...]
    reach: frozenset[int]


class ConceptWords:
    """The words that have concepts, by concept; ``words[i]`` has ``concepts[i]``."""

    def __init__(self, concepts: Int32s, words: Int32s) -> None:
        order = np.argsort(concepts, kind="stable")
        self._concepts, self._words = concepts[order], words[order]

    def of(self, concepts: Int32s) -> Int32s:
        """Return the words that have one of these concepts, once for each."""
        concepts = concepts.astype(self._concepts.dtype, copy=False)  # else numpy copies all the others at each call
        ends = np.searchsorted(self._concepts, concepts, side="right").tolist()
        starts = np.searchsorted(self._concepts, concepts).tolist()
        return np.concatenate([self._words[start:end] for start, end in zip(starts, ends, strict=True)])


class WordSenses:
    """An ontology as one reading has it; caches are bounded."""

    def __init__(self, reading: OntologyReading) -> None:
        self.ontology: Ontology = ontology_at(reading.ontology)
        self.reading = reading
        self.hung = hang_concepts(self.ontology, roots_of(self.ontology, reading.below), reading.paths)
        self._inside = self.hung.inside
        self._is_whole = not reading.below
        self.usual = self._usual().data  # gives numbers of Python, several times as fast as NumPy
        self.is_read = np.asarray(self.usual) >= 0
        self._bits = self._entropies()
        ontology = self.ontology
        lemmas = np.arange(ontology.n_lemmas, dtype=np.int32)
        self._bearing = ConceptWords(ontology.senses, np.repeat(lemmas, np.diff(ontology.sense_starts)))
        self._meaning = self._bearing if reading.sense == "lesk" else ConceptWords(np.asarray(self.usual), lemmas)
        lower = np.repeat(np.arange(ontology.n_concepts, dtype=np.int32), np.diff(ontology.hypernym_starts))
        order = np.argsort(ontology.hypernyms, kind="stable")
        self._children = lower[order]
        self._child_starts = np.searchsorted(ontology.hypernyms[order], np.arange(ontology.n_concepts + 1))
        self.term = lru_cache(_KEPT)(self._term)
        self.word = lru_cache(_KEPT)(self.ontology.word)
        self.wanted = lru_cache(1)(self._wanted)
        self.exactly = lru_cache(_KEPT_LARGE >> 4)(self._exactly)
        self.bearers = lru_cache(_KEPT)(self._bearers)
        self.told_by = lru_cache(_KEPT)(self._conveyed_by)
        self.marks = lru_cache(_KEPT)(self._marks)
        self.ancestors = lru_cache(_KEPT)(self._ancestors)
        self.name = lru_cache(_KEPT)(self._name)
        self.steps = lru_cache(_KEPT)(self._steps)
        self.ladder = lru_cache(_KEPT)(self._common_chain)
        self.alone = lru_cache(_KEPT)(self._alone)
        self.free_ladder = lru_cache(_KEPT)(self._free_chain)
        self.reach_of = lru_cache(_KEPT_LARGE)(self._reach_of)
        self.plural = lru_cache(_KEPT)(self._plural)

    def concept(self, lemma: int, context: UInt16s | None) -> int:
        """Return the concept of a lemma; ``context`` is that of the document, as ``context_of`` gives it.

        -1 where not one of its senses is below the reading's roots.
        """
        if context is None or lemma in self._given or self.usual[lemma] < 0:
            return self.usual[lemma]
        return (
            best_sense(self.ontology, self.ontology.senses_of(lemma).tolist(), context)
            if self._is_whole
            else (best_sense(self.ontology, self.bearers(lemma), context))
        )

    def context_of(self, text: str) -> UInt16s | None:
        """Return what senses are chosen by: a document's content words, or None where context does not matter."""
        return hashed_words(text) if self.reading.sense == "lesk" else None

    def _bearers(self, lemma: int) -> tuple[int, ...]:
        """Return the concepts that a word may represent, however it is written: first those of this spelling."""
        ontology = self.ontology
        words = (lemma, *ontology.homonyms(lemma))
        inside = self._inside
        return tuple(dict.fromkeys(c for word in words for c in ontology.senses_of(word).tolist() if inside[c]))

    def rows(self, text: str, wanted: UInt8s = EVERYWHERE, places: Int32s = WHOLE) -> Int32s:
        """Return matches as ``Ontology.matches`` has them; of terms told by a pattern those that no longer one holds.

        A band of ages is not one of the ages at its ends.
        """
        if self.ontology.spelling is None:
            return self.ontology.matches(text, wanted, places)
        rows = self.ontology.matches(text)
        return rows[_is_longest(rows)]

    def _term(self, surface: str) -> tuple[int, bool]:
        """Return the lemma of a term as it is written, -1 if it is missing, and whether it is an inflected form."""
        lemma, form = self.ontology.terms(surface, [(0, len(surface))])[0].tolist()
        return (lemma, bool(form)) if lemma >= 0 and self.usual[lemma] >= 0 else (-1, False)

    def _wanted(self, concepts: frozenset[int]) -> UInt8s:
        """Return the marks of the words that may reveal some concepts, as ``Ontology.matches`` takes them."""
        marks = [self.marks(concept) for concept in concepts]
        return self.ontology.marked(np.concatenate(marks) if marks else np.zeros(0, np.int32))

    def _exactly(self, concepts: frozenset[int]) -> UInt8s:
        """Return the marks of the words that may mean some concepts themselves, as ``Ontology.matches`` takes them."""
        words = np.unique(self._meaning.of(np.array(sorted(concepts))))
        return self.ontology.marked(self.ontology.marks_of(words))

    def _conveyed_by(self, lemma: int, own: int) -> frozenset[int]:
        """Return what a word reveals whose concept is ``own``: what it bears, and all above its concept."""
        return frozenset() if own < 0 else frozenset((own, *self.bearers(lemma), *self.ancestors(own)))

    def lies(self, concept: int, known: Collection[int]) -> bool:
        """Return whether a concept is a known one or is below."""
        return concept in known or not self.ancestors(concept).isdisjoint(known)

    def _marks(self, concept: int) -> Int32s:
        """Return the marks of all words that bear a concept, or whose own concept may be below."""
        words = self._bearing.of(np.array([concept])), self._meaning.of(self._below(concept))
        return self.ontology.marks_of(np.unique(np.concatenate(words)))

    def _below(self, concept: int) -> Int32s:
        """Return a concept and all below it."""
        starts, children = self._child_starts, self._children
        if starts[concept] == starts[concept + 1]:
            return np.array([concept], np.int32)
        found = {concept}
        waiting = [concept]
        while waiting:
            node = waiting.pop()
            new = set(children[starts[node] : starts[node + 1]].tolist()) - found
            found |= new
            waiting += new
        return np.array(sorted(found), np.int32)

    def volume(self, node: int, concept: int) -> int:
        """Return the volume of the smallest node above a concept that bears a node's name."""
        _, bearers, _ = self.name(node)
        return min(int(self.ontology.volumes[each]) for each in bearers & self.ancestors(concept))

    def bits(self, node: int, concept: int) -> float:
        """Return the least entropy of the nodes above a concept that bear a node's name, in bits."""
        if self._bits is None:
            return math.log2(self.volume(node, concept))
        _, bearers, _ = self.name(node)
        return min(float(self._bits[each]) for each in bearers & self.ancestors(concept))

    def _entropies(self) -> Float64s | None:
        """Return the entropies of all concepts by the plan's table of frequencies, None if it lacks one."""
        if not self.reading.frequencies:
            return None
        counts = read_frequencies(Path(self.reading.frequencies))
        return entropies(self.ontology, weigh_leaves(self.ontology, counts, unseen=self.reading.unseen).weights)

    def _usual(self) -> Int32s:
        usual = self.ontology.senses[self.ontology.sense_starts[:-1]].copy()
        if not self._is_whole:
            usual = self._first_inside()
        given: dict[int, int] = {}
        for term, sense in self.reading.senses:
            concept, lemma = self.ontology.concept(term, sense), self.ontology.lemma(term)
            given |= dict.fromkeys(self.ontology.homonyms(-1 if lemma is None else lemma), concept)
        usual[list(given)] = list(given.values())
        self._given = frozenset(given)
        return usual

    def _first_inside(self) -> Int32s:
        """Return the first sense of every word below the roots, else that of a word that differs in case, else -1."""
        ontology, inside = self.ontology, self._inside
        owners = np.repeat(np.arange(ontology.n_lemmas, dtype=np.int32), np.diff(ontology.sense_starts))
        places = np.flatnonzero(inside[ontology.senses])[::-1]
        usual = np.full(ontology.n_lemmas, -1, np.int32)
        usual[owners[places]] = ontology.senses[places]  # of several the one that is first is written last
        for lemma in np.flatnonzero(usual >= 0).tolist():
            for homonym in ontology.homonyms(lemma):
                if usual[homonym] < 0:
                    usual[homonym] = usual[min(h for h in ontology.homonyms(lemma) if usual[h] >= 0)]
        return usual

    def _ancestors(self, concept: int) -> frozenset[int]:
        above = self.ontology.above(concept)
        return frozenset((above if self._is_whole else above[self._inside[above]]).tolist())

    def _name(self, node: int) -> tuple[str, frozenset[int], frozenset[int]]:
        """Return a node's name, the concepts that bear it, and what its words reveal."""
        ontology = self.ontology
        name = ontology.name_of(node)
        whole = ontology.lemma(name)
        bearers = frozenset(() if whole is None else self.bearers(whole))
        return name, bearers, bearers | self._reach_of(name)

    def _reach_of(self, name: str) -> frozenset[int]:
        """Return what the words of a name tell of, whoever writes it: what they bear, and all above their usual senses.

        Function words reveal nothing.
        """
        reach: set[int] = set()
        for start, end, lemma, _ in self.rows(name).tolist():
            if name[start:end].lower() not in FUNCTION_WORDS:
                usual = self.usual[lemma]
                reach |= {*self.bearers(lemma), usual, *self.ancestors(usual)} if usual >= 0 else set()
        return frozenset(reach)

    def _steps(self, concept: int) -> tuple[GeneralizationStep, ...]:
        """Return the generalizations of a concept: those on its path whose name has a leaf which is not below it."""
        volumes = self.ontology.volumes
        found = []
        for node in self.hung.path(concept)[1:]:
            name, bearers, reach = self.name(node)
            if node in bearers and (volume := self.volume(node, concept)) > volumes[concept]:
                found.append(GeneralizationStep(node, name, volume, self.bits(node, concept), reach))
        return tuple(found)

    def _common_chain(self, concepts: frozenset[int]) -> GeneralizationChain:
        """Return the generalizations of concepts that have one node: those above all of them.

        Each has the least volume and entropy that it has above one of them.
        """
        steps = self.steps(min(concepts)) if len(concepts) == 1 else self._shared_steps(concepts)
        return GeneralizationChain(concepts, steps, frozenset().union(*(step.reach for step in steps)))

    def _alone(self, concept: int) -> GeneralizationChain:
        """Return the generalizations of a concept that has a separate node."""
        return self.ladder(frozenset((concept,)))

    def _shared_steps(self, concepts: frozenset[int]) -> tuple[GeneralizationStep, ...]:
        volumes = self.ontology.volumes
        tops = [concept for concept in concepts if concepts.isdisjoint(self.ancestors(concept))]
        widest = max(tops, key=lambda concept: (int(volumes[concept]), -concept))
        above_all = frozenset.intersection(*map(self.ancestors, concepts))
        floor = max(int(volumes[concept]) for concept in concepts)
        found = []
        for step in self.steps(widest):
            if step.node in above_all and (volume := min(self.volume(step.node, each) for each in concepts)) > floor:
                bits = min(self.bits(step.node, each) for each in concepts)
                found.append(step._replace(volume=volume, bits=bits))
        return tuple(found)

    def _free_chain(self, concepts: frozenset[int], concepts_known: frozenset[int]) -> GeneralizationChain:
        """Return the generalizations of ``ladder`` whose names reveal no concept of ``concepts_known``."""
        ladder = self.ladder(concepts)
        return ladder._replace(steps=tuple(step for step in ladder.steps if concepts_known.isdisjoint(step.reach)))

    def _plural(self, node: int) -> str | None:
        """Return the plural of a node's name, None where a reader would not find it by its plural."""
        name, bearers, _ = self.name(node)
        if self.ontology.spelling is not None:
            return name
        plural = name if _has_no_singular(name) else plural_of(name, self._irregular)
        lemma, form = self.term(plural)
        if lemma >= 0 and not form and plural == name:
            return name
        return plural if form and frozenset(self.bearers(lemma)) == bearers else None

    def _irregular(self, word: str) -> tuple[str, ...]:
        lemma = self.ontology.lemma(word)
        return () if lemma is None else self.ontology.forms_of(lemma)


def _has_no_singular(name: str) -> bool:
    """Return whether a name is a plural already, as cattle are."""
    return name in _PLURALS or PLURAL in word_forms().get(name, "")


def _is_longest(rows: Int32s) -> Bools:
    """Return for each row whether no longer one holds it; rows have a start and an end, and come in this order."""
    order = np.lexsort((-rows[:, 1], rows[:, 0]))  # the longest of those that begin alike comes first
    reach = np.full(len(rows), -1, np.int32)
    np.maximum.accumulate(rows[order[:-1], 1], out=reach[1:])
    is_longest = np.empty(len(rows), np.bool_)
    is_longest[order] = reach < rows[order, 1]
    return is_longest


@lru_cache(_KEPT_OPEN)
def senses_of(reading: OntologyReading) -> WordSenses:
    """Open a reading, once a process."""
    return WordSenses(reading)
