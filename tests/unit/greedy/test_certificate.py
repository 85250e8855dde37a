import re
from typing import Any

import pytest

from spark_deid.core.errors import ModelError
from spark_deid.greedy.certificate import RiskCertificate, certify, refusals, statements
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner

DEMAND = {"loss_ratio": 10, "max_identified": 0.0, "max_residual": 0.0}


def certificate(simulated: bool = True, **settings: Any) -> RiskCertificate:
    standing: dict[str, Any] = {"key": KEY, "workers": 1, "min_train_remaining": 0}
    given = TrainConfig(**standing | settings)
    return certify(train(CORPUS, given, learner=ToyLearner()).report, simulated=simulated)


def test_training_to_the_stop_test_certifies_what_is_left() -> None:
    found = certificate()
    assert (found.sensitive, found.residual, found.identified, found.in_vain, found.bound) == (36, 0, 0, 0, 0)
    assert found.local_optimum
    assert refusals(found, **DEMAND) == ()
    assert found.to_json()["residual_ratio"] == 0
    assert "0 of 36 identifier words remain after 2 rounds" in statements(found)[0]


def test_a_loop_that_was_cut_short_bounds_nothing() -> None:
    found = certificate(max_rounds=1)
    assert (found.residual, found.identified, found.bound) == (12, None, None)
    assert found.identified_ratio == found.residual_ratio == pytest.approx(1 / 3)
    assert any("have no bound" in line for line in statements(found))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"max_rounds": 1}, "the stop test did not end training"),
        ({"counts": "train"}, "counted on its own training data"),
        ({"min_train_remaining": 10_000}, "Do not publish data"),
        ({"loss_ratio": 5}, "trained for a loss ratio of 5, expected at least 10"),
        ({"simulated": False}, "was not part of the simulated rounds"),
        ({"max_rounds": 1}, r"0\.3333 of the identifiers are identified, expected at most 0\.0"),
        ({"max_rounds": 1}, r"0\.3333 of the identifiers remain, expected at most 0\.0"),
    ],
)
def test_each_demand_has_a_training_that_it_refuses(settings: dict[str, Any], reason: str) -> None:
    reasons = refusals(certificate(**settings), **DEMAND)
    assert any(re.search(reason, each) for each in reasons)


def test_shares_that_are_not_demanded_are_not_looked_at() -> None:
    found = certificate(max_rounds=1)
    reasons = refusals(found, loss_ratio=1, max_identified=None, max_residual=0.5)
    assert reasons == ("the stop test did not end training: raise --max-rounds",)


def test_no_word_of_the_text_is_reported() -> None:
    assert not any(word in str(certificate().to_json()) for word in ("Ann", "Bob", "Ash", "nurse"))


def test_theorem_3_is_reported_as_a_condition() -> None:
    told = statements(certificate())
    [line] = [line for line in told if "Theorem 3" in line]
    assert line.startswith("Theorem 3 of GreedySanitize")


def test_a_model_that_was_trained_before_fields_were_separate_is_refused_a_certificate() -> None:
    report = train(CORPUS, TrainConfig(key=KEY, workers=1, min_train_remaining=0), learner=ToyLearner()).report
    before = {name: value for name, value in report.items() if name != "joined_over"}
    for old in (before, report | {"joined_over": "any spaces"}):
        found = certify(old, simulated=True)
        (reason,) = refusals(found, **DEMAND)
        assert reason.startswith("training joined neighbouring placeholders by another rule than releases")
        assert reason.endswith("Train the model again")
        assert any("by another rule" in line for line in statements(found))
    assert not any("another law" in line for line in statements(certify(report, simulated=True)))


def test_a_model_that_copied_texts_by_another_rule_is_refused_a_certificate_unless_it_decodes_by_cost() -> None:
    report = train(CORPUS, TrainConfig(key=KEY, workers=1, min_train_remaining=0), learner=ToyLearner()).report
    before = {name: value for name, value in report.items() if name != "copied"}
    for old in (before, report | {"copied": "any word"}):
        found = certify(old, simulated=True)
        (reason,) = refusals(found, **DEMAND)
        assert reason.startswith("training copied the texts that it found by another rule than releases do")
        assert any("copied a text" in line for line in statements(found))
    settings: Any = before["settings"]
    assert certify(before | {"settings": {**settings, "decoding": "cost"}}, simulated=True).copied_alike


def test_counts_that_the_stop_test_refutes_are_no_training() -> None:
    """By hand: 1 found for 9 unnecessarily is worth it at ten to one, and the loop would have gone on."""
    report = train(CORPUS, TrainConfig(key=KEY, workers=1, min_train_remaining=0), learner=ToyLearner()).report
    last: Any = report["attacker"]
    refuted = last | {"sensitive_tokens": 1, "true_positives": 1, "false_positives": 9}
    with pytest.raises(ModelError, match="training report"):
        certify(report | {"attacker": refuted}, simulated=True)
    assert certify(report | {"attacker": refuted | {"false_positives": 10}}, simulated=True).identified == 1
