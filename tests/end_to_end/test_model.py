"""From labelled text to a model, and from the model to scores, annotations and a release."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Cli, read_rows

ROOT = Path(__file__).parents[2]


@pytest.fixture
def corpus(cli: Cli, tmp_path: Path) -> Path:
    cli("synthesize", "--documents", 60, "--seed", 3, "--output", tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.mark.thorough
def test_a_model_is_trained_scored_and_released_with(cli: Cli, program: Cli, corpus: Path, tmp_path: Path) -> None:
    model, scores, figures = (tmp_path / name for name in ("model", "scores.json", "figures.json"))
    places = {"--input": corpus, "--format": "jsonl"}
    options = [word for pair in places.items() for word in pair]

    cli("train", *options, "--features", "hide", "--folds", 2, "--max-rounds", 2, "--output", model)
    assert (model.stat().st_mode & 0o777, (model / "feature.key").stat().st_mode & 0o777) == (0o700, 0o600)

    told = cli("evaluate", "--gold", corpus, "--format", "jsonl", "--model", model, "--rounds", "--json", scores,
               "--page", tmp_path / "scores.html")  # fmt: skip
    assert (tmp_path / "scores.html").stat().st_mode & 0o777 == 0o600
    assert "was trained on 60 of these documents" in (tmp_path / "scores.html").read_text(encoding="utf-8")
    found = json.loads(scores.read_text())
    assert found["strict"]["micro"]["f1"] > 0.9
    assert set(found["rounds"]) >= {"round-1"}
    assert found["trained_on"] == 60
    assert "strict, by label" in told.stdout
    labels = ("--labels", "NAME,DATE:WHEN", "--json", scores)
    cli("evaluate", "--gold", corpus, "--format", "jsonl", "--model", model, *labels)
    by_label = json.loads(scores.read_text())["strict"]["labels"]
    assert set(by_label) == {"NAME", "WHEN"}
    assert by_label["NAME"]["recall"] > 0.9 > 0 == by_label["WHEN"]["recall"]

    cli("detect", "--model", model, *options, "--output", tmp_path / "found", "--to", "brat", "--decoding", "cost")
    assert len(list((tmp_path / "found").rglob("*.ann"))) == 60

    for cores, runner in ((2, cli), (7, program)):
        base = tmp_path / f"cores-{cores}"
        settings: dict[str, object] = {"model": model, "input.path": corpus, "input.format": "jsonl"}
        settings |= {name: base / name for name in ("workspace", "release")}
        chosen = [f"--set={name}={value}" for name, value in settings.items()]
        runner("run", ROOT / "conf" / "suppress.yaml", "--master", f"local[{cores}]", *chosen, "--json", figures)
        assert json.loads(figures.read_text())["rounds"] >= 1
    one, other = (read_rows(tmp_path / f"cores-{cores}" / "release" / "documents") for cores in (2, 7))
    assert one == other
    assert any("[NAME]" in str(row["text"]) for row in one)

    base = tmp_path / "cores-2"
    left = ["--release", base / "release", "--workspace", base / "workspace", "--gold", corpus, "--format", "jsonl"]
    cheap = ["--learners", "svm", "--features", "hide", "--folds", 2, "--budgets", "10,100"]
    cli("attack", *left, *cheap, "--json", tmp_path / "attack.json")
    attackers = json.loads((tmp_path / "attack.json").read_text())["attackers"]
    assert {attacker["decoding"] for attacker in attackers} >= {"viterbi", "cost"}
    assert all(len(attacker["budgets"]) >= 2 for attacker in attackers)

    cli("export", model, tmp_path / "public")
    assert not (tmp_path / "public" / "feature.key").exists()
    cli("evaluate", "--gold", corpus, "--format", "jsonl", "--model", tmp_path / "public", "--json", scores)
    assert json.loads(scores.read_text())["strict"]["micro"]["f1"] > 0.5


@pytest.mark.thorough
def test_a_model_with_gazetteers_and_background_decides_by_cost_in_a_plan(cli: Cli, tmp_path: Path) -> None:
    gold = tmp_path / "corpus"
    cli("synthesize", "--documents", 12, "--seed", 5, "--output", gold)
    (gold / "empty.jsonl").write_text(json.dumps({"doc_id": "no words", "text": " \n"}) + "\n", encoding="utf-8")
    options = ["--labels", "NAME", "--features", "full", "--decoding", "cost", "--iterations", 10]
    model = tmp_path / "model"
    cli("train", "--input", gold, "--format", "jsonl", *options, "--folds", 2, "--max-rounds", 1, "--output", model)
    settings: dict[str, object] = {"model": model, "input.path": gold, "input.format": "jsonl"}
    settings |= {name: tmp_path / name for name in ("workspace", "release")}
    figures = tmp_path / "figures.json"
    chosen = [f"--set={name}={value}" for name, value in settings.items()]
    cli("run", ROOT / "conf" / "suppress.yaml", *chosen, "--json", figures)
    assert json.loads(figures.read_text())["documents"] == 13
    assert any("[NAME]" in str(row["text"]) for row in read_rows(tmp_path / "release" / "documents"))
