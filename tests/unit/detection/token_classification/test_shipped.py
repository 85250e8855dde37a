"""Token classifiers that packages ship: names instead of folders, cards, and what is reported where one is missing."""

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spark_deid as sd
from spark_deid.app import CalibrateOptions, ModelsOptions, calibrate, model_cards, models
from spark_deid.cli import cli
from spark_deid.core.errors import UsageError
from spark_deid.detection.token_classification import shipped as shipped_models
from spark_deid.detection.token_classification.export import read_export
from spark_deid.detection.token_classification.shipped import TOKEN_CLASSIFIERS, classifier_folder
from tests.unit.detection.token_classification.exported import write_export
from tests.unit.toy_packages import install

ENGLISH = Path(__file__).parents[4] / "packages" / "english_neural" / "spark_deid_english_neural" / "data"
TEXT = "x x x Ann in Bonn"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package that provides a model of the name toy."""
    folder = write_export(tmp_path / "elsewhere" / "model")
    (folder / "card.json").write_text(json.dumps({"about": "Ann and Lee", "not_for": ["anybody else"]}))
    source = f"import pathlib\ntoy = pathlib.Path({str(folder)!r})"
    install(
        tmp_path,
        monkeypatch,
        "toy_classifiers",
        source,
        {"spark_deid.token_classifiers": {"toy": "toy_classifiers:toy"}},
    )
    monkeypatch.delitem(sys.modules, "toy_classifiers", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_name_represents_the_folder_in_plans(shipped: Path) -> None:
    assert classifier_folder("toy") == shipped
    plans = [sd.Plan(onnx=given, sources=["onnx"]) for given in ("toy", {"model": "toy"}, str(shipped))]
    assert [str(sd.redact(TEXT, plan)) for plan in plans] == ["x x x [NAME] in [LOCATION]"] * 3
    [used] = plans[0].settings.models
    assert (used.path, used.sha256) == ("toy", read_export(shipped).sha256)
    assert "token classifier toy" in plans[0].explain()


def test_a_name_that_something_here_has_too_is_refused(shipped: Path) -> None:
    own = Path(shutil.copytree(shipped, "toy"))
    with pytest.raises(UsageError, match=rf"onnx: toy: .* have this name.* write {re.escape(str(own.resolve()))}$"):
        classifier_folder("toy")
    assert classifier_folder(own.resolve()) == own.resolve()
    assert classifier_folder(shipped) == shipped


def test_a_name_that_no_folder_can_have_is_refused() -> None:
    with pytest.raises(UsageError, match="expected the folder"):
        classifier_folder("a" * 300)


def test_what_is_installed_and_how_to_get_more_is_reported(shipped: Path) -> None:
    for given in ("tov", "models/none"):
        with pytest.raises(
            UsageError, match=rf"onnx: {given}: expected .* installed one \(installed: .*toy\)"
        ) as refused:
            classifier_folder(given)
        told = str(refused.value)
        assert "pip install '.[onnx]' ./packages/english_neural" in told
        assert "?." not in told
        assert ("did you mean toy?" in told) is (given == "tov")


def test_a_plan_whose_model_is_not_installed_is_refused_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shipped_models, "TOKEN_CLASSIFIERS", replace(TOKEN_CLASSIFIERS, group="nobody.s.group"))
    with pytest.raises(
        UsageError, match=re.escape("(installed: none). english-neural comes by pip install '.[onnx]' ./")
    ):
        sd.redact("Ann", plan="names-neural")


def test_how_to_install_one_is_reported_where_its_card_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_cards, "TOKEN_CLASSIFIERS", replace(TOKEN_CLASSIFIERS, group="nobody.s.group"))
    result = CliRunner().invoke(cli, ["models", "english-neural"])
    assert "comes by pip install '.[onnx]' ./packages/english_neural" in str(result.exception)


def test_cards_are_listed_and_shown(shipped: Path) -> None:
    [card] = models(ModelsOptions(name="toy")).classifiers
    assert (card.name, card.sha256, card.labels) == ("toy", read_export(shipped).sha256, ("NAME", "LOCATION", "MISC"))
    assert card.size == sum(path.stat().st_size for path in shipped.rglob("*") if path.is_file())
    listed, shown = (CliRunner().invoke(cli, ["models", *name]).output for name in ([], ["toy"]))
    assert "Ann and Lee" in listed
    assert "anybody else" in shown
    assert "onnx: toy" in shown


def test_marks_in_a_card_are_shown_as_they_are(shipped: Path) -> None:
    (shipped / "card.json").write_text(json.dumps({"about": "[red]x [/oops]"}))
    listed, shown = (CliRunner().invoke(cli, ["models", *name]).output for name in ([], ["toy"]))
    assert "[red]x [/oops]" in listed
    assert "[red]x [/oops]" in shown


def test_a_damaged_one_is_reported_in_the_list_and_an_error_by_its_name(shipped: Path) -> None:
    (shipped / "config.json").write_text("{")
    assert models(ModelsOptions()).broken == {"toy": f"{shipped / 'config.json'}: expected JSON"}
    result = CliRunner().invoke(cli, ["models", "toy"])
    assert (result.exit_code, "expected JSON" in str(result.exception)) == (1, True)


def test_a_package_s_own_files_are_not_calibrated(shipped: Path) -> None:
    with pytest.raises(UsageError, match=r"toy belongs to an installed package\. Copy"):
        calibrate(CalibrateOptions(model=Path("toy"), gold="gold", format="jsonl"))
    with pytest.raises(UsageError, match=r"belongs to an installed package\. Copy"):
        calibrate(CalibrateOptions(model=shipped, gold="gold", format="jsonl"))


def english(text: str, **settings: object) -> list[tuple[str, str]]:
    plan = sd.Plan(onnx={"model": str(ENGLISH), "threshold": 0.05, **settings}, sources=["onnx"])
    return [(text[span.start : span.end], span.label) for span in sd.detect(text, plan=plan)]


def test_the_model_of_english_finds_names_in_text_of_each_manner() -> None:
    letter = (
        "Dear Mrs. Patel,\n\nthank you for your letter of Monday. We met in Leeds.\n\nYours sincerely,\nTom Baker\n"
    )
    note = "PATIENT: GOMEZ, ANA\n58F s/p fall, seen by Dr Okonkwo. Denies chest pain.\nPlan: MRI on Tuesday.\n"
    small = "hi jim, maria perez called from boston about the invoice"
    assert english(letter) == [("Patel", "NAME"), ("Leeds", "LOCATION"), ("Tom Baker", "NAME")]
    assert [(found, label) for found, label in english(note) if label == "NAME"] == [
        ("GOMEZ, ANA", "NAME"),
        ("Okonkwo", "NAME"),
    ]
    assert english(small) == [("jim", "NAME"), ("maria perez", "NAME"), ("boston", "LOCATION")]
    assert english("The invoice was sent on Monday, and nobody has paid it.") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("thanks john😊 and 😀Ben😀", ["john", "Ben"]),
        ("👩‍⚕️Dr. Patel👩‍⚕️ saw 👶Noah", ["Patel", "Noah"]),
        ("I met 𝐉𝐨𝐡𝐧 𝐒𝐦𝐢𝐭𝐡 there", ["𝐉𝐨𝐡𝐧 𝐒𝐦𝐢𝐭𝐡"]),
        ("He saw John's dog", ["John"]),
    ],
)
def test_the_model_of_english_knows_names_next_to_symbols(text: str, names: list[str]) -> None:
    assert [found for found, label in english(text) if label == "NAME"] == names


def test_the_model_of_english_goes_by_uppercase_and_states_the_same_of_a_long_text() -> None:
    assert english("Please mark the date.", threshold=0.5) == []
    assert english("Then Mark came in.", threshold=0.5) == [("Mark", "NAME")]
    line = "On Monday Maria Petrova met her cousin David in Boston, and nobody else was there. "
    names = [found for found, _ in english(line * 40)]
    assert names == ["Maria Petrova", "David", "Boston"] * 40
