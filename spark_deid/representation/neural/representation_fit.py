"""Train a representation that a de-identifier can use and adversaries can't read (Friedrich et al. 2019, 5.4)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isnan
from typing import Literal, NamedTuple

import numpy as np

from spark_deid.core.errors import CorpusError
from spark_deid.representation.network.adversary import SequencePairs, adversary_shapes
from spark_deid.representation.network.layers import Weights
from spark_deid.representation.network.replaceable import ReplaceableWords
from spark_deid.representation.network.representing import represent, representing_shapes
from spark_deid.representation.network.sentence_set import SentenceBatch, batches
from spark_deid.representation.network.tagging import tagging_shapes
from spark_deid.representation.neural.adversaries import adversary_step
from spark_deid.representation.neural.fitting import LEAST_HELD, as_arrays, mean_loss, reading_by, tagger_step
from spark_deid.representation.neural.framework import Tensors
from spark_deid.representation.neural.held_out import HeldOutLoss, held_out_loss
from spark_deid.representation.neural.layers import initial_arrays
from spark_deid.representation.neural.nadam import OptimizerState, begin_nadam
from spark_deid.representation.neural.pairs import DrawnPairs, PairSampler
from spark_deid.representation.neural.representation_step import (
    LossWeights,
    NoiseDraws,
    PairVectors,
    draw_noise,
    private_step,
    reversed_step,
    together_step,
)
from spark_deid.representation.neural.tagging import draw_masks

HELD_OUT = 0.15
MOST_CHANGE = 1.5
"""What the weight of the divergence is multiplied or divided by in an alternation at most."""
INPUT_NOISE, OUTPUT_NOISE = -1.0, 0.0
"""What deviations are the soft plus of at the beginning: 0.31 and 0.69, where vectors have a deviation of 1."""


class RepresentationSettings(NamedTuple):
    """What is trained, and how long: by default as the paper says.

    ``outputs`` is its d. ``method`` is its three-part training, or DANN, whose steps are those of
    ``alternating`` epochs. ``most_sentences`` are those of an epoch. The divergence between sentences and their others
    is held at ``divergence``: its weight, ``invariance`` at first, is moved after each alternation (``moved_weight``).
    """

    outputs: int = 50
    units: int = 128
    tagger_units: int = 128
    adversary_units: int = 64
    method: Literal["three-part", "dann"] = "three-part"
    strength: float = 1.0
    invariance: float = 1.0
    divergence: float = 0.15
    together: int = 20
    adversary: int = 20
    alternating: int = 40
    patience: int = 10
    batch: int = 32
    most_sentences: int | None = None

    @property
    def strengths(self) -> LossWeights:
        """Return the weights of the terms of the representation's loss."""
        return LossWeights(self.strength, self.invariance)


@dataclass(frozen=True)
class RepresentationFit:
    """Arrays of the three networks, the alternation that they are of, and losses on held-out documents after each."""

    representation: Weights
    tagger: Weights
    adversary: Weights
    epoch: int
    losses: tuple[HeldOutLoss, ...] = field(repr=False)


class _Parts(NamedTuple):
    """The three networks in training."""

    representation: Tensors
    tagger: Tensors
    adversary: Tensors


