"""Both adversaries with JAX: their log odds as ``network.adversary`` computes them, their losses, and a step."""

from collections.abc import Mapping
from functools import partial

from spark_deid.private_training.network.adversary import LEAST, TASKS, SequencePairs
from spark_deid.private_training.neural.framework import Tensor, Tensors, jax, jnp
from spark_deid.private_training.neural.layers import scan_lstm
from spark_deid.private_training.neural.nadam import OptimizerState, nadam_step

_FAR = 1e4


def pair_log_odds(weights: Mapping[str, Tensor], pairs: SequencePairs) -> Tensor:
    """Return the log odds ``[task, sentence]`` that both inputs stem from the same sentence."""
    given, other, present = pairs.representation, pairs.other, pairs.present
    sizes = jnp.sqrt((given**2).sum(2) * (other**2).sum(2) + LEAST)
    similarities = ((given * other).sum(2) / sizes)[:, :, None]
    first = _compared(given @ weights["left_1"], pairs.embedding @ weights["right_1"], jnp.zeros_like(similarities))
    second = _compared(given @ weights["both_2"], other @ weights["both_2"], similarities)
    both = jnp.stack([each for features in (first, second) for each in (features, features[:, ::-1])])
    here = jnp.stack([present, present[:, ::-1]] * len(TASKS))
    kernel, moves, bias = (weights[f"lstm_{part}"] for part in ("input", "recurrent", "bias"))
    states = scan_lstm(kernel, moves, bias, both, here)
    states = jnp.where(here[..., None], states, -_FAR)
    most = states.max(2)
    mean = jnp.where(here[..., None], states, 0.0).sum(2) / jnp.maximum(present.sum(1), 1)[None, :, None]
    pooled = jnp.concatenate([most[0::2], most[1::2], mean[0::2], mean[1::2]], 2)
    return jnp.einsum("kbu,ku->kb", pooled, weights["verdict_kernel"]) + weights["verdict_offset"][:, None]


def task_losses(weights: Mapping[str, Tensor], pairs: SequencePairs, same: Tensor) -> Tensor:
    """Return each task's mean loss; ``same`` is 1 for pairs of one sentence and else 0."""
    odds = pair_log_odds(weights, pairs)
    return (jnp.logaddexp(0.0, odds) - same[None] * odds).mean(1)


def averaged_loss(weights: Mapping[str, Tensor], pairs: SequencePairs, same: Tensor) -> Tensor:
    """Return the mean loss of the average of both outputs, which is the paper's adversary (5.3)."""
    odds = pair_log_odds(weights, pairs)
    is_same, differs = (jnp.logaddexp(*jax.nn.log_sigmoid(each)) - jnp.log(2.0) for each in (odds, -odds))
    return -(same * is_same + (1 - same) * differs).mean()


@partial(jax.jit, static_argnames="is_averaged")
def adversary_step(
    weights: Tensors, state: OptimizerState, pairs: SequencePairs, same: Tensor, is_averaged: bool = False
) -> tuple[Tensors, OptimizerState, Tensor]:
    """Return weights and state after a step, and the losses before it.

    The step reduces the sum of both tasks' losses, or the loss of their averaged outputs.
    """

    def whole(given: Tensors) -> tuple[Tensor, Tensor]:
        if is_averaged:
            loss = averaged_loss(given, pairs, same)
            return loss, loss
        losses = task_losses(given, pairs, same)
        return losses.sum(), losses

    (_, losses), gradients = jax.value_and_grad(whole, has_aux=True)(weights)
    return *nadam_step(weights, gradients, state), losses


def _compared(one: Tensor, other: Tensor, similarities: Tensor) -> Tensor:
    return jnp.concatenate([one, other, jnp.abs(one - other), one * other, similarities], 2)
