"""Attack a frozen representation: adversaries of several seeds, trained again or further, tried on other documents."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spark_deid.private_training.network.adversary import TASKS, SequencePairs, adversary_shapes, log_odds
from spark_deid.private_training.network.layers import NoNoise, Weights, deviations, represent
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.neural.adversaries import adversary_step
from spark_deid.private_training.neural.framework import Tensors
from spark_deid.private_training.neural.layers import initial_arrays
from spark_deid.private_training.neural.nadam import begin_nadam
from spark_deid.private_training.privacy.templates import (
    PublicModel,
    TemplateSettings,
    Transform,
    TrialPairs,
    attack_by_templates,
    trial_sentences,
    trials,
)
from spark_deid.private_training.privacy.verdict import AttackAccuracy, PrivacyVerdict, accuracy_of, judge

MEAN = "mean of both"
_SILENT = -1e4
"""Its soft plus is 0."""


class AttackSettings(NamedTuple):
    """How adversaries are trained and tried: ``epochs`` of ``pairs`` each, then ``tries`` pairs of other documents."""

    seeds: int = 3
    epochs: int = 50
    pairs: int = 10_000
    tries: int = 4_000
    units: int = 64
    batch: int = 32
    templates: TemplateSettings = TemplateSettings()


def transform_of(representation: Weights) -> Transform:
    """Return what anybody can do who has the model."""
    return lambda vectors, present, rng: represent(representation, vectors, present, rng or NoNoise())


def public_model(representation: Weights) -> PublicModel:
    """Return what attacks by templates know of a representation that was published."""
    quiet = {**representation, "noise_out": np.full_like(representation["noise_out"], _SILENT)}
    return PublicModel(transform_of(representation), transform_of(quiet), deviations(representation["noise_out"]))


def raw(vectors: "np.ndarray", present: "np.ndarray", rng: np.random.Generator | None) -> "np.ndarray":
    """Leave embeddings as they are: what the control adversary reads."""
    return vectors


def assess_representation(
    representation: Weights,
    training: ReplaceableWords,
    other: ReplaceableWords,
    settings: AttackSettings,
    first: Weights | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> PrivacyVerdict:
    """Attack a representation, and judge it.

    Adversaries train on pairs of ``training`` and are tried on those of ``other``, whose documents no one trained on.
    ``first`` are the arrays of an adversary that continues with its training; the other seeds begin again. A control
    adversary of the same network and time reads embeddings themselves.
    """
    if not trial_sentences(training) or not trial_sentences(other):
        return judge((), (), ())
    progress("try the adversary on embeddings themselves")
    controls = attack(raw, training, other, settings, 0, None)
    found: list[AttackAccuracy] = []
    for seed in range(settings.seeds):
        progress(f"attack the representation: adversary {seed + 1} of {settings.seeds}")
        own = first if seed == 0 else None
        found.extend(attack(transform_of(representation), training, other, settings, seed, own))
    progress("attack the representation: templates")
    known = trial_sentences(other)
    model = public_model(representation)
    found.extend(attack_by_templates(model, other.sentences.table, known, settings.templates, seed=0))
    return judge(found, controls, (*TASKS, MEAN))


def attack(
    transform: Transform,
    training: ReplaceableWords,
    other: ReplaceableWords,
    settings: AttackSettings,
    seed: int,
    first: Weights | None,
) -> tuple[AttackAccuracy, ...]:
    """Train adversaries on what a transform makes of sentences; return how often T1, T2 and their mean are right."""
    rng = np.random.default_rng([seed, 0xA77AC])
    known, others = trial_sentences(training), trial_sentences(other)
    table = training.sentences.table
    outputs = transform(table[:1, None], np.ones((1, 1), np.bool_), None).shape[2]
    shapes = adversary_shapes(outputs, table.shape[1], settings.units)
    weights: Tensors = dict(first) if first is not None else initial_arrays(rng, shapes)
    state = begin_nadam(weights)
    for _ in range(settings.epochs):
        for drawn in trials(known, settings.pairs, settings.batch, rng):
            shown = _sequences(transform, table, drawn, rng)
            weights, state, _ = adversary_step(weights, state, shown, drawn.are_same.astype(np.float32))
    arrays = {name: np.asarray(each, np.float32) for name, each in weights.items()}
    chances, same, documents = [], [], []
    for drawn in trials(others, settings.tries, settings.batch, rng):
        odds = log_odds(arrays, _sequences(transform, other.sentences.table, drawn, rng)).astype(np.float64)
        chances.append(1 / (1 + np.exp(-np.clip(odds, -50, 50))))
        same.append(drawn.are_same)
        documents.append(drawn.documents)
    result = np.concatenate(chances, 1)
    answers = [*(result > 0.5), result.mean(0) > 0.5]
    truth, places = np.concatenate(same), np.concatenate(documents)
    names = (*TASKS, MEAN)
    return tuple(
        accuracy_of(name, seed, 0.5, answer == truth, places) for name, answer in zip(names, answers, strict=True)
    )


def _sequences(transform: Transform, table: "np.ndarray", drawn: TrialPairs, rng: np.random.Generator) -> SequencePairs:
    first, second = table[drawn.first], table[drawn.second]
    return SequencePairs(
        transform(first, drawn.present, rng), second, transform(second, drawn.present, rng), drawn.present
    )
