"""Readers of vectors, the store, and nearest neighbours against plain ones."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spark_deid.private_training.embeddings import formats, neighbour_index
from spark_deid.private_training.embeddings.building import StoreWriter, build_from_file, build_private
from spark_deid.private_training.embeddings.neighbour_index import nearest
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore, open_store
from spark_deid.private_training.embeddings.vector_blocks import EmbeddingsError, VectorBlock

WORDS = ("ann", ". .", "Łódź", "james", "1999")
VECTORS = np.array([[1, 0.5], [0, -2], [0.25, 3], [1e-3, 4], [0, 0]], np.float32)


def as_glove() -> bytes:
    return b"".join(f"{word} {one} {other}\n".encode() for word, (one, other) in zip(WORDS, VECTORS, strict=True))


def as_fasttext() -> bytes:
    return b"5 2\n" + as_glove().replace(b"\n", b" \n")


def as_word2vec() -> bytes:
    rows = (
        word.replace(" ", "_").encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, VECTORS, strict=True)
    )
    return b"5 2\n" + b"".join(rows)


def as_wink() -> bytes:
    vectors = {word: [*map(float, row), 1.5, n] for n, (word, row) in enumerate(zip(WORDS, VECTORS, strict=True))}
    return json.dumps(
        {"precision": 8, "dimensions": 2, "words": list(WORDS), "vectors": vectors, "unkVector": []}
    ).encode()


FILES: dict[str, Callable[[], bytes]] = {
    "glove": as_glove,
    "fasttext": as_fasttext,
    "word2vec": as_word2vec,
    "wink": as_wink,
}


def built(tmp_path: Path, content: bytes, kind: str) -> EmbeddingStore:
    (tmp_path / "vectors").write_bytes(content)
    return build_from_file(str(tmp_path / "vectors"), str(tmp_path / "store"), kind)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("piece", [3, 1 << 20])
def test_every_format_gives_the_words_and_vectors_that_it_has(
    kind: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "_PIECE", piece)
    store = built(tmp_path, FILES[kind](), kind)
    expected = [word.replace(" ", "_") if kind == "word2vec" else word for word in WORDS]
    assert [store.word(row) for row in range(5)] == expected
    assert np.array_equal(store.vectors, VECTORS)
    assert store.find(expected).tolist() == [0, 1, 2, 3, 4]


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "small.vec.gz").write_bytes(gzip.compress(as_fasttext()))
    assert build_from_file(str(tmp_path / "small.vec.gz"), str(tmp_path / "store")).about.words == 5


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        ("glove", b"", "line 1: expected a word and its numbers"),
        ("glove", b"a 1 2\nb 1\n", "line 2: expected a word and 2 numbers, found 2"),
        ("glove", b"a 1 2\nb 1 x\n", "line 2: expected 2 numbers after the word"),
        ("glove", b"a 1 2\nb 1 nan\n", "line 2: expected finite numbers"),
        ("glove", b"a 1 2\n\xff\xfe 1 2\n", "line 2: expected a word in UTF-8"),
        ("glove", b"a b c\n", "line 1: expected 1 to 4096 numbers"),
        ("fasttext", b"a 1 2\n", "line 1: expected the number of words"),
        ("fasttext", b"3 2\na 1 2\n", "line 1: expected 3 words as in the first line, found 1"),
        ("fasttext", b"1 2\na 1 2\nb 1 2\n", "line 1: expected 1 words as in the first line, found 2"),
        ("fasttext", b"2 2\na 1 2\nb 1 x\n", "line 3: expected 2 numbers after the word"),
        ("fasttext", b"2 2\na 1 2\nb 1\n", "line 3: expected a word and 2 numbers, found 2"),
        ("fasttext", b"2 2\na 1 2\n\xff 1 2\n", "line 3: expected a word in UTF-8"),
        ("fasttext", b"1 0\na\n", "line 1: expected 1 to 4096 numbers"),
        ("word2vec", b"a 1 2\n", "line 1: expected the number of words and of dimensions"),
        ("word2vec", b"1 2\n" + b"a" * 5000, "vector 1: expected a word of at most 4096 bytes"),
        ("word2vec", b"1 2\n\xff " + b"\0" * 8, "vector 1: expected a word in UTF-8"),
        ("word2vec", b"1 1\na " + np.float32(np.inf).tobytes(), "vector 1: expected finite numbers"),
        ("word2vec", b"1 2\na " + b"\0" * 7, "vector 1: expected 2 numbers of four bytes"),
        ("word2vec", b"2 2\na " + b"\0" * 8, "vector 2: expected a word and its numbers"),
        ("word2vec", b"1 2\na " + b"\0" * 9, "line 1: expected 1 words as in the header, found more"),
        ("wink", b'{"dimensions": 2, "vectors": {"a": [1, 2], "b": [1]}}', "vector 2: expected 2 numbers"),
        ("wink", b'{"dimensions": 2, "vectors": {"a": [1, "x"]}}', "vector 1: expected a list of numbers"),
        ("wink", b'{"dimensions": 2, "vectors": {"a": [1, 2]', "vector 2: expected a comma"),
        ("wink", b'{"dimensions": 2, "vec', "the file: expected JSON"),
        ("wink", b'{"dimensions": 2, "vectors": {"": [1, 2]}}', "vector 1: expected a word"),
        ("wink", b'{"\xff', "the file: expected JSON in UTF-8"),
        ("wink", b'{"dimensions": 2}', 'the file: expected an object "vectors"'),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(kind: str, content: bytes, told: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingsError) as caught:
        built(tmp_path, content, kind)
    assert f"{tmp_path / 'vectors'}: {told}" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["vectors"]


def test_a_torn_gzip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.vec.gz").write_bytes(gzip.compress(as_fasttext())[:-9])
    with pytest.raises(EmbeddingsError, match="can't be read"):
        build_from_file(str(tmp_path / "small.vec.gz"), str(tmp_path / "store"))


def test_words_are_looked_up_as_written_then_small_then_by_base_letters(tmp_path: Path) -> None:
    store = built(tmp_path, b"Ann 1 2\nann 3 4\nlodz 5 6\nann 7 8\n", "glove")
    assert store.resolve(["Ann", "ANN", "Łódź", "Zoe", ""]).tolist() == [0, 1, 2, ABSENT, ABSENT]
    assert store.about.duplicates == 1
    assert store.eligible().tolist() == [True, True, True, False]


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingsError, match="no store of vectors"):
        open_store(str(tmp_path))
    store = built(tmp_path, as_glove(), "glove")
    (store.folder / "vectors.f32").write_bytes(b"1234")
    open_store.cache_clear()
    with pytest.raises(EmbeddingsError, match="expected 40 bytes"):
        open_store(str(store.folder))
    with pytest.raises(EmbeddingsError, match="already exists"):
        build_from_file(str(tmp_path / "vectors"), str(store.folder))


def test_a_private_store_has_words_in_clear_that_k_people_share(tmp_path: Path) -> None:
    block = VectorBlock(("fever", "zyxwv"), np.array([[1, 2], [3, 4]], np.float32))
    store = build_private([block], str(tmp_path / "own"), "word2vec", {"fever"}.__contains__, k=5)
    assert store.resolve(["fever", "ZYXWV", "other"]).tolist() == [0, 1, ABSENT]
    assert [store.word(row) for row in (0, 1)] == ["fever", ""]
    assert store.eligible().tolist() == [True, False]
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert b"fever" in content
    assert b"zyxwv" not in content
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert (store.folder / "words.key").stat().st_mode & 0o777 == 0o600


def plain_nearest(vectors: np.ndarray, row: int, count: int, eligible: np.ndarray) -> list[int]:
    """Return the nearest rows as anyone would write it."""
    lengths = np.linalg.norm(vectors, axis=1)
    similar = vectors @ vectors[row] / np.where(lengths > 0, lengths, 1)
    return sorted(np.flatnonzero(eligible).tolist(), key=lambda other: (-similar[other], other))[:count]


@pytest.mark.parametrize("seed", range(6))
def test_nearest_neighbours_are_those_of_plain_search(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 70))
    # Integers on few axes: many exact ties, also over the borders of blocks.
    vectors = random.integers(-2, 3, (size, 3)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1), 1)[:, None]
    monkeypatch.setattr(neighbour_index, "BLOCK", int(random.integers(1, 20)))
    monkeypatch.setattr(neighbour_index, "QUERIES", int(random.integers(1, 20)))
    with StoreWriter(str(tmp_path / "store")) as writer:
        writer.add(VectorBlock(tuple(f"w{n}" for n in range(size)), vectors))
        store = writer.close("test", "")
    eligible = random.random(size) < 0.7
    rows = random.integers(0, size, 30)
    count = int(random.integers(1, 12))
    found = nearest(store, rows, count, eligible)
    for row, near, similar in zip(rows, found.rows, found.similarities, strict=True):
        expected = plain_nearest(vectors, int(row), count, eligible)
        kept = near[near != ABSENT]
        assert len(kept) == len(expected)
        lengths = np.linalg.norm(vectors, axis=1)
        unit = vectors / np.where(lengths > 0, lengths, 1)[:, None]
        # Equal to rounding: exact ties may be ordered by their last bit.
        assert unit[kept] @ unit[row] == pytest.approx(unit[expected] @ unit[row], abs=1e-6)
        assert similar[: len(kept)] == pytest.approx(unit[kept] @ unit[row], abs=1e-6)
        assert eligible[kept].all()
        assert len(set(kept.tolist())) == len(kept)


def test_of_equally_near_words_the_earlier_row_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbour_index, "BLOCK", 3)
    vectors = np.eye(2, dtype=np.float32)[[0, 1, 0, 1, 0, 0]]
    with StoreWriter(str(tmp_path / "store")) as writer:
        writer.add(VectorBlock(tuple(f"w{n}" for n in range(len(vectors))), vectors))
        store = writer.close("test", "")
    assert nearest(store, [0], 6, np.ones(6, np.bool_)).rows.tolist() == [[0, 2, 4, 5, 1, 3]]
    assert nearest(store, [0], 3, np.ones(6, np.bool_)).rows.tolist() == [[0, 2, 4]]
