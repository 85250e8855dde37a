"""The commands around representations: what is written, what is refused, and when."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax")

import spark_deid as sd
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.network.layers import representing_shapes
from spark_deid.private_training.network.representation_folder import read_representation
from spark_deid.private_training.network.scores import BinaryScore
from spark_deid.private_training.network.transforming import TransformSource, transform_text
from spark_deid.private_training.neural.publishing import PublicationTrial
from spark_deid.private_training.privacy.verdict import AttackAccuracy, judge
from tests.unit.private_training.networks import drawn, representation_folder, store

T1 = AttackAccuracy("T1", 0, 4000, 0.5, 0.51, 0.48, 0.54)
CONTROL = T1._replace(accuracy=0.99, low=0.98, high=1.0)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return store(tmp_path).folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    text = "Seen by Ann. The fever is gone."
    rows = [{"doc_id": f"d{n}", "text": text, "spans": [{"start": 8, "end": 11, "label": "NAME.X"}]} for n in range(3)]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path / "notes.jsonl"


def found_by(attacks: Sequence[AttackAccuracy], controls: Sequence[AttackAccuracy]) -> PublicationTrial:
    weights = drawn(representing_shapes(8, 4, 6), np.random.default_rng(0))
    return PublicationTrial(weights, judge(attacks, controls, ("T1",)), BinaryScore(9, 1, 1), 3)


def attacked(monkeypatch: pytest.MonkeyPatch, trial: PublicationTrial) -> None:
    monkeypatch.setattr("spark_deid.app.publishing._trained", lambda *_: trial)


def test_a_representation_is_written_where_attacks_fail(
    vectors: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attacked(monkeypatch, found_by([T1], [CONTROL]))
    done = sd.representation.train(notes, "jsonl", vectors, tmp_path / "out", neighbours=7)
    published = read_representation(tmp_path / "out", open_store(str(vectors)))
    assert (published.settings.labels, published.settings.neighbours) == (("NAME_X",), 7)
    assert (done.f1, done.documents) == (0.9, 3)
    report = (tmp_path / "out.privacy.json").read_bytes()
    assert report == (tmp_path / "out" / "privacy.json").read_bytes()
    assert json.loads(report)["settings"]["neighbours"] == 7


@pytest.mark.parametrize(
    ("attacks", "controls", "reason"),
    [
        ([T1._replace(high=0.56)], [CONTROL], "T1 of seed 0 is right in up to 56.0%"),
        ([T1._replace(low=0.44)], [CONTROL], "T1 of seed 0 is right in no more than 44.0%"),
        ([T1], [CONTROL._replace(accuracy=0.8)], "adversary too weak"),
        ([], [CONTROL], "no attack was carried out"),
    ],
)
def test_nothing_is_exported_where_one_succeeds_and_figures_are_written(
    vectors: Path,
    notes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    attacks: list[AttackAccuracy],
    controls: list[AttackAccuracy],
    reason: str,
) -> None:
    attacked(monkeypatch, found_by(attacks, controls))
    with pytest.raises(sd.GateRefused, match=reason) as refusal:
        sd.representation.train(notes, "jsonl", vectors, tmp_path / "out")
    assert refusal.value.exit_code == 3
    assert not (tmp_path / "out").exists()
    report = json.loads((tmp_path / "out.privacy.json").read_text())
    assert report["holds"] is False
    assert reason in report["reasons"][0]


def test_private_vectors_and_wrong_options_are_refused_before_anything_is_read(
    vectors: Path, notes: Path, tmp_path: Path
) -> None:
    about = json.loads((vectors / "about.json").read_text())
    (tmp_path / "own").mkdir()
    for path in vectors.iterdir():
        (tmp_path / "own" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "own" / "about.json").write_text(json.dumps({**about, "private": True}))
    with pytest.raises(sd.UsageError, match="vectors come from a private corpus"):
        sd.representation.train(notes, "jsonl", tmp_path / "own", tmp_path / "out")
    with pytest.raises(sd.UsageError, match=r"--minutes: expected a number above 0"):
        sd.representation.train(notes, "jsonl", vectors, tmp_path / "out", minutes=0)
    with pytest.raises(sd.UsageError, match="folder is not empty"):
        sd.representation.train(notes, "jsonl", vectors, tmp_path / "own")
    with pytest.raises(sd.UsageError, match="--labels: expected labels"):
        sd.representation.transform(notes, "jsonl", tmp_path, vectors, tmp_path / "out", labels=("A.B",))
    with pytest.raises(sd.ModelError, match=r"model\.json"):
        sd.representation.transform(notes, "jsonl", tmp_path / "absent", vectors, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_jax_it_reports_what_to_install_and_transforms_nonetheless(
    vectors: Path, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "spark_deid.private_training.neural.framework", raising=False)
    monkeypatch.delattr("spark_deid.private_training.neural.framework", raising=False)
    monkeypatch.setitem(sys.modules, "jax", None)
    for call in (
        lambda: sd.representation.train(notes, "jsonl", vectors, tmp_path / "out"),
        lambda: sd.representation.pool((tmp_path,), tmp_path, vectors, tmp_path / "out"),
    ):
        with pytest.raises(sd.UsageError, match=r"pip install 'spark-deid\[neural\]'"):
            call()
    source = TransformSource(
        str(representation_folder(tmp_path / "given", open_store(str(vectors)))), str(vectors), b"key", ("NAME",)
    )
    assert [each.tags for each in transform_text("d", "Seen by Ann.", [], source)] == [("O",) * 4]
