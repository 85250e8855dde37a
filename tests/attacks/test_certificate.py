"""A certificate of another training, of none, or of counts that cannot be, beside a model of another."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256
from spark_deid.greedy import files
from spark_deid.greedy.certificate import certify, refusals
from spark_deid.greedy.files import bound_report, model_hash
from spark_deid.greedy.guarantee import KIND, ResidualRiskSettings
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_methods
from spark_deid.report.render import training_report
from tests.attacks.model_folders import copied, edit_json, sealed, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("models") / "model", "svm", counts="oof", max_rounds=2)


def reported(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "training.json").read_text())
    return report


def test_a_report_that_was_edited_with_its_hash_is_not_the_model_s(model: Path, tmp_path: Path) -> None:
    folder = copied(model, tmp_path / "model")
    edit_json(folder / "training.json", lambda report: report["data"].update(sensitive_tokens=10**6))
    edit_json(folder / "model.json", lambda content: content.update(training=file_sha256(folder / "training.json")))
    for read in (bound_report, load_sanitizer):
        with pytest.raises(ModelError, match="expected the report of this model"):
            read(folder)


def test_another_report_is_another_model(model: Path, tmp_path: Path) -> None:
    folder = copied(model, tmp_path / "model")
    edit_json(folder / "training.json", lambda report: report["data"].update(sensitive_tokens=10**6))
    assert model_hash(sealed(folder)) != model_hash(model)


def test_times_of_training_are_no_part_of_the_model(model: Path, tmp_path: Path) -> None:
    folder = copied(model, tmp_path / "model")
    edit_json(folder / "training.json", lambda report: report.update(seconds=7.0))
    edit_json(folder / "model.json", lambda content: content.update(training=file_sha256(folder / "training.json")))
    assert model_hash(folder) == model_hash(model)
    assert bound_report(folder) is not None


def test_an_older_model_opens_and_certifies_nothing(model: Path, tmp_path: Path) -> None:
    folder = copied(model, tmp_path / "model")
    edit_json(folder / "model.json", lambda content: content.pop("report"))
    content = json.loads((folder / "model.json").read_text())
    edit_json(folder / "model.json", lambda record: record.update(hash=files._hash(content)))
    assert load_sanitizer(folder).detect("Ann") == load_sanitizer(model).detect("Ann")
    assert bound_report(folder) is None
    plan = check_methods({"model": str(folder)}, "plan")
    (reason,) = KIND.before(ResidualRiskSettings(loss_ratio=10), plan)
    assert reason.startswith("the plan's model was trained by an older version")
    assert plan.models[0].training is None


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report["data"].update(tokens=-1),
        lambda report: report["data"].update(sensitive_tokens=10**9),
        lambda report: report["data"].update(sensitive_tokens=float("inf")),
        lambda report: report["settings"].update(loss_ratio=float("inf")),
        lambda report: report["settings"].update(loss_ratio=-10),
        lambda report: report["settings"].update(loss_ratio=float("nan")),
        lambda report: report["settings"].update(loss_ratio="10"),
        lambda report: report.update(attacker={"sensitive_tokens": 1, "true_positives": -3, "false_positives": 0}),
        lambda report: report.update(attacker={"sensitive_tokens": 1, "true_positives": 3, "false_positives": 0}),
        lambda report: report.update(rounds=[]) or report.pop("data"),
    ],
)
def test_counts_that_can_not_be_certify_nothing(model: Path, change: Callable[[dict[str, Any]], object]) -> None:
    report = deepcopy(reported(model))
    change(report)
    with pytest.raises(ModelError, match="training report"):
        certify(report, simulated=True)


def test_labelled_text_without_an_identifier_is_refused(model: Path) -> None:
    report = deepcopy(reported(model))
    report["data"]["sensitive_tokens"] = 0
    report |= {"rounds": [], "attacker": None, "local_optimum": True, "ended_by": "test"}
    report["settings"]["counts"] = "oof"
    reasons = refusals(certify(report, simulated=True), loss_ratio=1, max_identified=None, max_residual=None)
    assert reasons == ("the labelled text had no identifiers, so the risk is unknown",)


def test_report_page_and_plan_state_that_hashes_prove_no_origin_and_which_attacker_was_counted(model: Path) -> None:
    told = explain(check_methods({"model": str(model)}, "plan"))
    assert "measured by the creator of the model" in told
    assert "measured by the creator" not in explain(check_methods({"patterns": {"kinds": "all"}}, "plan"))
    said = " ".join(certify(reported(model), simulated=True).to_json()["statements"])  # type: ignore[arg-type]
    assert "Hashes detect a changed model folder, but not false measurements" in said
    assert "it is not the best possible attacker." in said
    page = " ".join(training_report(reported(model)).split())
    assert "attackers with other learners, features or data can find more" in page
    assert "not false measurements by the creator of the model" in page
