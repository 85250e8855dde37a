"""Find in a text what reveals concepts: words that bear them, and words whose sense is below."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s, UInt16s
from spark_deid.ontology.glosses import hashed_words
from spark_deid.ontology.lesk import best_sense, sense_in
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.sources.tables import read_frequencies
from spark_deid.ontology.spelling import TermSpelling
from spark_deid.plausibility.recount.contexts import is_no_noun, is_small
from spark_deid.plausibility.recount.heads import WordHeads
from spark_deid.plausibility.recount.table import STOP, table_at
from spark_deid.plausibility.recount.tokens import (
    SEPARATORS,
    WordToken,
    runs_of,
    space_tokens,
    tokens_of,
    words_of,
)
from spark_deid.plausibility.text.settings import OntologyReading

NOWHERE = -1
_KEPT = 1 << 13
_FEW = 1000
_LEAST = 1e-300


class WordConcepts:
    """Facts that words reveal, as a plan reads them."""

    def __init__(self, reading: OntologyReading) -> None:
        self._reading = reading
        self.table = table_at(reading.ontology)
        self._ontology = ontology_at(reading.ontology)
        self.is_spelled = self._ontology.spelling is not None
        self._by_context = reading.sense == "lesk"
        self._roots = [self._root(name) for name in reading.below]
        self._trees = [frozenset(self.table.below(root).tolist()) for root in self._roots]
        self._within: frozenset[int] | None = frozenset().union(*self._trees) if self._roots else None
        self._given = {
            word: self._ontology.concept(term, sense)
            for term, sense in reading.senses
            if (lemma := self.table.read(term)) is not None
            for word in self.table.alike(lemma)
        }
        self._first = WordHeads(self.table, self._ontology.n_lemmas)
        self._usual: Callable[[int], int] = lru_cache(_KEPT)(self._first_sense)
        self.bearers: Callable[[int], tuple[int, ...]] = lru_cache(_KEPT)(self._bearers)
        self.ancestors: Callable[[int], frozenset[int]] = lru_cache(_KEPT)(self._ancestors)
        self._heads: Callable[[int], frozenset[str]] = lru_cache(_KEPT)(self._first_tokens)

    def _root(self, name: str) -> int:
        term, _, sense = (part.strip() for part in name.partition("|"))
        lemma = self.table.read(term)
        if sense or lemma is None:
            return self._ontology.concept(term, sense or None)
        return int(self._ontology.senses_of(lemma)[0])

    def _first_sense(self, lemma: int) -> int:
        """Return the first sense of a word below the roots, of all that fold alike; NOWHERE where none has one."""
        within = self._within
        own = self._ontology.senses_of(lemma).tolist()
        if within is None:
            return int(own[0])
        found = [c for c in own if c in within]
        equal = (
            c for n in sorted(self.table.alike(lemma)) for c in self._ontology.senses_of(n).tolist() if c in within
        )
        return int(found[0]) if found else next(equal, NOWHERE)

    def _bearers(self, lemma: int) -> tuple[int, ...]:
        found, within = self.table.bearers(lemma), self._within
        return found if within is None else tuple(c for c in found if c in within)

    def _ancestors(self, concept: int) -> frozenset[int]:
        found = self.table.ancestors(concept)
        return found if self._within is None else found & self._within

    def read(self, surface: str) -> int | None:
        """Return the lemma of a term that has a sense below the roots."""
        lemma = self.table.read(surface)
        return None if lemma is None or self.concept(lemma, None) == NOWHERE else lemma

    def is_inflected(self, surface: str) -> bool:
        """Return whether a term that ``read`` finds is written in a separate form."""
        return self.table.is_inflected(surface)

    def lemmas(self) -> Iterator[int]:
        """Yield the words that have a sense below the roots."""
        return (n for n in range(self._ontology.n_lemmas) if self.concept(n, None) != NOWHERE)

    def name(self, concept: int) -> str:
        """Return the word that represents a concept."""
        return self.table.word(int(self._ontology.names[concept]))

    def irregular_plurals(self, word: str) -> tuple[str, ...]:
        """Return the irregular plurals of a word, or of the one that it ends with."""
        for head in (word, word.rpartition(" ")[2]):
            lemma = self.table.read(head)
            if lemma is not None and (forms := self.table.irregular(lemma)):
                return tuple(word[: len(word) - len(head)] + form for form in forms)
        return ()

    def spelled(self, concept: int) -> list[str]:
        """Return all words that bear a concept."""
        return [self.table.word(int(n)) for n in _words_of(self._lemma_of_sense, np.array([concept])).tolist()]

    def hung(self) -> dict[int, int]:
        """Return what each concept below the roots depends on, NOWHERE for the roots: see ``below`` of a rule."""
        ontology, policy = self._ontology, self._reading.paths
        starts, hypernyms = ontology.hypernym_starts.tolist(), ontology.hypernyms.tolist()
        if not self._roots:
            ups = ontology.ups(policy).tolist()
            return dict(enumerate(ups))
        found: dict[int, int] = {}
        for root, tree in zip(self._roots, self._trees, strict=True):
            steps = self._steps_below(root, tree) if policy == "shortest" else {}
            own = tree - found.keys()
            for concept in sorted(own):
                above = (
                    []
                    if concept == root
                    else [up for up in hypernyms[starts[concept] : starts[concept + 1]] if up in own]
                )
                ranks = {"first": above.index, "smallest": self.table.volume, "shortest": steps.__getitem__}
                rank: Callable[[int], int] = ranks[policy]
                found[concept] = min(above, key=rank) if above else NOWHERE
        return found

    def _steps_below(self, root: int, tree: frozenset[int]) -> dict[int, int]:
        steps, front = {root: 0}, [root]
        while front:
            nearest = [
                int(c) for node in front for c in self.table.children(node) if int(c) not in steps and int(c) in tree
            ]
            steps |= dict.fromkeys(nearest, steps[front[0]] + 1)
            front = list(dict.fromkeys(nearest))
        return steps

    def bits(self, concept: int) -> float:
        """Return log2 of how many leaves are below a concept, or their entropy by the plan's table of frequencies."""
        if self._weights is None:
            return math.log2(self.table.volume(concept))
        weights = self._weights[self.table.leaves(concept)]
        shares = weights[weights > 0] / max(float(weights.sum()), _LEAST)
        return float(-(shares * np.log2(shares)).sum())

    @cached_property
    def _weights(self) -> Float64s | None:
        """How often each leaf is meant: a term's count goes to the leaves of its first sense in equal parts."""
        if not self._reading.frequencies:
            return None
        weights = np.zeros(self._ontology.n_concepts)
        for term, count in read_frequencies(Path(self._reading.frequencies)).items():
            if (lemma := self.table.read(term)) is not None:
                leaves = self.table.leaves(int(self._ontology.senses_of(lemma)[0]))
                weights[leaves] += count / len(leaves)
        return weights + self._reading.unseen

    def context_of(self, text: str) -> UInt16s | None:
        """Return the words that senses are chosen by, where a plan asks for it."""
        return hashed_words(text) if self._by_context else None

    def concept(self, lemma: int, context: UInt16s | None) -> int:
        """Return the concept of a word."""
        given = self._given.get(lemma)
        if given is not None:
            return given
        if context is None or self._usual(lemma) == NOWHERE:
            return self._usual(lemma)
        if self._within is None:
            return sense_in(self._ontology, lemma, context)
        return best_sense(self._ontology, self.bearers(lemma), context)

    def tells(self, lemma: int, known: Collection[int], context: UInt16s | None) -> bool:
        """Return whether a word bears one of the known concepts, or its own concept is one or is below."""
        own = self.concept(lemma, context)
        if own == NOWHERE:
            return False
        if own in known or not self.ancestors(own).isdisjoint(known):
            return True
        return any(c in known for c in self.bearers(lemma))

    def occurrences(
        self, text: str, known: Collection[int], written: Collection[str], context: UInt16s | None
    ) -> Iterator[WordToken]:
        """Yield the places of a text that reveal a known concept; function words do where they are in ``written``."""
        if self._ontology.spelling is not None:
            yield from self._spelled_occurrences(text, self._ontology.spelling, known, context)
            return
        parted = space_tokens(text)
        words = set(parted.split())
        for head in set(chain.from_iterable(words & self._heads(concept) for concept in known)):
            for tokens in runs_of(parted, head, self._first.most(head), self._first.go_on):
                yield from self._occurrences_at(text, tokens, known, written, context)

    def broader_occurrences(self, text: str, concepts: Collection[int], context: UInt16s | None) -> Iterator[WordToken]:
        """Yield the places of a text where a word means one of some concepts itself."""
        if not concepts or self.is_spelled:
            return
        parted = space_tokens(text)
        by_own = self._lemma_of_sense if self._by_context else self._lemma_of_own
        heads = self._first.of(np.unique(_words_of(by_own, np.array(sorted(concepts)))))
        for head in set(parted.split()) & heads:
            for tokens in runs_of(parted, head, self._first.most(head), self._first.go_on):
                for _, end in tokens:
                    token = WordToken(tokens[0].start, end)
                    lemma = self.read(text[token.start : end])
                    if lemma is not None and self.concept(lemma, context) in concepts and not is_no_noun(text, token):
                        yield token

    def all_occurrences(self, text: str) -> Iterator[WordToken]:
        """Yield the places of a text where a word stands that has a sense below the roots."""
        parted = space_tokens(text)
        for head in set(parted.split()) & self._all_heads:
            for tokens in runs_of(parted, head, self._first.most(head), self._first.go_on):
                start = tokens[0].start
                for _, end in tokens:
                    surface = text[start:end]
                    if surface.count("\n") > 1 and _has_blank_line(surface):
                        break
                    if self.read(surface) is not None:
                        yield WordToken(start, end)

    @cached_property
    def _all_heads(self) -> frozenset[str]:
        return self._first.of(np.fromiter(self.lemmas(), np.int32))

    def _spelled_occurrences(
        self, text: str, spelling: TermSpelling, known: Collection[int], context: UInt16s | None
    ) -> Iterator[WordToken]:
        """Yield the terms that show, without those inside longer ones: a band of ages hides the ages at its ends."""
        tokens, most = (
            tokens_of(text),
            max(len(words_of(word)) for word in map(self.table.word, range(min(_FEW, self._ontology.n_words)))),
        )
        runs = (tokens[first : first + number] for first in range(len(tokens)) for number in range(1, most + 1))
        read = {
            WordToken(run[0].start, run[-1].end): lemma
            for run in runs
            if (lemma := self.table.listed(text[run[0].start : run[-1].end])) is not None
        }
        for match in spelling.pattern.finditer(text):
            if (lemma := self.table.read(match[0])) is not None:
                read.setdefault(WordToken(*match.span()), lemma)
        for token in _unheld(read):
            if self.tells(read[token], known, context):
                yield token

    def _occurrences_at(
        self,
        text: str,
        tokens: Sequence[WordToken],
        known: Collection[int],
        written: Collection[str],
        context: UInt16s | None,
    ) -> Iterator[WordToken]:
        start = tokens[0].start
        for _, end in tokens:
            surface = text[start:end]
            if surface.count("\n") > 1 and _has_blank_line(surface):
                return
            lemma = self.table.read(surface)
            if lemma is not None and self.tells(lemma, known, context):
                token = WordToken(start, end)
                if (surface in written and is_small(surface)) or not is_no_noun(text, token):
                    yield token
            if text[end : end + 1] == STOP:
                lemma = self.table.read(surface + STOP, inflected=False)
                if lemma is not None and self.tells(lemma, known, context):
                    yield WordToken(start, end + 1)

    @cached_property
    def _lemma_of_sense(self) -> tuple[Int32s, Int32s]:
        """The words of every concept, and these concepts, in their order."""
        ontology = self._ontology
        owners = np.repeat(np.arange(ontology.n_lemmas, dtype=np.int32), np.diff(ontology.sense_starts))
        order = np.argsort(ontology.senses, kind="stable")
        return owners[order], ontology.senses[order]

    @cached_property
    def _lemma_of_own(self) -> tuple[Int32s, Int32s]:
        """The words by the concept that each has in every document, and these concepts, in their order."""
        own = self._ontology.senses[self._ontology.sense_starts[:-1]].copy()
        if self._within is not None:
            own = np.fromiter(map(self._first_sense, range(len(own))), np.int32)
        own[list(self._given)] = list(self._given.values())
        order = np.argsort(own, kind="stable").astype(np.int32)
        return order, own[order]

    def _first_tokens(self, concept: int) -> frozenset[str]:
        """Return the tokens with which words begin that may reveal a concept."""
        by_own = self._lemma_of_sense if self._by_context else self._lemma_of_own
        bearing = _words_of(self._lemma_of_sense, np.array([concept]))
        return self._first.of(np.unique(np.concatenate((bearing, _words_of(by_own, self.table.below(concept))))))


