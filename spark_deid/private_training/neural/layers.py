"""Layers with JAX, of the same arrays as ``network.layers``; what is drawn at random is given, not drawn here.

Compiled code that draws takes several times as long to compile.
"""

import math
from collections.abc import Mapping

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import GATES, Shapes
from spark_deid.private_training.neural.framework import Tensor, jax, jnp, lax


def initial_arrays(rng: np.random.Generator, shapes: Shapes) -> dict[str, Float32s]:
    """Draw arrays of these names and shapes: kernels by Glorot, biases 0 but 1 of forget gates."""
    return {name: _initial(rng, name, shape) for name, shape in shapes.items()}


def _initial(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> Float32s:
    found = np.zeros(shape, np.float32)
    if name.endswith("_bias") and len(shape) == 2:
        units = shape[1] // GATES
        found[:, units : 2 * units] = 1.0
    elif len(shape) > 1:
        fan_out = shape[-1] // GATES if len(shape) == 3 else shape[-1]
        limit = math.sqrt(6 / (shape[-2] + fan_out))
        found[:] = rng.uniform(-limit, limit, shape)
    return found


def bilstm(
    weights: Mapping[str, Tensor], name: str, inputs: Tensor, present: Tensor, recurrent: Tensor | None = None
) -> Tensor:
    """Return the states ``[sentence, token, 2 units]`` of a layer, as ``network.layers.bilstm`` does.

    ``recurrent`` ``[2, sentence, units]`` is what is kept of states between tokens, the same at each (variational
    dropout).
    """
    both, here = jnp.stack([inputs, inputs[:, ::-1]]), jnp.stack([present, present[:, ::-1]])
    kernel, moves, bias = (weights[f"{name}_{part}"] for part in ("input", "recurrent", "bias"))
    states = scan_lstm(kernel, moves, bias, both, here, recurrent)
    return jnp.concatenate([states[0], states[1, :, ::-1]], -1)


def scan_lstm(
    kernel: Tensor, recurrent: Tensor, bias: Tensor, inputs: Tensor, present: Tensor, kept: Tensor | None = None
) -> Tensor:
    """Return the states ``[network, sentence, token, units]`` of networks side by side, read from the first token on.

    ``inputs`` are ``[network, sentence, token, number]``; of ``kernel``, ``recurrent`` and ``bias`` as well, the first
    axis is the network's.
    """
    projected = jnp.einsum("dbti,dig->tdbg", inputs, kernel) + bias[None, :, None, :]

    def step(state: tuple[Tensor, Tensor], at: tuple[Tensor, Tensor]) -> tuple[tuple[Tensor, Tensor], Tensor]:
        hidden, cell = state
        gates, is_here = at
        before = hidden if kept is None else hidden * kept
        gates = gates + jnp.einsum("dbu,dug->dbg", before, recurrent)
        entering, forgetting, new, leaving = jnp.split(gates, GATES, -1)
        after = jax.nn.sigmoid(forgetting) * cell + jax.nn.sigmoid(entering) * jnp.tanh(new)
        cell = jnp.where(is_here, after, cell)
        hidden = jnp.where(is_here, jax.nn.sigmoid(leaving) * jnp.tanh(cell), hidden)
        return (hidden, cell), hidden

    zeros = jnp.zeros((inputs.shape[0], inputs.shape[1], recurrent.shape[1]))
    _, states = lax.scan(step, (zeros, zeros), (projected, present[..., None].transpose(2, 0, 1, 3)))
    return states.transpose(1, 2, 0, 3)


def dense(weights: Mapping[str, Tensor], name: str, inputs: Tensor) -> Tensor:
    """Return what a dense layer makes of the last axis."""
    return inputs @ weights[f"{name}_kernel"] + weights[f"{name}_bias"]


def kept_mask(rng: np.random.Generator, dropped: float, shape: tuple[int, ...]) -> Float32s:
    """Draw what is kept: 0 for the fraction that is dropped, and more than 1 for the rest, so that means remain."""
    drawn = rng.random(shape, np.float32) >= dropped
    return drawn.astype(np.float32) / np.float32(1 - dropped)
