"""Forward passes with NumPy: one layer of a bidirectional LSTM, and dense layers.

Arrays of a network follow names; ``lstm_1_input`` has the shape ``[2, inputs, 4 units]``, the first of the two reads
from left to right. Gates are in the order input, forget, cell, output.
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from spark_deid.core.numerics.arrays import Bools
from spark_deid.private_training.embeddings.vector_blocks import Float32s

Weights = Mapping[str, Float32s]
Shapes = Mapping[str, tuple[int, ...]]
GATES = 4


def lstm_shapes(name: str, inputs: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of a bidirectional layer."""
    return {
        f"{name}_input": (2, inputs, GATES * units),
        f"{name}_recurrent": (2, units, GATES * units),
        f"{name}_bias": (2, GATES * units),
    }


def dense_shapes(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of a dense layer."""
    return {f"{name}_kernel": (inputs, outputs), f"{name}_bias": (outputs,)}


def bilstm(weights: Weights, name: str, inputs: Float32s, present: Bools) -> Float32s:
    """Return the states ``[sentence, token, 2 units]`` of a layer; absent tokens leave states as they are."""
    kernel, recurrent, bias = (weights[f"{name}_{part}"] for part in ("input", "recurrent", "bias"))
    count, length, _ = inputs.shape
    units = recurrent.shape[1]
    states = np.zeros((count, length, 2 * units), np.float32)
    for direction in range(2):
        order = range(length) if direction == 0 else range(length - 1, -1, -1)
        projected = inputs.reshape(count * length, -1) @ kernel[direction] + bias[direction]
        projected = projected.reshape(count, length, -1)
        hidden = np.zeros((count, units), np.float32)
        cell = np.zeros((count, units), np.float32)
        for place in order:
            gates = projected[:, place] + hidden @ recurrent[direction]
            opened = sigmoid(gates)
            entering, kept, leaving = (opened[:, i * units : (i + 1) * units] for i in (0, 1, 3))
            here = present[:, place, None]
            cell = np.where(here, kept * cell + entering * np.tanh(gates[:, 2 * units : 3 * units]), cell)
            hidden = np.where(here, leaving * np.tanh(cell), hidden)
            states[:, place, direction * units : (direction + 1) * units] = hidden
    return states


def dense(weights: Weights, name: str, inputs: Float32s) -> Float32s:
    """Return what a dense layer makes of the last axis."""
    return np.asarray(inputs @ weights[f"{name}_kernel"] + weights[f"{name}_bias"], np.float32)


def sigmoid(values: Float32s) -> Float32s:
    """Return the logistic function, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)), np.float32)


# The representation's network: R = noise + LSTM(E + noise) (Friedrich et al. 2019, equation 1).


class NoiseSource(Protocol):
    """Where noise comes from: NumPy's ``Generator``, or what is in for one."""

    def standard_normal(self, size: tuple[int, ...], /) -> "np.ndarray":
        """Return normal numbers of mean 0 and deviation 1."""


class NoNoise:
    """Noise that is switched off: the mean, as the model's user has it."""

    def standard_normal(self, size: tuple[int, ...], /) -> "np.ndarray":
        """Return zeros."""
        return np.zeros(size)


def representing_shapes(inputs: int, units: int, outputs: int) -> dict[str, tuple[int, ...]]:
    """Return names and shapes of the network's arrays; deviations are the soft plus of ``noise_in`` and ``_out``."""
    return {
        "noise_in": (inputs,),
        **lstm_shapes("lstm", inputs, units),
        **dense_shapes("output", 2 * units, outputs),
        "noise_out": (outputs,),
    }


def represent(weights: Weights, vectors: Float32s, present: Bools, noise: NoiseSource) -> Float32s:
    """Return the representation ``[sentence, token, number]`` of vectors; of absent tokens 0."""
    given = vectors + deviations(weights["noise_in"]) * noise.standard_normal(vectors.shape)
    states = bilstm(weights, "lstm", np.asarray(given, np.float32), present)
    found = dense(weights, "output", states)
    found = found + deviations(weights["noise_out"]) * noise.standard_normal(found.shape)
    return np.asarray(np.where(present[:, :, None], found, 0), np.float32)


def deviations(raw: Float32s) -> Float32s:
    """Return the standard deviations that an array of noise represents."""
    return np.asarray(np.logaddexp(0, raw), np.float32)