def fit_representation(
    words: ReplaceableWords,
    tags: int,
    settings: RepresentationSettings,
    seed: int,
    progress: Callable[[str], None] = lambda line: None,
) -> RepresentationFit:
    """Train a representation on sentences with annotated words that others may stand for.

    A part of the documents is held out; of the alternations after which sentences and their others are near enough on
    them that is kept whose combined loss is least, else the one with the nearest. Raises CorpusError where the other
    documents have no annotated word that others may stand for.
    """
    training, held = words.sentences.parted(HELD_OUT, seed)
    if settings.most_sentences is not None:
        held = held.drawn(max(LEAST_HELD, settings.most_sentences // 5), seed)
    trainer = _Trainer(words._replace(sentences=training), words._replace(sentences=held), settings, seed)
    parts = trainer.begin(words.sentences.table.shape[1], tags)
    progress("train representation and de-identifier together")
    parts = trainer.together(parts)
    progress("train adversaries")
    parts = trainer.adversaries(parts, settings.adversary, settings.patience)
    progress("train them against each other")
    return trainer.against_each_other(parts)


class _Trainer:
    def __init__(
        self, training: ReplaceableWords, held: ReplaceableWords, settings: RepresentationSettings, seed: int
    ) -> None:
        self._training, self._held, self._settings = training, held, settings
        self._pairs, self._held_pairs = PairSampler(training), PairSampler(held)
        self._rng = np.random.default_rng(seed)
        self._seed = seed
        self._table = training.sentences.table
        if not self._pairs.count:
            raise CorpusError("training: expected annotated words with neighbours among the vectors in most documents")

    def begin(self, inputs: int, tags: int) -> _Parts:
        """Draw the networks."""
        own = self._settings
        given = initial_arrays(self._rng, representing_shapes(inputs, own.units, own.outputs))
        given["noise_in"][:], given["noise_out"][:] = INPUT_NOISE, OUTPUT_NOISE
        tagger = initial_arrays(self._rng, tagging_shapes(own.outputs, own.tagger_units, tags))
        adversary = initial_arrays(self._rng, adversary_shapes(own.outputs, inputs, own.adversary_units))
        return _Parts(given, tagger, adversary)

    def together(self, parts: _Parts) -> _Parts:
        """Train representation and de-identifier (P1), until held-out sentences gain no more."""
        weights = {"representation": parts.representation, "tagger": parts.tagger}
        state = begin_nadam({f"{part}/{name}": each for part, own in weights.items() for name, each in own.items()})
        kept, losses = weights, list[float]()
        for epoch in range(self._settings.together):
            for batch in self._batches():
                vectors, masks, noise = self._of_step(batch)
                weights, state, _ = together_step(weights, state, vectors, batch, masks, noise)
            losses.append(self._tagging_loss(weights["representation"], weights["tagger"]))
            if losses[-1] == min(losses):
                kept = weights
            elif epoch - int(np.argmin(losses)) >= self._settings.patience:
                break
        return parts._replace(**kept)

    def adversaries(self, parts: _Parts, epochs: int, patience: int) -> _Parts:
        """Train the adversaries on the frozen representation (P2)."""
        weights, state = parts.adversary, begin_nadam(parts.adversary)
        kept, losses = weights, list[float]()
        for epoch in range(epochs):
            weights, state = self._adversary_epoch(parts, weights, state)
            losses.append(self._loss(parts._replace(adversary=weights)).adversaries)
            if losses[-1] == min(losses):
                kept = weights
            elif epoch - int(np.argmin(losses)) >= patience:
                break
        return parts._replace(adversary=kept)

    def against_each_other(self, parts: _Parts) -> RepresentationFit:
        """Alternate (P3): an epoch of both branches, an epoch of the representation; or all at once (DANN)."""
        own = self._settings
        best, losses, found = parts, list[HeldOutLoss](), list[tuple[bool, float]]()
        states = _States(*(begin_nadam(each) for each in parts))
        whole = begin_nadam(
            {f"{name}/{array}": each for name, arrays in parts._asdict().items() for array, each in arrays.items()}
        )
        strengths = own.strengths
        for epoch in range(own.alternating):
            if own.method == "dann":
                parts, whole = self._reversed_epoch(parts, whole, strengths)
            else:
                parts, states = self._branches_epoch(parts, states)
                parts, states = self._private_epoch(parts, states, strengths)
            losses.append(self._loss(parts))
            found.append(rank(losses[-1], own))
            if found[-1] == min(found):
                best = parts
            elif epoch - found.index(min(found)) >= own.patience:
                break
            moved = moved_weight(strengths.invariance, losses[-1].divergence, own.divergence)
            strengths = strengths._replace(invariance=moved)
        kept = found.index(min(found)) if found else 0
        given, tagger, adversary = (as_arrays(each) for each in best)
        return RepresentationFit(given, tagger, adversary, kept, tuple(losses))

    def _branches_epoch(self, parts: _Parts, states: "_States") -> tuple[_Parts, "_States"]:
        """Train the de-identifier and the adversaries on the frozen representation (P3a)."""
        frozen = as_arrays(parts.representation)
        tagger, state = parts.tagger, states.tagger
        for batch in self._batches():
            shown = represent(frozen, self._table[batch.rows], batch.present, self._rng)
            masks = draw_masks(self._rng, shown.shape, self._settings.tagger_units)
            tagger, state, _ = tagger_step(tagger, state, shown, batch, masks)
        adversary, other = self._adversary_epoch(parts, parts.adversary, states.adversary)
        return parts._replace(tagger=tagger, adversary=adversary), states._replace(tagger=state, adversary=other)

    def _private_epoch(self, parts: _Parts, states: "_States", strengths: LossWeights) -> tuple[_Parts, "_States"]:
        """Train the representation with both branches frozen (P3b)."""
        weights, state = parts.representation, states.representation
        frozen = {"tagger": parts.tagger, "adversary": parts.adversary}
        for each in self._batches():
            batch, pairs, noises = self._with_pairs(each)
            vectors, masks, noise = self._of_step(batch)
            given = (vectors, batch, masks, pairs, (noise, *noises), strengths)
            weights, state, _ = private_step(weights, state, frozen, *given)
        return parts._replace(representation=weights), states._replace(representation=state)

    def _reversed_epoch(
        self, parts: _Parts, state: OptimizerState, strengths: LossWeights
    ) -> tuple[_Parts, OptimizerState]:
        weights = parts._asdict()
        for each in self._batches():
            batch, pairs, noises = self._with_pairs(each)
            vectors, masks, noise = self._of_step(batch)
            given = (vectors, batch, masks, pairs, (noise, *noises), strengths)
            weights, state, _ = reversed_step(weights, state, *given)
        return _Parts(**weights), state

    def _adversary_epoch(
        self, parts: _Parts, weights: Tensors, state: OptimizerState
    ) -> tuple[Tensors, OptimizerState]:
        frozen = as_arrays(parts.representation)
        for drawn in self._pairs.epoch(self._settings.batch, self._rng, self._settings.most_sentences):
            weights, state, _ = adversary_step(weights, state, self._sequences(frozen, drawn), drawn.same)
        return weights, state

    def _sequences(self, representation: Weights, drawn: DrawnPairs) -> SequencePairs:
        first, second = self._table[drawn.first], self._table[drawn.second]
        shown, other = (represent(representation, each, drawn.present, self._rng) for each in (first, second))
        return SequencePairs(shown, second, other, drawn.present)

    def _batches(self) -> "list[SentenceBatch]":
        own = self._settings
        return list(batches(self._training.sentences.sentences, own.batch, self._rng, own.most_sentences))

    def _of_step(self, batch: SentenceBatch) -> "tuple[np.ndarray, object, NoiseDraws]":
        vectors = self._table[batch.rows]
        shape = (*vectors.shape[:2], self._settings.outputs)
        masks = draw_masks(self._rng, shape, self._settings.tagger_units)
        return vectors, masks, draw_noise(self._rng, vectors.shape, self._settings.outputs)

    def _with_pairs(self, batch: SentenceBatch) -> tuple[SentenceBatch, PairVectors, tuple[NoiseDraws, NoiseDraws]]:
        """Draw pairs that are as long as the batch, or shorter; both are laid out to one length."""
        length = max(batch.rows.shape[1], min(self._pairs.lengths))
        fitting = max(each for each in self._pairs.lengths if each <= length)
        drawn = self._pairs.draw(fitting, self._settings.batch, self._rng).widened(length)
        first, second = self._table[drawn.first], self._table[drawn.second]
        noises = [draw_noise(self._rng, first.shape, self._settings.outputs) for _ in range(2)]
        return batch.widened(length), PairVectors(first, second, drawn.present, drawn.same), (noises[0], noises[1])

    def _tagging_loss(self, representation: Tensors, tagger: Tensors) -> float:
        rng = np.random.default_rng(self._seed)
        own = as_arrays(representation)
        return mean_loss(as_arrays(tagger), self._held.sentences, self._settings.batch, reading_by(own, rng))

    def _loss(self, parts: _Parts) -> HeldOutLoss:
        return held_out_loss(
            as_arrays(parts.representation),
            as_arrays(parts.tagger),
            as_arrays(parts.adversary),
            self._held.sentences,
            self._held_pairs,
            np.random.default_rng(self._seed),
        )


def moved_weight(weight: float, divergence: float, wanted: float) -> float:
    """Return the weight of a bounded term after a step: more where the term is above what is wanted, less below.

    The multiplier's update of Rezende and Viola (2018, "Taming VAEs", section 3), here by the ratio of both, of which
    a step takes a half more or a third less at most. A weight that only grows spoils all: it goes on hiding long after
    enough is hidden.

    >>> moved_weight(1.0, 0.3, 0.15), moved_weight(1.0, 0.12, 0.15), moved_weight(3.0, 0.0, 0.15)
    (1.5, 0.8, 2.0)
    """
    # In this order a divergence that is no number any more counts as one that is too large.
    return weight * max(min(MOST_CHANGE, divergence / wanted), 1 / MOST_CHANGE)


def rank(loss: HeldOutLoss, settings: RepresentationSettings) -> tuple[bool, float]:
    """Return what the least of is kept: what is near enough by its loss, all else by how far apart it is.

    What is no number any more is too far apart, and the last of all.
    """
    is_apart = settings.invariance > 0 and not loss.divergence <= settings.divergence
    worth = loss.divergence if is_apart else loss.combined(settings.strength)
    return is_apart, inf if isnan(worth) else worth


class _States(NamedTuple):
    representation: OptimizerState
    tagger: OptimizerState
    adversary: OptimizerState