def _words_of(by_concept: tuple[Int32s, Int32s], concepts: Int32s) -> Int32s:
    """Return the words of some concepts; ``by_concept`` has words, and the concept of each, in order."""
    words, ordered = by_concept
    concepts = concepts.astype(ordered.dtype, copy=False)  # of one type nothing is copied to be searched
    firsts, lasts = np.searchsorted(ordered, concepts), np.searchsorted(ordered, concepts, side="right")
    return np.concatenate([words[a:b] for a, b in zip(firsts.tolist(), lasts.tolist(), strict=True)])


def _unheld(tokens: Collection[WordToken]) -> list[WordToken]:
    """Return the tokens that are in no longer one, in order."""
    kept: list[WordToken] = []
    for token in sorted(tokens, key=lambda token: (-token.end, token.start)):
        if not kept or token.start < kept[-1].start:
            kept.append(token)
    return kept[::-1]


def _has_blank_line(surface: str) -> bool:
    """Return whether two line breaks are between two words, and otherwise only whitespace and hyphens."""
    return any(gap.count("\n") > 1 for gap in SEPARATORS.findall(surface))


@lru_cache(8)
def word_concepts_of(reading: OntologyReading) -> WordConcepts:
    """Open what a plan reads by, once a process."""
    return WordConcepts(reading)
