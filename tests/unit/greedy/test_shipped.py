import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spark_deid as sd
from spark_deid.app import DetectOptions, ModelsOptions
from spark_deid.cli import cli
from spark_deid.core.errors import UsageError
from spark_deid.greedy.guarantee import KIND, ResidualRiskSettings, certificate_of
from spark_deid.greedy.model_card import model_card
from spark_deid.greedy.shipped import MODELS, check_named, model_folder
from spark_deid.plan.load import check_methods
from tests.unit.greedy.toy_models import TEXT, ship, toy_model
from tests.unit.toy_packages import install


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_model(tmp_path_factory.mktemp("models") / "toy")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "packages"
    folder.mkdir()
    return folder


def test_a_name_represents_the_folder_in_plans_options_and_python(
    model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(packages, monkeypatch, toy=model)
    assert "toy" in MODELS.names()
    assert model_folder("toy") == model
    assert DetectOptions(model=Path("toy"), input="x", format="text", output="y", to="brat").model == model
    plan = sd.Plan(model="toy")
    assert [span[:3] for span in plan.finders[0](TEXT)] == [(11, 15, "NAME")]
    assert "toy" in plan.explain()
    assert str(model) not in plan.explain()
    assert [span[:3] for span in sd.detect(TEXT, model="toy")] == [(11, 15, "NAME")]


def test_a_path_is_a_path_whatever_packages_ship(model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(packages, monkeypatch, toy=Path("/nowhere"))
    assert model_folder(model) == model
    assert model_folder("models/toy") == Path("models/toy")


def test_a_slip_in_a_name_is_reported(model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(packages, monkeypatch, rounds=model)
    with pytest.raises(UsageError, match="model ronds: no such folder, and no such shipped model; did you mean rounds"):
        model_folder("ronds")
    with pytest.raises(UsageError, match=r"no such shipped model\. Installed models: dutch, .*, rounds"):
        check_named("finnish")
    check_named("rounds")
    check_named("models/finnish")
    (packages / "ronds").mkdir()
    monkeypatch.chdir(packages)
    assert model_folder("ronds") == Path("ronds")


def test_a_broken_package_is_in_the_way_of_its_own_model_only(
    model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(packages, monkeypatch, toy=model)
    other = packages / "other"
    other.mkdir()
    install(other, monkeypatch, "broken_models", "1 / 0", {"spark_deid.models": {"broken": "broken_models:X"}})
    assert model_folder("toy") == model
    assert [span.label for span in sd.detect(TEXT, model="toy")] == ["NAME"]
    with pytest.raises(UsageError, match="model broken: broken_models:X can't be loaded"):
        model_folder("broken")
    result = CliRunner().invoke(cli, ["models"])
    assert result.exit_code == 0
    assert "can't be used" in result.output


def test_what_an_entry_point_names_must_be_a_path(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(packages, monkeypatch, toy="no path")
    with pytest.raises(UsageError, match=r"expected toy_models_package:toy to be the pathlib\.Path of a model folder"):
        model_folder("toy")


def test_a_folder_of_the_name_of_a_shipped_model_must_be_named_in_full(
    model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(packages, monkeypatch, toy=model)
    toy_model(Path("toy"))
    with pytest.raises(UsageError, match="a shipped model and a local folder have this name"):
        model_folder("toy")
    assert model_folder(Path("toy").resolve()) == Path("toy").resolve()


def test_a_card_reports_what_the_model_is_and_is_not_for(
    model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(packages, monkeypatch, toy=model)
    told = model_card("toy")
    assert (told.name, told.labels, told.loss_ratio, told.decoding) == ("toy", ("NAME",), 10.0, "cost")
    result = CliRunner().invoke(cli, ["models", "toy", "--json", "card.json"])
    assert result.exit_code == 0
    assert "anything else" in result.output
    assert "CC0" in result.output
    assert json.loads(Path("card.json").read_text())["cards"][0]["training"]["about"] == "names after Dr"


def test_a_name_that_no_one_ships_is_refused_by_the_command(packages: Path) -> None:
    with pytest.raises(UsageError, match=r"expected one of .*, got 'nonesuch'"):
        ModelsOptions(name="nonesuch")


def test_the_loss_ratio_of_a_plan_moves_the_threshold(
    model: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(packages, monkeypatch, toy=model)
    text = "Nothing by the way, seen by Dr Zoe"
    few, many = (
        sum(span.end - span.start for span in sd.detect(text, plan={"model": "toy", "loss_ratio": ratio}))
        for ratio in (0.001, 100_000)
    )
    assert few < many


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"loss_ratio": 0}, "loss_ratio: expected a number above 0"),
        ({"loss_ratio": 5, "decoding": "viterbi"}, "loss_ratio: needs decoding: cost"),
    ],
)
def test_a_loss_ratio_that_means_nothing_is_refused(keys: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        check_methods({"model": "somewhere", **keys}, "plan")


def test_a_model_whose_training_counted_nothing_has_no_certificate(model: Path) -> None:
    plan = check_methods({"model": str(model)}, "plan")
    assert certificate_of(plan) is None
    assert plan.models[0].training is None
    (reason,) = KIND.before(ResidualRiskSettings(loss_ratio=10), plan)
    assert reason == "the training of the plan's model has no counts, so the residual risk is unknown"


def test_the_model_of_english_finds_names_and_leaves_words() -> None:
    text = (
        "In the afternoon Maria Petrova met her cousin David in Boston.\n"
        "Please call me on Monday about the invoice.\n\nBest wishes,\nJim"
    )
    found = {text[span.start : span.end]: span.label for span in sd.detect(text, model="english")}
    assert found == {"Maria Petrova": "NAME", "David": "NAME", "Boston": "LOCATION", "Jim": "NAME"}


def test_the_model_of_english_is_small_and_has_a_card() -> None:
    told = model_card("english")
    assert told.labels == ("LOCATION", "NAME", "ORGANIZATION")
    assert told.decoding == "cost"
    assert told.size < 4_000_000
    assert {"about", "not_for", "figures", "sources"} <= set(told.training)
    assert not [each for each in told.training["sources"] if "uner" in str(each).lower()]
