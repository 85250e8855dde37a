"""Pairs to train adversaries on: sequences of one sentence, or of two that differ in one annotated word."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import padded_length, padded_rows
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.sentence_set import NOTHING, LabelledSentence


class DrawnPairs(NamedTuple):
    """Pairs as rows of vectors ``[pair, token]``, which tokens are there, and 1 for pairs of one sentence, else 0.

    Which of both has the original word is drawn as well: else a sentence that reads oddly would state that it is
    another.
    """

    first: Int64s
    second: Int64s
    present: Bools
    same: Float32s

    def widened(self, length: int) -> "DrawnPairs":
        """Return the pairs with absent tokens up to a length."""
        more = ((0, 0), (0, length - self.first.shape[1]))
        first, second = (np.pad(rows, more, constant_values=NOTHING) for rows in (self.first, self.second))
        return DrawnPairs(first, second, np.pad(self.present, more), self.same)


class PairSampler:
    """Draw pairs of sentences that have annotated words for which others may occur."""

    def __init__(self, words: ReplaceableWords) -> None:
        self._words = words
        self._by_length: dict[int, list[LabelledSentence]] = {}
        for sentence in words.sentences.sentences:
            if len(words.places(sentence)):
                self._by_length.setdefault(padded_length(len(sentence.rows)), []).append(sentence)

    @property
    def count(self) -> int:
        """Return the number of sentences that pairs are drawn of."""
        return sum(map(len, self._by_length.values()))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return the padded lengths of these sentences."""
        return tuple(sorted(self._by_length))

    def draw(self, length: int, size: int, rng: np.random.Generator) -> DrawnPairs:
        """Draw pairs of a padded length of those that there are."""
        known = self._by_length[length]
        return self._pairs([known[int(number)] for number in rng.integers(0, len(known), size)], length, rng)

    def epoch(self, size: int, rng: np.random.Generator, most: int | None) -> Iterator[DrawnPairs]:
        """Yield batches in which each sentence stands once, or ``most`` of them; batches are filled up by draws."""
        chosen = [sentence for length in self.lengths for sentence in self._by_length[length]]
        order = rng.permutation(len(chosen))[:most]
        grouped: dict[int, list[LabelledSentence]] = {}
        for number in order.tolist():
            grouped.setdefault(padded_length(len(chosen[number].rows)), []).append(chosen[number])
        chunks = [
            (length, own[start : start + size]) for length, own in grouped.items() for start in range(0, len(own), size)
        ]
        for place in rng.permutation(len(chunks)).tolist():
            length, own = chunks[place]
            more = self._by_length[length]
            filled = [*own, *(more[int(number)] for number in rng.integers(0, len(more), size - len(own)))]
            yield self._pairs(filled, length, rng)

    def _pairs(self, chosen: Sequence[LabelledSentence], length: int, rng: np.random.Generator) -> DrawnPairs:
        originals = padded_rows([sentence.rows for sentence in chosen], length, NOTHING)
        others = originals.copy()
        for number, sentence in enumerate(chosen):
            place = int(rng.choice(self._words.places(sentence)))
            others[number, place] = rng.choice(self._words.candidates[int(sentence.rows[place])])
        same, turned = rng.random(len(chosen)) < 0.5, rng.random(len(chosen)) < 0.5
        first = np.where(turned[:, None], others, originals)
        second = np.where((turned == same)[:, None], others, originals)
        lengths = np.array([len(sentence.rows) for sentence in chosen])
        return DrawnPairs(first, second, np.arange(length) < lengths[:, None], same.astype(np.float32))
