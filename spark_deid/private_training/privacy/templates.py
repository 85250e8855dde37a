"""Attack by templates: of each sentence that could have been, the attacker makes what the public model makes of it.

He has the frozen model, and the one transform of a sentence that was published. Of N candidates, which differ in one
annotated word, he makes templates, with noise off (A1: the model read backwards) or as the mean of many transforms of
his own (A2: a table of known sentences), and takes the nearest, by distances in units of the noise.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.sentence_set import LabelledSentence
from spark_deid.private_training.privacy.verdict import AttackAccuracy, accuracy_of

# Input of attackers: sentences and the same with one annotated word exchanged, drawn for the recount only.


class TrialPairs(NamedTuple):
    """Pairs of one length: rows of vectors ``[pair, token]``, whether both are one sentence, and their documents."""

    first: Int64s
    second: Int64s
    present: Bools
    are_same: Bools
    documents: Int64s


class TrialSentence(NamedTuple):
    """A sentence in which one word may be exchanged: where it occurs, and the rows that may be there."""

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
    the other one. So no sequence separately shows anything.
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


Transform = Callable[[Float32s, Bools, np.random.Generator | None], Float32s]
"""What the public model makes of vectors ``[sentence, token, number]``: with drawn noise, or none where None."""


TOGETHER = 20
"""Transforms that are made at a time."""


class PublicModel(NamedTuple):
    """Abilities of an attacker who has the model: transform as an institution does, and with noise on inputs only.

    The mean of transforms is the same without the noise on outputs, and is reached sooner. ``widths`` are that noise's
    deviations.
    """

    transform: Transform
    without_output_noise: Transform
    widths: Float32s


class TemplateSettings(NamedTuple):
    """How many sentences are attacked, of how many candidates, and the transforms that a mean is of.

    Of 1,000 sentences the interval of a tenth is 8.2% to 12.0%: far fewer can't show a margin of five points.
    """

    sentences: int = 1000
    candidates: int = 100
    mean_candidates: int = 10
    transforms: int = 100


def attack_by_templates(
    model: PublicModel,
    table: Float32s,
    known: Sequence[TrialSentence],
    settings: TemplateSettings,
    seed: int,
) -> tuple[AttackAccuracy, AttackAccuracy]:
    """Return how often either attack finds the word that was there.

    Which candidate is the truth is drawn, and so is the one that is taken where several are as near.
    """
    rng = np.random.default_rng(seed)
    results: list[tuple[bool, bool]] = []
    documents, chances = [], []
    for number in rng.integers(len(known), size=settings.sentences).tolist():
        each = known[number]
        outcome = []
        for count, transforms in ((settings.candidates, 0), (settings.mean_candidates, settings.transforms)):
            rows, truth = _candidates(each, count, rng)
            outcome.append(_is_found(model, table, rows, truth, transforms, rng))
            chances.append(1 / len(rows))
        results.append((outcome[0], outcome[1]))
        documents.append(each.sentence.document)
    right = np.array(results, np.bool_)
    names = ("A1 template", "A2 mean of transforms")
    first, second = (
        accuracy_of(name, seed, float(np.mean(chances[place::2])), right[:, place], documents)
        for place, name in enumerate(names)
    )
    return first, second


def _candidates(each: TrialSentence, count: int, rng: np.random.Generator) -> tuple[Int64s, int]:
    """Return versions of a sentence ``[candidate, token]``, in a drawn order, and the number of the original."""
    others = np.setdiff1d(each.others, [each.sentence.rows[each.place]])
    chosen = rng.permutation(others)[: count - 1]
    words = np.concatenate([[each.sentence.rows[each.place]], chosen])
    order = rng.permutation(len(words))
    versions = np.repeat(each.sentence.rows[None], len(words), 0)
    versions[:, each.place] = words[order]
    return versions, int(np.flatnonzero(order == 0)[0])


def _is_found(
    model: PublicModel, table: Float32s, rows: Int64s, truth: int, transforms: int, rng: np.random.Generator
) -> bool:
    vectors = np.asarray(table[rows], np.float32)
    present = np.ones(rows.shape, np.bool_)
    published = model.transform(vectors[truth : truth + 1], present[:1], rng)
    if transforms:
        templates = _mean_of_transforms(model, vectors, transforms, rng)
    else:
        templates = model.transform(vectors, present, None)
    distances = np.square((templates - published) / np.maximum(model.widths, 1e-6)).sum((1, 2), dtype=np.float64)
    nearest = np.flatnonzero(distances == distances.min())
    return int(rng.choice(nearest)) == truth


def _mean_of_transforms(model: PublicModel, vectors: Float32s, count: int, rng: np.random.Generator) -> Float32s:
    """Return the mean of transforms of versions ``[candidate, token, number]``, some at a time."""
    total, done = np.zeros(0, np.float32), 0
    while done < count:
        size = min(TOGETHER, count - done)
        present = np.ones((size * len(vectors), vectors.shape[1]), np.bool_)
        drawn = model.without_output_noise(np.tile(vectors, (size, 1, 1)), present, rng)
        own = drawn.reshape(size, *vectors.shape[:2], -1).sum(0)
        total = own if done == 0 else total + own
        done += size
    return np.asarray(total / np.float32(count), np.float32)
