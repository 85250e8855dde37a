"""Train a representation that a de-identifier can use and adversaries can't read (Friedrich et al. 2019, 5.4)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isnan
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np

from spark_deid.core.errors import CorpusError
from spark_deid.private_training.network.adversary import SequencePairs, adversary_shapes
from spark_deid.private_training.network.layers import Weights, represent, representing_shapes
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.network.sentence_set import SentenceBatch, batches
from spark_deid.private_training.network.tagging import tagging_shapes
from spark_deid.private_training.neural.adversaries import adversary_step
from spark_deid.private_training.neural.fitting import LEAST_HELD, as_arrays, mean_loss, reading_by, tagger_step
from spark_deid.private_training.neural.framework import Tensor, Tensors
from spark_deid.private_training.neural.held_out import HeldOutLoss, held_out_loss
from spark_deid.private_training.neural.layers import initial_arrays
from spark_deid.private_training.neural.nadam import begin_nadam
from spark_deid.private_training.neural.pairs import DrawnPairs, PairSampler
from spark_deid.private_training.neural.representation_step import (
    LossWeights,
    NoiseDraws,
    PairVectors,
    draw_noise,
    private_step,
    reversed_step,
    together_step,
)
from spark_deid.private_training.neural.tagging import draw_masks
from spark_deid.private_training.neural.training_state import (
    ADVERSARIES,
    BRANCHES,
    FINISHED,
    REPRESENTATION,
    REVERSAL,
    TOGETHER,
    NetworkParts,
    TrainingState,
    digest_training,
    read_state,
    write_state,
)

HELD_OUT = 0.15
MOST_CHANGE = 1.5
"""Maximum factor by which the weight of the divergence rises or falls in an alternation."""
INPUT_NOISE, OUTPUT_NOISE = -1.0, 0.0
"""Deviations are the soft plus of these at the beginning: 0.31 and 0.69, where vectors have a deviation of 1."""
DIVERGENCE: Final = "divergence"
DANN: Final = "dann"
_STAGES = {
    TOGETHER: "train representation and de-identifier together",
    ADVERSARIES: "train adversaries",
    BRANCHES: "train them against each other",
    REVERSAL: "train all three with gradient reversal",
}


class RepresentationSettings(NamedTuple):
    """Sizes, method and length of a training: epochs by default as in the paper.

    ``outputs`` is its d. ``method`` is one of:

    - ``paper``: three parts (5.4), with the loss of equation 2 on the averaged outputs of the adversaries.
    - ``dann``: all three networks at once, with gradient reversal and that loss, ``together`` + ``alternating`` epochs.
    - ``divergence``: three parts, each adversary's distance from a guess, and the divergence between sentences and
      their others at ``divergence``: its weight, ``invariance`` at first, is moved after each alternation
      (``moved_weight``).

    ``most_sentences`` are the sentences of an epoch.
    """

    outputs: int = 50
    units: int = 128
    tagger_units: int = 128
    adversary_units: int = 64
    method: Literal["divergence", "paper", "dann"] = DIVERGENCE
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
    def is_averaged(self) -> bool:
        """Return whether the adversaries have one loss, of their averaged outputs."""
        return self.method != DIVERGENCE

    @property
    def epochs(self) -> dict[str, int]:
        """Return the epochs of each part, in the order of the parts; an alternation is an epoch of both its parts."""
        if self.method == DANN:
            return {REVERSAL: self.together + self.alternating}
        return {
            TOGETHER: self.together,
            ADVERSARIES: self.adversary,
            BRANCHES: self.alternating,
            REPRESENTATION: self.alternating,
        }


@dataclass(frozen=True)
class RepresentationFit:
    """Arrays of the three networks, the alternation that they are of, and losses on held-out documents after each."""

    representation: Weights
    tagger: Weights
    adversary: Weights
    epoch: int
    losses: tuple[HeldOutLoss, ...] = field(repr=False)


def fit_representation(
    words: ReplaceableWords,
    tags: int,
    settings: RepresentationSettings,
    seed: int,
    progress: Callable[[str], None] = lambda line: None,
    place: Path | None = None,
) -> RepresentationFit:
    """Train a representation on sentences with annotated words that have candidates.

    A part of the documents is held out. The alternation whose combined loss on them is least is kept: of all with the
    paper's methods, and with a bounded divergence of those near enough, or otherwise the nearest. ``place`` is a file
    for the state after each epoch: a training that was killed continues from it to equal arrays. Raises CorpusError if
    the other documents have no annotated word with candidates, and UsageError for the state of another
    training.
    """
    training, held = words.sentences.parted(HELD_OUT, seed)
    if settings.most_sentences is not None:
        held = held.drawn(max(LEAST_HELD, settings.most_sentences // 5), seed)
    trainer = _Trainer(words._replace(sentences=training), words._replace(sentences=held), settings, seed)
    digest = digest_training(words, (tags, settings, seed)) if place is not None else ""
    state = read_state(place, digest) if place is not None else None
    if state is None:
        state = trainer.begin(words.sentences.table.shape[1], tags)
    else:
        progress(f"continue after {state.epochs} epochs of this part")
    shown = ""
    while state.part != FINISHED:
        if (stage := _STAGES.get(state.part, shown)) != shown:
            progress(shown := stage)
        state = trainer.train_epoch(state)
        if place is not None:
            write_state(place, state, digest)
    given, tagger, adversary = (as_arrays(each) for each in state.kept)
    return RepresentationFit(given, tagger, adversary, state.best, state.alternations)


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

    def begin(self, inputs: int, tags: int) -> TrainingState:
        """Draw the networks."""
        own = self._settings
        given = initial_arrays(self._rng, representing_shapes(inputs, own.units, own.outputs))
        given["noise_in"][:], given["noise_out"][:] = INPUT_NOISE, OUTPUT_NOISE
        tagger = initial_arrays(self._rng, tagging_shapes(own.outputs, own.tagger_units, tags))
        adversary = initial_arrays(self._rng, adversary_shapes(own.outputs, inputs, own.adversary_units))
        parts = NetworkParts(given, tagger, adversary)
        state = TrainingState("", 0, parts, parts, {}, (), (), 0, own.invariance, {})
        return self._entered(state, tuple(own.epochs))

    def train_epoch(self, state: TrainingState) -> TrainingState:
        """Return the state after an epoch of the part that is next, which depends on the state and nothing else."""
        self._rng.bit_generator.state = dict(state.random)
        done = {
            TOGETHER: self._together,
            ADVERSARIES: self._adversaries,
            BRANCHES: self._branches,
            REPRESENTATION: self._private,
            REVERSAL: self._reversal,
        }[state.part](state)
        return done._replace(random=self._rng.bit_generator.state)

    def _entered(self, state: TrainingState, parts: tuple[str, ...]) -> TrainingState:
        """Return the state at the beginning of the first of the parts that has epochs."""
        part = next((each for each in parts if self._settings.epochs[each]), FINISHED)
        networks = state.networks
        wanted: dict[str, Mapping[str, Mapping[str, Tensor]]] = {
            TOGETHER: {TOGETHER: {"r": networks.representation, "t": networks.tagger}},
            ADVERSARIES: {"adversary": {"a": networks.adversary}},
            BRANCHES: {name: {name: each} for name, each in networks._asdict().items()},
            REVERSAL: {REVERSAL: networks._asdict()},
            FINISHED: {},
        }
        optimizers = {
            name: begin_nadam({f"{own}/{array}": each for own, arrays in of.items() for array, each in arrays.items()})
            for name, of in wanted[part].items()
        }
        return state._replace(
            part=part,
            epochs=0,
            kept=networks,
            optimizers=optimizers,
            losses=(),
            random=self._rng.bit_generator.state,
        )

    def _together(self, state: TrainingState) -> TrainingState:
        """Train representation and de-identifier (P1), until held-out sentences gain no more."""
        parts = state.networks
        weights = {"representation": parts.representation, "tagger": parts.tagger}
        optimizer = state.optimizers[TOGETHER]
        for batch in self._batches():
            vectors, masks, noise = self._of_step(batch)
            weights, optimizer, _ = together_step(weights, optimizer, vectors, batch, masks, noise)
        loss = self._tagging_loss(weights["representation"], weights["tagger"])
        state = state._replace(networks=parts._replace(**weights), optimizers={TOGETHER: optimizer})
        return self._pretrained(state, loss, (ADVERSARIES, BRANCHES))

    def _adversaries(self, state: TrainingState) -> TrainingState:
        """Train the adversaries on the frozen representation (P2)."""
        state = self._adversary_epoch(state)
        return self._pretrained(state, self._loss(state.networks).adversaries, (BRANCHES,))

    def _pretrained(self, state: TrainingState, loss: float, next_parts: tuple[str, ...]) -> TrainingState:
        """Return the state after an epoch of P1 or P2; the next part begins with the networks of the lowest loss."""
        losses = (*state.losses, loss)
        kept = state.networks if loss == min(losses) else state.kept
        state = state._replace(epochs=len(losses), losses=losses, kept=kept)
        is_over = len(losses) >= self._settings.epochs[state.part]
        if is_over or len(losses) - 1 - int(np.argmin(losses)) >= self._settings.patience:
            return self._entered(state._replace(networks=kept), next_parts)
        return state

    def _branches(self, state: TrainingState) -> TrainingState:
        """Train the de-identifier and the adversaries on the frozen representation (P3a)."""
        parts = state.networks
        frozen = as_arrays(parts.representation)
        tagger, optimizer = parts.tagger, state.optimizers["tagger"]
        for batch in self._batches():
            shown = represent(frozen, self._table[batch.rows], batch.present, self._rng)
            masks = draw_masks(self._rng, shown.shape, self._settings.tagger_units)
            tagger, optimizer, _ = tagger_step(tagger, optimizer, shown, batch, masks)
        state = state._replace(
            networks=parts._replace(tagger=tagger), optimizers={**state.optimizers, "tagger": optimizer}
        )
        return self._adversary_epoch(state)._replace(part=REPRESENTATION)

    def _private(self, state: TrainingState) -> TrainingState:
        """Train the representation with both branches frozen (P3b)."""
        own, parts = self._settings, state.networks
        weights, optimizer = parts.representation, state.optimizers["representation"]
        frozen = {"tagger": parts.tagger, "adversary": parts.adversary}
        strengths = LossWeights(own.strength, state.invariance)
        for each in self._batches():
            batch, pairs, noises = self._with_pairs(each)
            vectors, masks, noise = self._of_step(batch)
            given = (vectors, batch, masks, pairs, (noise, *noises), strengths)
            weights, optimizer, _ = private_step(weights, optimizer, frozen, *given, is_averaged=own.is_averaged)
        parts = parts._replace(representation=weights)
        return self._alternated(
            state._replace(part=BRANCHES, networks=parts, optimizers={**state.optimizers, "representation": optimizer})
        )

    def _reversal(self, state: TrainingState) -> TrainingState:
        """Train all three networks at once (DANN)."""
        weights, optimizer = state.networks._asdict(), state.optimizers[REVERSAL]
        for each in self._batches():
            batch, pairs, noises = self._with_pairs(each)
            vectors, masks, noise = self._of_step(batch)
            given = (vectors, batch, masks, pairs, (noise, *noises), self._settings.strength)
            weights, optimizer, _ = reversed_step(weights, optimizer, *given)
        return self._alternated(state._replace(networks=NetworkParts(**weights), optimizers={REVERSAL: optimizer}))

    def _alternated(self, state: TrainingState) -> TrainingState:
        """Return the state after an alternation: keep the best, move the weight, and stop if no more is gained."""
        own = self._settings
        losses = (*state.alternations, self._loss(state.networks))
        found = [rank(each, own) for each in losses]
        state = state._replace(epochs=len(losses), alternations=losses, best=found.index(min(found)))
        if found[-1] == min(found):
            state = state._replace(kept=state.networks)
        elif len(losses) - 1 - state.best >= own.patience:
            return state._replace(part=FINISHED)
        if not own.is_averaged:
            moved = moved_weight(state.invariance, losses[-1].divergence, own.divergence)
            state = state._replace(invariance=moved)
        return state._replace(part=FINISHED) if len(losses) >= own.epochs[state.part] else state

    def _adversary_epoch(self, state: TrainingState) -> TrainingState:
        own = self._settings
        weights, optimizer = state.networks.adversary, state.optimizers["adversary"]
        frozen = as_arrays(state.networks.representation)
        for drawn in self._pairs.epoch(own.batch, self._rng, own.most_sentences):
            shown = self._sequences(frozen, drawn)
            weights, optimizer, _ = adversary_step(weights, optimizer, shown, drawn.same, is_averaged=own.is_averaged)
        return state._replace(
            networks=state.networks._replace(adversary=weights),
            optimizers={**state.optimizers, "adversary": optimizer},
        )

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

    def _loss(self, parts: NetworkParts) -> HeldOutLoss:
        return held_out_loss(
            as_arrays(parts.representation),
            as_arrays(parts.tagger),
            as_arrays(parts.adversary),
            self._held.sentences,
            self._held_pairs,
            np.random.default_rng(self._seed),
            self._settings.is_averaged,
        )


def moved_weight(weight: float, divergence: float, wanted: float) -> float:
    """Return the weight of a bounded term after a step: more if the term is above the bound, less below.

    The multiplier's update of Rezende and Viola (2018, "Taming VAEs", section 3), here by the ratio of both, at most a
    half more or a third less. A weight that only grows hides ever more after enough is hidden.

    >>> moved_weight(1.0, 0.3, 0.15), moved_weight(1.0, 0.12, 0.15), moved_weight(3.0, 0.0, 0.15)
    (1.5, 0.8, 2.0)
    """
    # In this order, a divergence that is not a number counts as too large.
    return weight * max(min(MOST_CHANGE, divergence / wanted), 1 / MOST_CHANGE)


def rank(loss: HeldOutLoss, settings: RepresentationSettings) -> tuple[bool, float]:
    """Return the key by which alternations are ordered: the combined loss.

    With a bounded divergence, alternations above the bound come after all others, by their divergence. A loss that is
    not a number is last of all.
    """
    is_bounded = settings.method == DIVERGENCE and settings.invariance > 0
    is_separate = is_bounded and not loss.divergence <= settings.divergence
    worth = loss.divergence if is_separate else loss.combined(settings.strength)
    return is_separate, inf if isnan(worth) else worth
