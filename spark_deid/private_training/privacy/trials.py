"""What attackers are shown: sentences and the same with one annotated word exchanged, drawn for the recount alone."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.sentence_set import LabelledSentence


class TrialPairs(NamedTuple):
    """Pairs of one length: rows of vectors ``[pair, token]``, whether both are one sentence, and their documents."""

    first: Int64s
    second: Int64s
    present: Bools
    are_same: Bools
    documents: Int64s


class TrialSentence(NamedTuple):
    """A sentence in which one word may be exchanged: where it stands, and the rows that may stand there."""

    sentence: LabelledSentence
    place: int
    others: Int64s


def trial_sentences(words: ReplaceableWords) -> list[TrialSentence]:
    """Return every annotated word that has others, with its sentence."""
    found = []
    for sentence in words.sentences.sentences:
        for place, (row, tag) in enumerate(zip(sentence.rows.tolist(), sentence.tags.tolist(), strict=True)):
            others = words.candidates.get(row)
            if tag and others is not None and len(others):
                found.append(TrialSentence(sentence, place, others))
    return found


def trials(known: Sequence[TrialSentence], count: int, size: int, rng: np.random.Generator) -> Iterator[TrialPairs]:
    """Yield ``count`` pairs, or as many as fill whole batches of ``size``; half are of one sentence.

    First comes a version of a sentence, the original or one with a word exchanged, each as often; then the same or
    the other one. So no sequence by itself tells anything.
    """
    by_length: dict[int, list[TrialSentence]] = {}
    for each in known:
        by_length.setdefault(laid_length(len(each.sentence.rows)), []).append(each)
    lengths = sorted(by_length)
    shares = np.array([len(by_length[length]) for length in lengths], np.float64)
    batches = rng.multinomial(max(1, -(-count // size)), shares / shares.sum())
    for place in rng.permutation(np.repeat(np.arange(len(lengths)), batches)).tolist():
        length = lengths[place]
        own = by_length[length]
        yield _pairs([own[int(number)] for number in rng.integers(len(own), size=size)], length, rng)


def laid_length(length: int) -> int:
    """Return the length that a sentence is laid out to, of few different ones."""
    laid = 16
    while laid < length:
        laid *= 2
    return laid


def _pairs(chosen: Sequence[TrialSentence], length: int, rng: np.random.Generator) -> TrialPairs:
    first = np.zeros((len(chosen), length), np.int64)
    present = np.zeros((len(chosen), length), np.bool_)
    second, are_same = first.copy(), np.arange(len(chosen)) % 2 == 0
    for number, each in enumerate(chosen):
        versions = np.stack([each.sentence.rows, each.sentence.rows])
        versions[1, each.place] = each.others[int(rng.integers(len(each.others)))]
        shown = int(rng.integers(2))
        size = versions.shape[1]
        first[number, :size] = versions[shown]
        second[number, :size] = versions[shown if are_same[number] else 1 - shown]
        present[number, :size] = True
    documents = np.array([each.sentence.document for each in chosen], np.int64)
    return TrialPairs(first, second, present, are_same, documents)
