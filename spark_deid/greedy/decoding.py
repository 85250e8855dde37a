"""How a fitted model turns scores into spans: Viterbi with a bias on O, or a threshold on marginals."""

from typing import NamedTuple, Protocol, runtime_checkable

from spark_deid.core.errors import UsageError
from spark_deid.greedy.config import TrainConfig
from spark_deid.learners.base import FittedModel

BIASES = (0.0, -0.25, -0.5, -0.75, -1.0, -1.25, -1.5)
"""What cross-validation may add to the score of O; below 0 the model finds more."""
THRESHOLDS = (*(1 / (1 + 10 ** (power / 8)) for power in range(24, -13, -1)), 1.0)
"""What a publish budget chooses from, lowest first: even steps of the odds from .001 to 30; the last finds nothing."""


class DecodingRule(NamedTuple):
    """Add ``bias`` to the score of O; where ``threshold`` is given, take tokens whose probability exceeds it."""

    bias: float = 0.0
    threshold: float | None = None


PLAIN = DecodingRule()


@runtime_checkable
class AdjustableModel(Protocol):
    """A model that can be decoded in other ways without another fit; each call gives a cheap copy."""

    def with_bias(self, delta: float) -> FittedModel:
        """Return the model with ``delta`` added to the score of O at every token."""

    def with_threshold(self, threshold: float) -> FittedModel:
        """Return the model that marks a token where the probability of any label exceeds the threshold."""


def decode_as(model: FittedModel, decoding: DecodingRule) -> FittedModel:
    """Return a model that decodes as told.

    Raises UsageError where the model has one decoding alone, and another is asked for.
    """
    if decoding == PLAIN:
        return model
    if not isinstance(model, AdjustableModel):
        raise UsageError("decoding: this learner has no other decoding than its own; expected viterbi")
    if decoding.threshold is not None:
        return model.with_threshold(decoding.threshold)
    return model.with_bias(decoding.bias)


def feasible_candidates(model: FittedModel, candidates: tuple[DecodingRule, ...]) -> tuple[DecodingRule, ...]:
    """Return the candidates that this model can follow."""
    return candidates if isinstance(model, AdjustableModel) else (PLAIN,)


def cost_sensitive(loss_ratio: float) -> DecodingRule:
    """Return the decoding that removes where ``p > C / (L + C)``."""
    return DecodingRule(threshold=1 / (1 + loss_ratio))


def list_candidates(config: TrainConfig) -> tuple[DecodingRule, ...]:
    """Return the decodings among which a round chooses.

    A bias is chosen out of fold alone: on its own training data a model needs none.
    """
    if config.publish_budget is not None:
        return tuple(DecodingRule(threshold=threshold) for threshold in THRESHOLDS)
    if config.decoding == "cost":
        return (cost_sensitive(config.loss_ratio),)
    return tuple(DecodingRule(bias) for bias in BIASES) if config.counts == "oof" else (PLAIN,)
