"""The representation's network: R = noise + LSTM(E + noise) (Friedrich et al. 2019, equation 1)."""

from typing import Protocol

import numpy as np

from spark_deid.core.numerics.arrays import Bools
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import Weights, bilstm, dense, dense_shapes, lstm_shapes


class NoiseSource(Protocol):
    """Where noise comes from: NumPy's ``Generator``, or what stands in for one."""

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
    """Return the standard deviations that an array of noise stands for."""
    return np.asarray(np.logaddexp(0, raw), np.float32)
