"""Nadam (Dozat, 2016) with clipped gradients, of arrays by name; they are moved as one vector, which compiles soon."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.private_training.neural.framework import Tensor, Tensors, jnp

RATE, FIRST, SECOND, LEAST = 0.002, 0.9, 0.999, 1e-7
MOST_NORM = 1.0


class OptimizerState(NamedTuple):
    """Running means of gradients and of their squares, of all arrays one after the other, and the steps made."""

    first: Tensor
    second: Tensor
    steps: Tensor


def begin_nadam(weights: Mapping[str, Tensor]) -> OptimizerState:
    """Return the state before the first step."""
    size = sum(int(np.prod(each.shape)) for each in weights.values())
    return OptimizerState(np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros((), np.float32))


def nadam_step(
    weights: Mapping[str, Tensor], gradients: Mapping[str, Tensor], state: OptimizerState
) -> tuple[Tensors, OptimizerState]:
    """Return the weights after a step, and the state; gradients are clipped together to a norm of 1."""
    gradient = jnp.concatenate([gradients[name].ravel() for name in weights])
    gradient = gradient * jnp.minimum(1.0, MOST_NORM / jnp.maximum(jnp.sqrt((gradient**2).sum()), LEAST))
    steps = state.steps + 1
    first = FIRST * state.first + (1 - FIRST) * gradient
    second = SECOND * state.second + (1 - SECOND) * gradient**2
    ahead = FIRST * first / (1 - FIRST ** (steps + 1)) + (1 - FIRST) * gradient / (1 - FIRST**steps)
    change = RATE * ahead / (jnp.sqrt(second / (1 - SECOND**steps)) + LEAST)
    moved, begin = {}, 0
    for name, value in weights.items():
        end = begin + int(np.prod(value.shape))
        moved[name] = value - change[begin:end].reshape(value.shape)
        begin = end
    return moved, OptimizerState(first, second, steps)
