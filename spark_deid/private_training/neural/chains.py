"""The likelihood of rows of tags in a chain (CRF), with JAX."""

from collections.abc import Mapping

from spark_deid.private_training.neural.framework import Tensor, jax, jnp, lax


def negative_log_likelihood(weights: Mapping[str, Tensor], scores: Tensor, tags: Tensor, present: Tensor) -> Tensor:
    """Return each sentence's loss.

    ``scores`` are ``[sentence, token, tag]``, ``tags`` and ``present`` ``[sentence, token]``; absent tokens come last.
    """
    return log_partition(weights, scores, present) - row_score(weights, scores, tags, present)


def log_partition(weights: Mapping[str, Tensor], scores: Tensor, present: Tensor) -> Tensor:
    """Return the logarithm of the sum over all rows of tags, of each sentence."""

    def step(before: Tensor, at: tuple[Tensor, Tensor]) -> tuple[Tensor, None]:
        here, is_here = at
        after = jax.nn.logsumexp(before[:, :, None] + weights["transitions"], axis=1) + here
        return jnp.where(is_here[:, None], after, before), None

    first = weights["begins"] + scores[:, 0]
    last, _ = lax.scan(step, first, (scores[:, 1:].transpose(1, 0, 2), present[:, 1:].T))
    return jax.nn.logsumexp(last + weights["ends"], axis=1)


def row_score(weights: Mapping[str, Tensor], scores: Tensor, tags: Tensor, present: Tensor) -> Tensor:
    """Return the score of each sentence's row of tags."""
    own = jnp.take_along_axis(scores, tags[:, :, None], 2)[:, :, 0]
    moves = weights["transitions"][tags[:, :-1], tags[:, 1:]]
    last = jnp.take_along_axis(tags, present.sum(1)[:, None] - 1, 1)[:, 0]
    return (
        (own * present).sum(1) + (moves * present[:, 1:]).sum(1) + weights["begins"][tags[:, 0]] + weights["ends"][last]
    )
