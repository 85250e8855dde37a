"""The package as plans use it: installed, named, listed; and its card, which states the same in two places."""

import json
from pathlib import Path
from typing import Any

import pytest
import spark_deid_english_neural

import spark_deid as sd
from spark_deid.extending import ENGLISH_NEURAL, ModelsOptions, classifier_folder, file_sha256, models

README = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
NOTE = "Dr. Maria Perez saw john smith of Boston; mail ann@example.org."


def test_its_name_stands_for_its_folder() -> None:
    assert classifier_folder(ENGLISH_NEURAL) == spark_deid_english_neural.MODEL
    assert spark_deid_english_neural.MODEL.is_relative_to(Path(spark_deid_english_neural.__file__).parent)


@pytest.mark.parametrize("plan", ["names-neural", {"onnx": ENGLISH_NEURAL, "patterns": {"kinds": ["email"]}}])
def test_a_plan_that_names_it_hides_names(plan: str | dict[str, Any]) -> None:
    given = plan if isinstance(plan, str) else sd.Plan(**plan)
    assert sd.redact(NOTE, given) == "Dr. [NAME] saw [NAME] of [LOCATION]; mail [EMAIL]."


def test_its_card_is_listed_and_stands_in_its_readme() -> None:
    [card] = models(ModelsOptions(name=ENGLISH_NEURAL)).classifiers
    assert card.labels == ("NAME", "LOCATION", "ORGANIZATION")
    assert 20_000_000 < card.size < 30_000_000
    lines = [line for part in ("not_for", "figures", "sources") for line in card.description[part]]
    assert [line for line in lines if f"- {line}\n" not in README] == []
    assert card in models(ModelsOptions()).classifiers


def test_the_figures_are_those_of_this_model() -> None:
    told = json.loads((spark_deid_english_neural.MODEL / "card.json").read_text(encoding="utf-8"))
    assert told["model_sha256"] == file_sha256(spark_deid_english_neural.MODEL / "model.onnx")


def test_its_files_are_what_the_detector_reads() -> None:
    names = {path.name for path in spark_deid_english_neural.MODEL.iterdir()}
    assert names == {"model.onnx", "tokenizer.json", "config.json", "card.json"}
    config = json.loads((spark_deid_english_neural.MODEL / "config.json").read_text())
    assert (config["token_types"], config["max_position_embeddings"]) == ("shape", 256)
