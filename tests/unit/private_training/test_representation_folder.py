"""Folders of representations: what is read back, and what is refused by name."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import CorpusError, ModelError
from spark_deid.core.span import Span
from spark_deid.private_training.embeddings.store import EmbeddingStore
from spark_deid.private_training.network.representation_folder import read_representation
from spark_deid.private_training.network.sentence_set import read_vectors
from spark_deid.private_training.network.transforming import OTHER, TransformSource, transform_text
from tests.unit.private_training.networks import representation_folder, store


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingStore:
    return store(tmp_path_factory.mktemp("vectors"))


def test_a_representation_is_read_back_and_open_to_all(vectors: EmbeddingStore, tmp_path: Path) -> None:
    folder = representation_folder(tmp_path / "given", vectors)
    found = read_representation(folder, vectors)
    assert (found.outputs, found.settings.labels, found.settings.neighbours) == (6, ("DATE", "NAME"), 8)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given"]


def _cut(folder: Path) -> None:
    (folder / "output_kernel.npy").write_bytes(b"nothing")


def _edit(folder: Path) -> None:
    told = json.loads((folder / "privacy.json").read_text())
    (folder / "privacy.json").write_text(json.dumps({**told, "margin": 0.1}))


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda folder: (folder / "model.json").unlink(), "model.json"),
        (lambda folder: (folder / "noise_in.npy").unlink(), "noise_in.npy: can't be read"),
        (_cut, "output_kernel.npy: damaged or edited"),
        (lambda folder: (folder / "privacy.json").unlink(), r"privacy.json: can't be read"),
        (_edit, "privacy.json: damaged or edited"),
    ],
)
def test_damaged_folders_are_refused_by_file(
    vectors: EmbeddingStore, tmp_path: Path, damage: Callable[[Path], None], named: str
) -> None:
    folder = representation_folder(tmp_path / "given", vectors)
    damage(folder)
    with pytest.raises(ModelError, match=named):
        read_representation(folder, vectors)


def test_what_attacks_read_and_what_is_of_other_vectors_is_refused(vectors: EmbeddingStore, tmp_path: Path) -> None:
    folder = representation_folder(tmp_path / "given", vectors, holds=False)
    with pytest.raises(ModelError, match="attacks on this representation succeeded"):
        read_representation(folder, vectors)
    (tmp_path / "others").mkdir()
    others = store(tmp_path / "others", seed=1)
    good = representation_folder(tmp_path / "good", vectors)
    with pytest.raises(ModelError, match="expected the vectors with which"):
        read_representation(good, others)


def test_each_transform_has_noise_of_its_own_that_the_key_shows(vectors: EmbeddingStore, tmp_path: Path) -> None:
    folder = representation_folder(tmp_path / "given", vectors)
    source = TransformSource(str(folder), str(vectors.folder), b"key", ("NAME",))
    text, spans = "Seen by Ann.\nSeen by Ann.", [Span(8, 11, "NAME"), Span(21, 24, "WARD")]
    one, other = transform_text("d1", text, spans, source)
    assert one.tags == ("O", "O", "B-NAME", "O")
    assert other.tags == ("O", "O", f"B-{OTHER}", "O")
    assert one.casings.tolist() == other.casings.tolist() == [4, 2, 4, 6]
    assert np.abs(one.vectors - other.vectors).min() > 0
    again = list(transform_text("d1", text, spans, source))
    assert [each.place for each in again] == [one.place, other.place]
    assert (again[0].vectors == one.vectors).all()
    for changed in (source._replace(key=b"else"), source):
        doc_id = "d1" if changed is not source else "d2"
        third = next(iter(transform_text(doc_id, text, spans, changed)))
        assert third.place != one.place
        assert np.abs(third.vectors - one.vectors).min() > 0
    assert "key" not in repr(source)


def test_vectors_that_do_not_fit_are_refused_by_row(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    good = {"vectors": [1.0, 2.0, 3.0, 4.0], "casings": [2, 4], "tags": ["O", "B-NAME"]}
    table = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([good, {**good, "tags": ["B-DATE", "O"]}]), table)
    sentences, labels = read_vectors([table], 2)
    assert labels == ("DATE", "NAME")
    assert [each.tags.tolist() for each in sentences.sentences] == [[0, 3], [1, 0]]
    assert sentences.table[sentences.sentences[1].rows].tolist() == [[1, 2], [3, 4]]
    for wrong in ({**good, "vectors": [1.0]}, {**good, "tags": ["O"]}):
        pq.write_table(pa.Table.from_pylist([good, wrong]), table)
        with pytest.raises(CorpusError, match=r"a\.parquet: row 2"):
            read_vectors([table], 2)
    table.write_bytes(b"nothing")
    with pytest.raises(CorpusError, match="can't be read as a table of vectors"):
        read_vectors([table], 2)
