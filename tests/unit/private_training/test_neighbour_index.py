"""The approximate index against exact search, and its recall."""

import sys
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.private_training.embeddings import neighbour_index
from spark_deid.private_training.embeddings.building import StoreWriter
from spark_deid.private_training.embeddings.neighbour_index import build_index, nearest, nearest_by_index
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import VectorBlock
from spark_deid.private_training.pseudonyms.candidates import candidates_of, write_table
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.private_training.spark.tables import _recall

LETTERS = "abcdefghij"
WORDS = 600


@pytest.fixture
def store(tmp_path: Path) -> EmbeddingStore:
    words = tuple("".join(LETTERS[int(digit)] for digit in str(n)) if n % 7 else str(n) for n in range(WORDS))
    vectors = np.random.default_rng(3).normal(size=(WORDS, 8)).astype(np.float32)
    with StoreWriter(str(tmp_path / "store")) as writer:
        writer.add(VectorBlock(words, vectors))
        return writer.close("test", "")


def test_an_index_finds_most_of_the_nearest_words_and_none_that_may_not_be(
    store: EmbeddingStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("voyager")
    monkeypatch.setattr(neighbour_index, "QUERIES", 50)
    build_index(store, tmp_path / "index")
    rows, eligible = np.arange(WORDS), store.eligible()
    found = nearest_by_index(store, rows, 10, eligible, path=str(tmp_path / "index"))
    exact = nearest(store, rows, 10, eligible)
    shared = [len(set(own) & set(others)) for own, others in zip(found.rows.tolist(), exact.rows.tolist(), strict=True)]
    assert np.mean(shared) / 10 > 0.95
    assert eligible[found.rows].all()
    same = found.rows == exact.rows
    assert found.similarities[same] == pytest.approx(exact.similarities[same], abs=1e-5)
    assert (np.diff(found.similarities, axis=1) <= 0).all()


def test_equal_stores_give_equal_indexes(store: EmbeddingStore, tmp_path: Path) -> None:
    pytest.importorskip("voyager")
    for name in ("one", "other"):
        build_index(store, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_words_that_an_index_reaches_too_little_from_are_searched_exactly(
    store: EmbeddingStore, tmp_path: Path
) -> None:
    pytest.importorskip("voyager")
    build_index(store, tmp_path / "index")
    eligible = store.eligible()
    # More than there are: the library finds too few, exact search fills up with ABSENT.
    found = nearest_by_index(store, np.array([1]), WORDS, eligible, path=str(tmp_path / "index"))
    assert int((found.rows != ABSENT).sum()) == int(eligible.sum())


def test_without_the_library_it_is_stated_what_to_install(
    store: EmbeddingStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "voyager", None)
    with pytest.raises(UsageError, match=r"pip install 'spark-deid\[approximate\]'"):
        build_index(store, tmp_path / "index")


def test_recall_is_the_share_of_exact_candidates_that_a_table_has(store: EmbeddingStore, tmp_path: Path) -> None:
    rows, settings = np.arange(1, 5), NeighbourSettings(neighbours=4)
    candidates = candidates_of(store, rows, settings).rows
    candidates[0, 0], candidates[2, 2:] = 0, ABSENT  # 0 is not a word of letters
    write_table(tmp_path, rows, candidates, np.zeros(4, np.int64))
    assert _recall(rows, store=str(store.folder), settings=settings, table=str(tmp_path)) == 13 / 16
