"""A reading of an ontology with its partition: what becomes of each concept, by how many blocks a segment touches."""

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spark_deid.plausibility.text.crossing import TermJoints, Tokens
from spark_deid.plausibility.text.partition import OriginalBlock, OriginalWords, levels_of
from spark_deid.plausibility.text.senses import WordSenses, senses_of
from spark_deid.plausibility.text.settings import CutDemand
from spark_deid.values.wording import plural_of

_KEPT_OPEN, _KEPT_FORMS = 4, 64
_TOKEN = re.compile(r"[^\W_]+")
_MOST = 8
"""Tokens beside a term that are looked at."""


class BlockPart(NamedTuple):
    """What is written for a concept, and how many originals are written so."""

    node: int
    originals: int


class BlockForm(NamedTuple):
    """The forms of a block's terms: ``counted`` as a plural or after "a" or "an", ``several`` as a plural."""

    counted: bool = False
    several: bool = False


class CutReading:
    """The partition of what a rule reads below its roots; ``block_of`` has the blocks for t, by concept."""

    def __init__(self, demand: CutDemand) -> None:
        self.senses: WordSenses = senses_of(demand.reading)
        senses = self.senses
        words = OriginalWords(senses, [senses_of(other) for other in demand.others])
        name_of = senses.ontology.name_of
        bearing = _folded_words(senses)
        levels = levels_of(
            senses.hung,
            words.by_concept,
            demand.t,
            lambda nodes, concepts: _sharing((_folded(name_of(node)) for node in nodes), concepts, bearing),
        )
        self.sizes = levels.sizes
        self.block_of = {c: number for number, block in enumerate(levels.blocks[0]) for c in block.members}
        self._parts = [{c: block for block in blocks for c in block.members} for blocks in levels.blocks]
        self._has_plural = {
            block.node: senses.plural(block.node) is not None for blocks in levels.blocks for block in blocks
        }
        self._counted = {
            block: len(words.counted.intersection(block.members)) for blocks in levels.blocks for block in blocks
        }
        self.has_articles = any(self._counted.values())  # "a Boston clinic": of places, the next word has the article
        self.members = [block.members for block in levels.blocks[0]]
        self._blocks = levels.blocks[0]
        self.words = words
        self.joints = TermJoints(_longer(senses), *self._ends())
        self._written = lru_cache(_KEPT_FORMS)(self._written_by)

    def part(self, concept: int, blocks: int, form: BlockForm = BlockForm()) -> BlockPart:  # noqa: B008
        """Return what is written for a concept whose block is in segments that touch ``blocks`` blocks, in a form."""
        block = self._written(min(blocks, len(self.sizes)) - 1, form)[concept]
        return BlockPart(block.node, self._counted[block] if form.counted else len(block.members))

    def is_writable(self, block: int, *, several: bool) -> bool:
        """Return whether a block's terms can be written, however many blocks their segments touch."""
        return not several or self._has_plural[self._blocks[block].node]

    def has_counted(self, block: int, blocks: int) -> bool:
        """Return whether enough originals of a block are counted for segments that touch ``blocks`` blocks."""
        return self._counted[self._blocks[block]] >= self.sizes[min(blocks, len(self.sizes)) - 1]

    def _written_by(self, level: int, form: BlockForm) -> dict[int, OriginalBlock]:
        """Return the part that each original is written by.

        It begins with the smallest parts of a level. Where one of them does not have the form, all parts of the next
        larger one are joined, so that no original of a part is written otherwise than another.
        """
        written = {concept: self._parts[level][concept] for concept in self.block_of}
        for coarser in reversed(self._parts[:level]):
            lacking = {part for part in set(written.values()) if not self._has(part, level, form)}
            joined = {coarser[part.members[0]] for part in lacking}
            written |= {concept: part for part in joined for concept in part.members}
        return written

    def _has(self, part: OriginalBlock, level: int, form: BlockForm) -> bool:
        is_enough = not form.counted or self._counted[part] >= self.sizes[level]
        return is_enough and (not form.several or self._has_plural[part.node])

    def _ends(self) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        """Return the first and the last tokens of the words of each block."""
        words = self.words
        spelled = [
            [tokens_of(form) for c in members for word in words.by_concept[c] for form in (word, words.plural[word])]
            for members in self.members
        ]
        firsts = [frozenset(tokens[0] for tokens in each) for each in spelled]
        return firsts, [frozenset(tokens[-1] for tokens in each) for each in spelled]

    def goes_on(self, text: str, start: int, end: int, block: int) -> bool:
        """Tell whether a term of a block at ``text[start:end]`` may be part of a longer one with what stands there."""
        joints = self.joints
        return joints.go_on_before(block, _before(text, start)) or joints.go_on_after(block, _after(text, end))


def _sharing(names: Iterable[str], concepts: Iterable[int], bearing: Mapping[int, Set[str]]) -> set[int]:
    """Return the concepts that have a word in one of some names, as they are compared."""
    held: set[str] = set()
    for name in names:
        parts = name.split()
        held |= {f" {' '.join(parts[a:b])} " for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)}
    return {concept for concept in concepts if not held.isdisjoint(bearing.get(concept, ()))}


def tokens_of(text: str) -> Tokens:
    """Return the tokens of a text in small letters."""
    return tuple(_TOKEN.findall(text.lower()))


def _before(text: str, start: int) -> Tokens:
    """Return the tokens that stand before a position, up to where no term goes on."""
    near = text[max(0, start - 100) : start]
    cut = max(near.rfind(sign) for sign in ".,;:!?()\0")
    return tokens_of(near[cut + 1 :])[-_MOST:]


def _after(text: str, end: int) -> Tokens:
    near = text[end : end + 100]
    cut = min((place for place in (near.find(sign) for sign in ".,;:!?()\0") if place >= 0), default=len(near))
    return tokens_of(near[:cut])[:_MOST]


def _longer(senses: WordSenses) -> list[Tokens]:
    """Return the tokens of the words of several tokens that a reading has."""
    ontology = senses.ontology
    usual = np.asarray(senses.usual)
    numbers = [*np.flatnonzero(usual >= 0).tolist()]
    numbers += [n for n, lemma in enumerate(ontology.lemmas.tolist(), ontology.n_lemmas) if usual[lemma] >= 0]
    spelled = (tokens_of(ontology.word(number)) for number in numbers)
    return [tokens for tokens in spelled if len(tokens) > 1]


def _folded_words(senses: WordSenses) -> dict[int, set[str]]:
    """Return all words that bear each concept, as they are compared with names, in both numbers."""
    ontology = senses.ontology
    found: dict[int, set[str]] = {}
    owners = np.repeat(np.arange(ontology.n_lemmas, dtype=np.int32), np.diff(ontology.sense_starts))
    inside = np.flatnonzero(senses.hung.inside[ontology.senses])
    for lemma, concept in zip(owners[inside].tolist(), ontology.senses[inside].tolist(), strict=True):
        word = ontology.word(lemma)
        found.setdefault(concept, set()).update((_folded(word), _folded(plural_of(word, lambda _: ()))))
    return found


def _folded(text: str) -> str:
    return f" {' '.join(text.lower().replace('-', ' ').replace('_', ' ').split())} "


@lru_cache(_KEPT_OPEN)
def cut_reading_of(demand: CutDemand) -> CutReading:
    """Open the partition of a demand, once a process."""
    return CutReading(demand)
