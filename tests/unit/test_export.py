import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from spark_deid.cli import cli
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.train import train
from spark_deid.text.patterns import CustomPattern, PatternDetector

KEY = b"k" * 32


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = [
        Document(f"d{i}", f"Name: Quimby{'xyz'[i % 3]}\nSeen on 3/{1 + i % 9}/2009.\n", spans=(Span(6, 13, "NAME"),))
        for i in range(12)
    ]
    folder = tmp_path_factory.mktemp("export") / "model"
    config = TrainConfig(key=KEY, workers=1, features="hide", min_train_remaining=0, counts="train", max_rounds=1)
    train(documents, config).save(folder)
    return folder


def run(*arguments: Path | str) -> Result:
    return CliRunner().invoke(cli, ["export", *map(str, arguments)])


def test_the_loss_is_reported_where_gold_is_given(model: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    row = {"doc_id": "x", "text": "Name: Zoltan\n", "spans": [{"start": 6, "end": 12, "label": "NAME"}]}
    gold.write_text(json.dumps(row) + "\n")
    figures = tmp_path / "figures.json"
    done = run(model, tmp_path / "public", "--gold", gold, "--format", "jsonl", "--json", figures)
    assert done.exit_code == 0, done.output
    strict = json.loads(figures.read_text())["f1"]["strict"]
    assert strict["lost"] == pytest.approx(strict["model"] - strict["exported"])
    again = load_sanitizer(tmp_path / "public")
    assert again.key == b""
    assert again.report["export"]["f1"]["strict"] == strict


def test_without_gold_the_loss_is_unknown(model: Path, tmp_path: Path) -> None:
    done = run(model, tmp_path / "public")
    assert done.exit_code == 0, done.output
    assert "unknown" in done.output
    assert sorted(p.name for p in (tmp_path / "public").iterdir()) == ["model.json", "rounds", "training.json"]


def test_lists_of_terms_and_names_of_folders_remain_in_the_house(model: Path, tmp_path: Path) -> None:
    whole = load_sanitizer(model)
    before: dict[str, Any] = whole.report
    told = {**before["settings"], "background": ["/home/x/letters"], "tagger": "nltk:/home/x/tagger"}
    listing = PatternDetector(custom=(CustomPattern("NAME", "Quimbleton"),))
    replace(whole, patterns=listing, report={**before, "settings": told}).save(tmp_path / "model")
    done = run(tmp_path / "model", tmp_path / "public")
    assert done.exit_code == 0, done.output
    assert "1 custom patterns are removed" in done.output
    written = "".join(path.read_text() for path in (tmp_path / "public").rglob("*.json"))
    assert "Quimbleton" not in written
    assert "/home/x" not in written


def test_a_full_folder_and_half_an_option_are_refused(model: Path, tmp_path: Path) -> None:
    Path(tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    assert isinstance(run(model, tmp_path / "full").exception, UsageError)
    assert isinstance(run(model, tmp_path / "new", "--gold", "x").exception, UsageError)
