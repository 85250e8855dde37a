"""Partitions of originals into blocks, coarser from one demand to the next, and nested in one another."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s
from spark_deid.ontology.subtrees import ROOT, SubtreeParents
from spark_deid.ontology.word_forms import PLURAL, word_forms
from spark_deid.plausibility.text.segments import changes_segments
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.plausibility.text.uses import may_be_other
from spark_deid.plausibility.text.writing import is_counted
from spark_deid.values.wording import plural_of


class OriginalBlock(NamedTuple):
    """Originals that are written alike: the node whose name stands for them, and their concepts, in order."""

    node: int
    members: tuple[int, ...]


class BlockLevels(NamedTuple):
    """The partition for each number of blocks that a segment may touch, from one block on.

    ``blocks[i]`` are those for ``sizes[i]``, the least whole number of at least 2 whose power i + 1 reaches t.
    """

    sizes: tuple[int, ...]
    blocks: tuple[tuple[OriginalBlock, ...], ...]


def sizes_of(t: int) -> tuple[int, ...]:
    """Return the least size of blocks for each number of them, up to the first for which 2 is enough.

    >>> sizes_of(64), sizes_of(10)
    ((64, 8, 4, 3, 3, 2), (10, 4, 3, 2))
    """
    found = [t]
    while found[-1] > 2:
        power = len(found) + 1
        low, high = 1, found[-1]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if middle**power >= t else (middle, high)
        found.append(max(high, 2))
    return tuple(found)


def levels_of(
    hung: SubtreeParents, concepts: Iterable[int], t: int, named: Callable[[Set[int], Set[int]], Set[int]]
) -> BlockLevels:
    """Return the partitions of concepts, without those that share a word with the name of any block of any size.

    ``named`` returns these concepts for the nodes of all blocks and all concepts. The partitions are built again until
    there are none.
    """
    sizes = sizes_of(t)
    originals = set(concepts)
    order = _deepest_first(hung)
    while True:
        by_size: dict[int, tuple[OriginalBlock, ...]] = {}
        finer: tuple[OriginalBlock, ...] = ()
        for size in sorted(set(sizes)):
            finer = by_size[size] = (
                _joined(hung, order, finer, size) if by_size else _first(hung, order, originals, size)
            )
        struck = named({block.node for blocks in by_size.values() for block in blocks}, originals)
        if not struck:
            return BlockLevels(sizes, tuple(by_size[size] for size in sizes))
        originals -= struck


def _deepest_first(hung: SubtreeParents) -> list[int]:
    """Return the concepts inside, each before what it hangs by."""
    depth: dict[int, int] = {}
    inside = hung.inside.nonzero()[0].tolist()
    for concept in inside:
        path = []
        while concept != ROOT and concept not in depth:
            path.append(concept)
            concept = int(hung.parents[concept])
        above = -1 if concept == ROOT else depth[concept]
        for place, each in enumerate(reversed(path), above + 1):
            depth[each] = place
    return sorted(inside, key=lambda concept: (-depth[concept], concept))


def _first(hung: SubtreeParents, order: Iterable[int], originals: set[int], size: int) -> tuple[OriginalBlock, ...]:
    """Let each node take the originals strictly below it that are free, once they are enough."""
    free: dict[int, list[int]] = {}
    blocks = []
    for node in order:
        below = free.pop(node, [])
        if len(below) >= size:
            blocks.append(OriginalBlock(node, tuple(sorted(below))))
            below = []
        if node in originals:
            below.append(node)
        free.setdefault(int(hung.parents[node]), []).extend(below)
    return tuple(blocks)


def _joined(
    hung: SubtreeParents, order: Iterable[int], finer: Iterable[OriginalBlock], size: int
) -> tuple[OriginalBlock, ...]:
    """Let each node take whole finer blocks that stand at it or below and are free, once their originals are enough."""
    free: dict[int, list[tuple[int, ...]]] = {}
    for block in finer:
        free.setdefault(block.node, []).append(block.members)
    blocks = []
    for node in order:
        own = free.pop(node, [])
        if sum(map(len, own)) >= size:
            blocks.append(OriginalBlock(node, tuple(sorted(member for each in own for member in each))))
            own = []
        free.setdefault(int(hung.parents[node]), []).extend(own)
    return tuple(blocks)


# Which concepts a reader with the program counts as originals: those that some word is always read as.


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
