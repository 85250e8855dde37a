import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from spark_deid.repeats.extension import character_lengths, extension_lengths
from spark_deid.repeats.findings import DocumentBatch, collapse_duplicates
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.kernels.trie import splitters_of
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.shards.files import MAPPED_BYTES, read_array, read_message, write_arrays, write_messages
from spark_deid.repeats.shards.tries import (
    ALONE,
    LeafSample,
    UnitWeights,
    choose_splitters,
    close_shard,
    merge_range,
    next_depth,
    open_shard,
    range_leaves,
    sample_prefixes,
    take_answers,
    trie_of,
)
from spark_deid.repeats.text import cut_segments, exclude_characters, lay_out, lay_out_bytes
from tests.unit.repeats import obvious

Documents = list[tuple[bytes, list[tuple[int, int]], int]]
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(3, 9))]
"""Nine draw 3,060 corpora; the first three are in every run, the others in `pytest -m thorough`."""


class Part:
    """A shard separately: whole units of which copies count once, or segments of one unit."""

    def __init__(self, documents: Documents, cores: Sequence[int], unit: CountingUnit, group: int | None) -> None:
        per_occurrence = unit is CountingUnit.OCCURRENCE
        if group is None:
            # As the operator provides them: a unit's rows one after another.
            order = sorted(range(len(documents)), key=lambda row: documents[row][2])
            columns: Any = list(zip(*(documents[row] for row in order), strict=True)) or [(), (), ()]
            texts, excluded, units, weights, found = collapse_duplicates(
                [DocumentBatch(None, columns[0], columns[2], columns[1])], unit
            )
            self.document_of = found[np.argsort(order)] if order else found
        else:
            texts, excluded = [data for data, _, _ in documents], [pairs for _, pairs, _ in documents]
            self.document_of = np.arange(len(documents))
            units = np.array([row if per_occurrence else 0 for row in range(len(documents))], np.int64)
            weights = np.ones(len(documents) if per_occurrence else 1, np.int64)
        self.group = ALONE if group is None or per_occurrence else group
        self.text = lay_out_bytes(texts, units)
        exclude_characters(self.text, enumerate(excluded))
        self.weights = UnitWeights(weights, per_occurrence)
        if group is None:
            cores = [len(text) for text in texts]
        self.cores = np.array(cores, np.int64)

    def lengths(self, row: int, found: np.ndarray) -> list[int]:
        """Return the lengths of the characters of a row's core; -1: no text."""
        lengths = character_lengths(self.text, found)
        document = self.document_of[row]
        begin, end = self.text.bounds[document], self.text.bounds[document] + self.cores[document]
        data = self.text.data[begin:end]
        size = int((((data & 0xC0) != 0x80) & (data != 0xFE)).sum())
        first = self.text.characters[document]
        return [-1 if n > MAX_LENGTH else n for n in lengths[first : first + size].tolist()]


def sharded_lengths(
    parts: Sequence[Part], unit: CountingUnit, k: int, cap: int, ranges: int, depths: Sequence[int]
) -> list[np.ndarray]:
    """Carry the rounds out in one process."""
    texts, weights = [part.text for part in parts], [part.weights for part in parts]
    shards = [open_shard(part.text, part.weights, unit=unit, cap=cap, cores=part.cores) for part in parts]
    rounds: list[list[Any]] = [[] for _ in shards]
    for low, high in zip((0, *depths), depths, strict=False):
        splitters = choose_splitters(
            [sample_prefixes(*each, depth=high, number=9) for each in zip(texts, shards, strict=True)], ranges
        )
        tries = [
            trie_of(*each, splitters, low=low, high=high, k=k) for each in zip(texts, shards, weights, strict=True)
        ]
        sent = [range_leaves(*each, splitters) for each in zip(texts, shards, tries, strict=True)]
        groups = [part.group for part in parts]
        replies = [
            merge_range([each[r] for each in sent], groups, splitters, r, low=low, high=high, k=k)
            for r in range(len(splitters.bounds))
        ]
        for i, trie in enumerate(tries):
            answered = np.concatenate([reply[i] for reply in replies])
            reached, left = take_answers(shards[i], answered, trie.begins, high)
            rounds[i].append((shards[i].suffixes, reached))
            shards[i] = left
    return [close_shard(text.size, taken) for text, taken in zip(texts, rounds, strict=True)]


