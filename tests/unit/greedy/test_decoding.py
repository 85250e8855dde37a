"""Which decodings a round tries, and how a model gets one."""

from typing import Any, NamedTuple

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import (
    BIASES,
    PLAIN,
    THRESHOLDS,
    DecodingRule,
    cost_sensitive,
    decode_as,
    feasible_candidates,
    list_candidates,
)
from spark_deid.text.view import TextView
from tests.unit.greedy.toy_learner import KEY, ToyModel


class Told(NamedTuple):
    """A model that keeps its arguments."""

    told: str = ""
    labels: tuple[str, ...] = ()

    def with_bias(self, delta: float) -> "Told":
        return self._replace(told=f"bias {delta}")

    def with_threshold(self, threshold: float) -> "Told":
        return self._replace(told=f"threshold {threshold}")

    def tokens(self, view: TextView) -> Any:
        raise NotImplementedError

    def predict(self, view: TextView) -> tuple[Span, ...]:
        raise NotImplementedError

    def save(self, folder: Any) -> None:
        raise NotImplementedError


def tried(**settings: Any) -> tuple[DecodingRule, ...]:
    return list_candidates(TrainConfig(key=KEY, **settings))


def test_a_token_goes_where_keeping_it_costs_more() -> None:
    """Ten to one: removed unnecessarily with 1 - p at cost 1, kept with p at cost 10; even at p = 1/11."""
    assert cost_sensitive(10) == DecodingRule(threshold=1 / 11)
    assert cost_sensitive(1) == DecodingRule(threshold=0.5)


def test_a_bias_is_chosen_out_of_fold_only() -> None:
    assert tried() == tuple(DecodingRule(bias) for bias in BIASES)
    assert tried(counts="train") == (PLAIN,)


def test_costs_leave_no_choice_and_a_budget_leaves_thresholds() -> None:
    assert tried(decoding="cost", loss_ratio=4) == (DecodingRule(threshold=0.2),)
    assert tried(decoding="cost", publish_budget=0.9) == tuple(DecodingRule(threshold=each) for each in THRESHOLDS)


def test_models_decode_as_reported() -> None:
    assert decode_as(Told(), PLAIN) == Told()
    assert decode_as(Told(), DecodingRule(-0.5)) == Told("bias -0.5")
    assert decode_as(Told(), DecodingRule(threshold=0.2)) == Told("threshold 0.2")


def test_a_model_of_one_decoding_is_asked_for_no_other() -> None:
    toy = ToyModel((), None)
    assert feasible_candidates(toy, (PLAIN, DecodingRule(-1.0))) == (PLAIN,)
    assert decode_as(toy, PLAIN) is toy
    with pytest.raises(UsageError, match="only its built-in decoding"):
        decode_as(toy, DecodingRule(threshold=0.2))
