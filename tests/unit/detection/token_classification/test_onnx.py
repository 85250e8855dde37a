"""Exported token classifiers: whole words, long texts in windows, labels, thresholds, and folders that are none."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spark_deid as sd
from spark_deid.core.errors import ModelError, SparkDeidError, UsageError
from spark_deid.detection.token_classification.classifier import join_windows, load_classifier, windows_of
from spark_deid.detection.token_classification.decoding import entity_bounds, words_of
from spark_deid.detection.token_classification.detector import KIND, OnnxSettings
from spark_deid.detection.token_classification.export import read_export
from tests.unit.detection.token_classification.exported import BLIND, SURE, write_export

START = "x x x "
"""As many tokens as the model is blind for at the start of a text."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("onnx") / "model")


def found(folder: Path, text: str, **settings: Any) -> list[tuple[str, str]]:
    given = OnnxSettings(model=folder, **settings)
    export = given.export()
    spans = load_classifier(export).spans(text, given.labels_of(export), given.threshold_of(export))
    return [(text[span.start : span.end], span.label) for span in spans]


def test_words_are_marked_whole_and_joined_to_entities(folder: Path) -> None:
    assert found(folder, f"{START}Ann Leeson saw Peter Petersen in Bonn, aspirin.") == [
        ("Ann Leeson", "NAME"),
        ("Petersen", "NAME"),
        ("Bonn", "LOCATION"),
        ("aspirin", "MISC"),
    ]
    assert found(folder, f"{START}Ann Ann") == [("Ann", "NAME"), ("Ann", "NAME")]
    assert found(folder, f"{START}Ann\nLee") == [("Ann", "NAME"), ("Lee", "NAME")]
    assert found(folder, f"{START}O'Ann-Lee 😀 Bonn") == [("O'Ann-Lee", "NAME"), ("Bonn", "LOCATION")]


def test_a_text_without_words_has_nothing(folder: Path) -> None:
    assert [found(folder, text) for text in ("", " \n", "😀")] == [[], [], []]


@pytest.mark.parametrize("longest", [33, 64, 512])
def test_a_long_text_is_judged_as_if_in_one_window(longest: int, tmp_path: Path) -> None:
    long = write_export(tmp_path / "m", longest=longest)
    words = (START + "Ann Lee saw x x in Bonn . " * 40).split()
    text = " ".join(words)
    whole = [
        (word, {"Ann": "NAME", "Lee": "NAME", "Bonn": "LOCATION"}[word]) for word in words if word in ("Ann", "Bonn")
    ]
    names = [(each, label) for each, label in found(long, text)]
    assert names == [("Ann Lee" if each == "Ann" else each, label) for each, label in whole]


def test_windows_show_each_token_once_at_least_with_a_quarter_around_it() -> None:
    for tokens in (0, 1, 5, 8, 9, 23, 64):
        windows = [*windows_of(range(tokens), [101], [102], 10)]
        assert all(len(window.ids) <= 10 for window in windows)
        scores = [np.stack([window.places, np.arange(len(window.ids))], 1).astype(np.float32) for window in windows]
        if not tokens:
            continue
        chosen = join_windows(windows, scores, tokens)
        assert chosen[:, 0].tolist() == list(range(tokens))
        inner = chosen[2:-2, 1]
        assert ((inner >= 2) & (inner <= 7)).all(), "a token was judged at a border"


def test_labels_are_the_plan_s_and_null_leaves_one_out(folder: Path) -> None:
    text = f"{START}Ann saw aspirin in Bonn"
    assert found(folder, text, labels={"MISC": None, "PER": "PATIENT"}) == [("Ann", "PATIENT"), ("Bonn", "LOCATION")]
    with pytest.raises(UsageError, match=r"the model has no entity DRUG. It has PER, LOC, MISC"):
        found(folder, text, labels={"DRUG": None})


def test_the_threshold_is_a_probability_that_a_calibration_moves(folder: Path, tmp_path: Path) -> None:
    entity = 1 / (1 + 4 / np.exp(SURE))  # of five classes, one is as likely as SURE states
    odds = float(np.log((np.exp(SURE) + 3) / 1))
    assert entity > 0.9
    text = f"{START}Ann"
    inside = 1 / (1 + np.exp(-odds))
    assert found(folder, text, threshold=inside - 1e-4) == [("Ann", "NAME")]
    assert found(folder, text, threshold=inside + 1e-4) == []
    calibrated = Path(shutil.copytree(folder, tmp_path / "calibrated"))
    (calibrated / "calibration.json").write_text(json.dumps({"temperature": 2.0, "bias": 1.0}))
    moved = 1 / (1 + np.exp(-(odds - 1) / 2))
    assert found(calibrated, text, threshold=moved - 1e-4) == [("Ann", "NAME")]
    assert found(calibrated, text, threshold=moved + 1e-4) == []
    assert read_export(calibrated).sha256 != read_export(folder).sha256


def _without(name: str) -> Callable[[Path], object]:
    return lambda place: (place / name).unlink()


def _config(**changed: object) -> Callable[[Path], object]:
    def change(place: Path) -> None:
        path = place / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changed))

    return change