def in_shards(
    random: np.random.Generator,
    documents: Documents,
    unit: CountingUnit,
    k: int,
    cap: int,
    ranges: int,
    depths: list[int],
) -> list[list[int]]:
    """Assign units to one to five shards by chance, one of them perhaps in segments to two more; return lengths."""
    number = int(random.integers(1, 6))
    large = int(random.integers(len(documents))) if random.random() < 0.4 else -1
    place = random.integers(0, number, len(documents))
    members: list[Documents] = [[] for _ in range(number)]
    segments: tuple[Documents, Documents] = [], []
    cores: tuple[list[int], list[int]] = [], []
    where: list[list[tuple[int, int]]] = []
    for data, excluded, owner in documents:
        if owner != large:
            where.append([(int(place[owner]), len(members[place[owner]]))])
            members[place[owner]].append((data, excluded, owner))
            continue
        where.append([])
        for segment in cut_segments(data, excluded, max_bytes=int(random.integers(1, 12)), cap=cap):
            side = int(random.integers(2))
            where[-1].append((number + side, len(segments[side])))
            segments[side].append((segment.data, segment.excluded, owner))
            cores[side].append(segment.core)
    parts = [Part(m, [len(data) for data, _, _ in m], unit, None) for m in members]
    parts += [Part(*each, unit, 0) for each in zip(segments, cores, strict=True)]
    found = sharded_lengths(parts, unit, k, cap, ranges, depths)
    return [[n for shard, row in places for n in parts[shard].lengths(row, found[shard])] for places in where]


@pytest.mark.parametrize("unit", list(CountingUnit))
@pytest.mark.parametrize("seed", SEEDS)
def test_shards_find_what_plain_counting_finds(unit: CountingUnit, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(340):
        texts, excluded, owners = obvious.random_corpus(random)
        if random.random() < 0.3:
            texts, excluded = texts + texts[:2], excluded + excluded[:2]
            owners = owners + [max(owners) + 1] * len(texts[:2])
        owners = owners[: len(texts)]
        if unit is not CountingUnit.SUBJECT:
            owners = list(range(len(texts)))
        k, cap = int(random.integers(2, 6)), int(random.choice([2, 4, 8, 16, 40, 255]))
        depths = [*sorted({d for d in (3, 5, 8, 16) if d < cap and random.random() < 0.7}), cap]
        documents = [
            (text.encode(), list(pairs), owner) for text, pairs, owner in zip(texts, excluded, owners, strict=True)
        ]
        found = in_shards(random, documents, unit, k, cap, int(random.integers(1, 5)), depths)
        expected = obvious.extension_lengths(texts, excluded, owners, unit, k, cap)
        assert found == expected, (texts, excluded, owners, k, cap, depths)


@pytest.mark.parametrize("cap", [254, *(pytest.param(cap, marks=pytest.mark.thorough) for cap in (255, 256, 300))])
def test_shards_follow_long_repeats_to_the_cap(cap: int) -> None:
    random = np.random.default_rng(cap)
    passage = random.integers(97, 100, 700).astype(np.uint8).tobytes()
    documents: Documents = [(passage[i:] + b"-" + passage[: 400 + i], [], i) for i in range(9)]
    parts = [Part(documents[i::3], [], CountingUnit.DOCUMENT, None) for i in range(3)]
    found = sharded_lengths(parts, CountingUnit.DOCUMENT, 4, cap, 2, [12, 60, cap])
    expected = extension_lengths(
        lay_out([data.decode() for data, _, _ in documents]), k=4, unit=CountingUnit.DOCUMENT, cap=cap
    )
    assert int(expected.max()) == cap
    begin = 0
    for number, (data, _, _) in enumerate(documents):
        shard, row = parts[number % 3], number // 3
        place = int(shard.text.bounds[shard.document_of[row]])
        assert (found[number % 3][place : place + len(data)] == expected[begin : begin + len(data)]).all()
        begin += len(data) + 1


@pytest.mark.parametrize("copies", [253, 254, 300])
def test_counts_stop_at_the_greatest_k(copies: int) -> None:
    documents: Documents = [*((b"abc", [], i) for i in range(copies)), (b"abd", [], copies)]
    parts = [Part(documents[i::2], [], CountingUnit.DOCUMENT, None) for i in range(2)]
    found = sharded_lengths(parts, CountingUnit.DOCUMENT, 254, 8, 3, [2, 8])
    reached = 3 if copies >= 254 else 2 if copies + 1 >= 254 else 0
    assert found[0][: len("abc")].tolist() == [reached, max(0, reached - 1), max(0, reached - 2)]


def test_ranges_are_even_even_where_every_leaf_begins_equally() -> None:
    random = np.random.default_rng(0)
    header = b"every note begins with this: "
    documents: Documents = [(header + bytes(random.integers(97, 101, 400).astype(np.uint8)), [], i) for i in range(8)]
    part = Part(documents, [len(data) for data, _, _ in documents], CountingUnit.DOCUMENT, None)
    active = open_shard(part.text, part.weights, unit=CountingUnit.DOCUMENT, cap=64, cores=part.cores)
    splitters = choose_splitters([sample_prefixes(part.text, active, depth=64, number=400)], 8)
    trie = trie_of(part.text, active, part.weights, splitters, low=0, high=64, k=3)
    sizes = np.diff(trie.leaf_at)
    assert len(sizes) == 8
    assert sizes.max() < 1.5 * sizes.mean()


def test_copies_count_as_many_and_are_searched_once() -> None:
    batch = DocumentBatch(None, [b"a", b"b", b"a", b"a", b"c"], ["p", "p", "q", "r", "q"], [[], [], [], [], []])
    by_document = collapse_duplicates([batch], CountingUnit.DOCUMENT)
    assert by_document.texts == [b"a", b"b", b"c"]
    assert by_document.weights.tolist() == [3, 1, 1]
    assert by_document.document_of.tolist() == [0, 1, 0, 0, 2]

    parts = [
        DocumentBatch(None, [b"a", b"b"], ["p", "p"], [[]] * 2),
        DocumentBatch(None, [b"b", b"a"], ["q", "q"], [[]] * 2),
    ]
    unknown = DocumentBatch(None, [b"a", b"a", b"a"], ["q", None, None], [[]] * 3)
    by_subject = collapse_duplicates([*parts, unknown], CountingUnit.SUBJECT)
    assert by_subject.texts == [b"a", b"b", b"a"]
    assert by_subject.weights.tolist() == [2, 1]
    assert by_subject.document_of.tolist() == [0, 1, 1, 0, 0, 2, 2]

    excluded = DocumentBatch(None, [b"abc", b"abc"], [None, None], [[], [(0, 1)]])
    assert collapse_duplicates([excluded], CountingUnit.OCCURRENCE).excluded == [(), ((0, 1),)]
    assert collapse_duplicates([], CountingUnit.SUBJECT).document_of.tolist() == []


@pytest.mark.parametrize("unit", list(CountingUnit))
def test_copies_take_no_memory(unit: CountingUnit) -> None:
    copies = (DocumentBatch(None, [bytes(100_000)], [f"p{number // 3}"], [[]]) for number in range(300))
    tracemalloc.start()
    found = collapse_duplicates(copies, unit)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(found.texts), len(found.document_of)) == (1, 300)
    assert peak < 1_000_000


