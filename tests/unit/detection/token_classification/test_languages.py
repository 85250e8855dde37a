"""Runs reveal texts that a token classifier does not know, by the language that its folder names."""

from pathlib import Path

import pytest

from spark_deid.core.errors import ModelError
from spark_deid.core.missed_names import TextDoubt
from spark_deid.detection.token_classification.detector import KIND, OnnxSettings
from spark_deid.detection.token_classification.export import read_export
from spark_deid.text.language import in_language
from tests.unit.detection.token_classification.exported import write_export

GERMAN = "Der Patient wurde gestern nach Hause entlassen und kommt am Montag wieder."
ENGLISH = "The patient was sent home yesterday, and will come back to the clinic on Monday."
UNKNOWN = "in a language that model does not know"


def warned(folder: Path, texts: list[str]) -> tuple[str, ...]:
    assert KIND.warn is not None
    return KIND.warn(OnnxSettings(model=folder), texts)


def test_texts_in_other_languages_are_reported(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model", language="en")
    assert warned(folder, [ENGLISH, "OK", ""]) == ()
    [doubt] = warned(folder, [GERMAN, ENGLISH, "OK", in_language(GERMAN, "de")])
    assert doubt.startswith(f"1 of the 3 documents looked at is {UNKNOWN} (de 1)")
    assert isinstance(doubt, TextDoubt)
    assert doubt.share == 0.25


def test_languages_that_texts_are_declared_to_be_in_are_reported(tmp_path: Path) -> None:
    assert KIND.warn_of_said is not None
    settings = OnnxSettings(model=write_export(tmp_path / "model", language="en"))
    assert KIND.warn_of_said(settings, {"en": 4}) == ()
    [doubt] = KIND.warn_of_said(settings, {"en": 1, "de": 2, "fr": 1})
    assert doubt.startswith(f"3 of the 4 documents with a stated language (75.0%) are {UNKNOWN} (de 2, fr 1)")


def test_a_model_that_names_no_language_reports_none(tmp_path: Path) -> None:
    settings = OnnxSettings(model=write_export(tmp_path / "model"))
    assert warned(settings.model, [GERMAN]) == ()
    assert KIND.warn_of_said is not None
    assert KIND.warn_of_said(settings, {"de": 2}) == ()


def test_what_is_no_language_is_refused(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model", language="english")
    with pytest.raises(ModelError, match="language: expected the code of a language, such as en"):
        read_export(folder)