def _foreign_tokens(place: Path) -> None:
    path = place / "tokenizer.json"
    known = json.loads(path.read_text())
    known["model"]["vocab"]["ann"] = 9_999
    path.write_text(json.dumps(known))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without("tokenizer.json"), "tokenizer.json: expected the file of a fast"),
        (_without("config.json"), "config.json: expected this file"),
        (_without("onnx/model.onnx"), "expected one model.onnx, found 0"),
        (_config(id2label={"0": "O", "2": "PER"}), "config.json: expected id2label"),
        (_config(id2label={"0": "PER", "1": "LOC"}), "config.json: expected O among"),
        (_config(id2label={"0": "O", "1": "PER"}), "expected scores of 2 classes"),
        (lambda place: (place / "onnx/model.onnx").write_bytes(b"no model"), "model.onnx: onnxruntime can't load it"),
        (lambda place: (place / "tokenizer.json").write_text("{}"), "tokenizer.json: expected the file of a fast"),
        (lambda place: (place / "config.json").write_text("[1]"), "config.json: expected an object"),
        (lambda place: (place / "config.json").write_text("{"), "config.json: expected JSON"),
        (lambda place: (place / "calibration.json").write_text('{"temperature": 0}'), "expected a temperature"),
        (lambda place: (place / "calibration.json").write_text('{"bias": Infinity}'), "expected a temperature"),
        (lambda place: (place / "more.onnx").symlink_to("/etc/hostname"), "more.onnx: .*leads out of the folder"),
        (_foreign_tokens, "failed on the tokens of its tokenizer"),
    ],
)
def test_a_folder_that_is_none_is_reported_by_file(
    change: Callable[[Path], object], told: str, folder: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    change(broken)
    with pytest.raises(ModelError, match=told):
        found(broken, "Ann")


def test_no_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none: expected the folder of a token classifier"):
        read_export(tmp_path / "none")


def test_what_runs_a_model_and_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match=re.escape("pip install 'spark-deid[onnx]'")):
        found(write_export(tmp_path / "model"), "Ann")


def test_a_string_is_redacted_and_its_words_merged_with_patterns(folder: Path) -> None:
    plan = sd.Plan(onnx={"model": str(folder)}, patterns={"kinds": ["email"]}, sources=["onnx", "patterns"])
    redacted = sd.redact(f"{START}Ann Lee saw ann@example.org in Bonn", plan)
    assert redacted == f"{START}[NAME] saw [EMAIL] in [LOCATION]"


def test_a_plan_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(SparkDeidError, match="none: expected the folder of a token classifier"):
        sd.Redactor(sd.Plan(onnx={"model": str(tmp_path / "none")}, sources=["onnx"]))


def test_the_model_is_blind_where_these_tests_state(folder: Path) -> None:
    assert found(folder, "Ann") == []
    assert len(START.split()) == BLIND


def test_scripts_without_spaces_are_marked_token_by_token_and_marks_belong_to_their_letters() -> None:
    text = "张三昨天去了 Rene\u0301e'a x"
    offsets = [(0, 1), (1, 2), (2, 3), (3, 4), (7, 8), (8, 10), (10, 12), (12, 13), (13, 15), (16, 17)]
    assert [(text[word.start : word.end], word.tokens) for word in words_of(text, offsets)] == [
        *[(text[place], [place]) for place in range(4)],
        ("Rene\u0301e'a", [4, 5, 6, 7, 8]),
        ("x", [9]),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("J.Smith of AT&T, Khan@ENRON.", ["J.Smith", "of", "AT&T", "Khan@ENRON"]),
        ("saw John.He ate", ["saw", "John", "He", "ate"]),
        ("ann@example.org", ["ann", "example", "org"]),
        ("www.bonn.de", ["www", "bonn", "de"]),
    ],
)
def test_marks_join_pieces_of_a_word_but_not_of_an_address(text: str, words: list[str]) -> None:
    offsets = [(place, place + 1) for place in range(len(text)) if text[place].isalnum()]
    assert [text[word.start : word.end] for word in words_of(text, offsets)] == words


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        ("Ann's", "en", "Ann"),
        ("Ann’s", "en", "Ann"),
        ("Ann's", "", "Ann's"),
        (", Ann 😀", "", "Ann"),
        ("José!", "", "José"),
        ("of", "en", ""),
        ("Of", "en", "Of"),
        ("of", "", "of"),
        ("😀", "", ""),
    ],
)
def test_marks_and_small_words_are_no_entities(text: str, language: str, kept: str) -> None:
    start, end = entity_bounds(text, 0, len(text), language)
    assert text[start:end] == kept


def test_the_model_s_own_threshold_is_gone_by_where_a_plan_names_none(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model", threshold=0.99)
    assert found(folder, f"{START}Ann saw") == []
    assert found(folder, f"{START}Ann saw", threshold=0.5) == [("Ann", "NAME")]
    assert "0.99" in KIND.describe(OnnxSettings(model=folder))
    with pytest.raises(ModelError, match="threshold: expected a probability between 0 and 1"):
        read_export(write_export(tmp_path / "wrong", threshold=1.0))


def test_one_long_word_is_gone_through_once() -> None:
    offsets = [(place, place + 2) for place in range(0, 400_000, 2)]
    [word] = words_of("a" * 400_000, offsets)
    assert (word.end, len(word.tokens)) == (400_000, 200_000)