def test_segments_hold_every_character_once_and_what_follows_it() -> None:
    text = "aé日😀★b" * 5
    for max_bytes in (1, 3, 7, 1000):
        segments = list(cut_segments(text.encode(), [(0, 2), (4, 9), (29, 30)], max_bytes=max_bytes, cap=6))
        assert "".join(s.data[: s.core].decode() for s in segments) == text
        assert all(s.core <= max_bytes + 3 for s in segments)
        ahead = ["".join(s.data[: s.core].decode() for s in segments[i:]) for i in range(len(segments))]
        assert all(rest.startswith(s.data.decode()) for s, rest in zip(segments, ahead, strict=True))
        assert all(len(s.data) >= min(s.core + 6, len(rest.encode())) for s, rest in zip(segments, ahead, strict=True))
        excluded = []
        for segment in segments:
            begin = sum(len(s.data[: s.core].decode()) for s in segments[: segments.index(segment)])
            excluded += [begin + i for a, b in segment.excluded for i in range(a, b)]
        assert set(excluded) == {0, 1, *range(4, 9), 29}


def test_splitters_of_samples_weigh_what_they_represent() -> None:
    samples = [LeafSample([b"a", b"b", b"c"], 30), LeafSample([b"x"], 1)]
    assert choose_splitters(samples, 2).data.tobytes() == splitters_of([b"b"]).data.tobytes()
    assert choose_splitters([], 3).bounds.tolist() == [0]


def test_a_round_goes_deeper_the_fewer_suffixes_are_active() -> None:
    assert next_depth(12, 255, 1) == 24
    assert next_depth(24, 255, 0.01) == 255


def test_arrays_come_back_as_they_were_written_mapped_or_not(tmp_path: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "none": np.zeros(0, np.int32),
        "few": np.arange(5),
        "many": np.arange(MAPPED_BYTES, dtype=np.uint16),
    }
    write_arrays(tmp_path / "a", arrays)
    write_arrays(tmp_path / "a", arrays)
    for name, array in arrays.items():
        found = read_array(tmp_path / "a", name)
        assert type(found) is np.ndarray
        assert np.array_equal(found, array)
        found[:1] = 7
    assert read_array(tmp_path / "a", "many")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_messages(tmp_path / "sent", [b"one", "two"])  # type: ignore[list-item]
    with pytest.raises(OSError, match="missing"):
        write_arrays(tmp_path / "a", {}, links=[tmp_path / "missing"])
    assert not list(tmp_path.iterdir())


def test_messages_are_read_by_their_receiver(tmp_path: Path) -> None:
    messages = [b"", b"one", b"two" * 1000]
    assert write_messages(tmp_path / "of" / "shard", messages) == (tmp_path / "of" / "shard").stat().st_size
    assert [read_message(tmp_path / "of" / "shard", number) for number in range(3)] == messages
