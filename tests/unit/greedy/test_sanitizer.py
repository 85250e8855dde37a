import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.sanitizer import (
    GreedySanitizer,
    load_sanitizer,
    model_hash,
    model_stamp,
    model_summary,
    open_sanitizer,
)
from spark_deid.greedy.train import train
from spark_deid.text.patterns import CustomPattern, PatternDetector
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner, load_toy

TEXT = "Today Ann Yew wrote to ann@example.org about [PLACE], ticket T-77."
PATTERNS = PatternDetector(kinds=("email",), custom=(CustomPattern("TICKET", r"T-\d+", context=("ticket",)),))


@pytest.fixture(scope="module")
def sanitizer() -> GreedySanitizer:
    config = TrainConfig(key=KEY, workers=1, min_train_remaining=0, placeholders=("[PLACE]",), patterns=PATTERNS)
    return train(CORPUS, config, learner=ToyLearner())


@pytest.fixture
def folder(sanitizer: GreedySanitizer, tmp_path: Path) -> Path:
    sanitizer.save(tmp_path / "model")
    return tmp_path / "model"


def load(folder: Path) -> GreedySanitizer:
    return load_sanitizer(folder, loader=load_toy)


def test_a_saved_model_detects_the_same(sanitizer: GreedySanitizer, folder: Path) -> None:
    again = load(folder)
    assert again == sanitizer
    assert again.report == sanitizer.report
    assert again.detect(TEXT) == sanitizer.detect(TEXT)
    assert [s.source for s in again.detect(TEXT)] == ["round-1", "round-2", "round-0", "round-0"]


def test_files_are_private(folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "feature.key").stat().st_mode) == 0o600
    assert sorted(p.name for p in folder.iterdir()) == ["feature.key", "model.json", "rounds", "training.json"]
    assert [p.name for p in folder.parent.iterdir()] == ["model"]


def test_saving_twice_gives_one_hash(sanitizer: GreedySanitizer, folder: Path, tmp_path: Path) -> None:
    sanitizer.save(tmp_path / "other")
    assert model_hash(folder) == model_hash(tmp_path / "other")
    summary = model_summary(folder)
    assert summary == (model_hash(folder), ("NAME",), 2)


def test_an_empty_folder_is_filled_and_a_full_one_refused(sanitizer: GreedySanitizer, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    sanitizer.save(tmp_path / "empty")
    with pytest.raises(UsageError, match="not empty"):
        sanitizer.save(tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="expected a folder"):
        sanitizer.save(tmp_path / "file")


def damage_round(folder: Path) -> None:
    (folder / "rounds" / "01" / "toy.json").write_text("[[], null]")


def lose_round(folder: Path) -> None:
    (folder / "rounds" / "02" / "toy.json").unlink()


def edit_record(folder: Path) -> None:
    record = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(record | {"loss_ratio": 1}))


def other_version(folder: Path) -> None:
    record = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(record | {"format": 99}))


def tear_record(folder: Path) -> None:
    (folder / "model.json").write_text("{")


def lose_key(folder: Path) -> None:
    (folder / "feature.key").unlink()


def change_key(folder: Path) -> None:
    (folder / "feature.key").write_text("ab" * 32)


def edit_report(folder: Path) -> None:
    (folder / "training.json").write_text("{}")


def lose_record(folder: Path) -> None:
    (folder / "model.json").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_round, "rounds/01: damaged"),
        (lose_round, "rounds/02: damaged"),
        (edit_record, "model.json: damaged or edited"),
        (other_version, "model format 99, expected 1"),
        (tear_record, "can't be read as JSON"),
        (lose_key, "feature.key is missing"),
        (change_key, "expected the key of this model"),
        (edit_report, "training.json: missing, damaged or edited"),
        (lose_record, "no model here"),
    ],
)
def test_a_damaged_model_is_refused_in_one_line(folder: Path, damage: Callable[..., Any], message: str) -> None:
    damage(folder)
    with pytest.raises(ModelError, match=message) as error:
        load(folder)
    assert "\n" not in str(error.value)


def test_a_folder_that_was_checked_is_checked_again_once_it_changed(sanitizer: GreedySanitizer, folder: Path) -> None:
    stamp = model_stamp(folder)
    assert open_sanitizer(folder, loader=load_toy, checked=stamp) == sanitizer
    damage_round(folder)
    assert model_stamp(folder) != stamp
    with pytest.raises(ModelError, match="damaged"):
        open_sanitizer(folder, loader=load_toy, checked=stamp)


def test_a_learner_that_can_not_part_its_features_is_not_exported(sanitizer: GreedySanitizer) -> None:
    with pytest.raises(ModelError, match="exported"):
        sanitizer.without_words()


def test_a_failed_save_leaves_nothing(
    sanitizer: GreedySanitizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, folder: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(type(sanitizer.rounds[1].model), "save", fail)
    with pytest.raises(OSError, match="disk full"):
        sanitizer.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_more_placeholders_can_be_listed(sanitizer: GreedySanitizer) -> None:
    text = "Today <X> Yew came."
    assert sanitizer.detect(text) == ()
    assert [s.start for s in sanitizer.listing(("<X>",)).detect(text)] == [10]


def test_another_decoding_needs_a_learner_that_has_one(sanitizer: GreedySanitizer) -> None:
    assert sanitizer.decoding_as("viterbi") is sanitizer
    with pytest.raises(UsageError, match="only its built-in decoding"):
        sanitizer.decoding_as("cost").detect(TEXT)
