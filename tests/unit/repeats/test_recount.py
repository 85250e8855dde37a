import pickle
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.serializers import ChunkedStream, pickle_protocol

from spark_deid.repeats.recount.hashing import GATE
from spark_deid.repeats.recount.index import WIDTHS
from spark_deid.repeats.recount.pieces import TextPieces
from spark_deid.repeats.recount.runs import (
    HashedRuns,
    HashSalt,
    RunTable,
    distinct_runs,
    draw_salt,
    hash_runs,
    in_order,
    in_parts,
    quota_of,
    unpack_runs,
)
from spark_deid.repeats.settings import CountingUnit
from tests.unit.repeats import obvious


def joined(strings: Sequence[str]) -> TextPieces:
    encoded = [string.encode() for string in strings]
    bounds = np.concatenate([[0], np.cumsum([len(string) for string in encoded], dtype=np.int64)])
    return TextPieces(np.frombuffer(b"".join(encoded), np.uint8), bounds[:-1], bounds[1:], np.arange(len(strings)))


def table_of(runs: Sequence[str], salt: HashSalt, *, max_count: int, **options: float) -> tuple[RunTable, list[int]]:
    """Return a table, and at which of its counts each run is."""
    hashed = hash_runs(joined(runs), salt)
    ordered = in_order(hashed)
    places = {first: place for place, first in enumerate(ordered.first.tolist())}
    return RunTable(ordered, salt, max_count=max_count, **options), [places[first] for first in hashed.first.tolist()]  # type: ignore[arg-type]


def counted(runs: Sequence[str], calls: Sequence[tuple[Sequence[str], Sequence[int]]], **options: float) -> list[int]:
    table, places = table_of(runs, draw_salt(), **options)  # type: ignore[arg-type]
    for pieces, owners in calls:
        table.add(joined(pieces), np.array(owners, np.int64))
    return table.counts[places].tolist()


def test_many_runs_travel_in_an_encrypted_broadcast() -> None:
    runs = hash_runs(joined([f"run {number}" for number in range(20_000)]), draw_salt())
    sent = BytesIO()
    sent.close = lambda: None  # type: ignore[method-assign]
    stream: Any = ChunkedStream(sent, 8192)  # type: ignore[no-untyped-call]
    pickle.dump(runs, stream, pickle_protocol)
    stream.close()
    frames = BytesIO(sent.getvalue())
    sizes = iter(lambda: int.from_bytes(frames.read(4), "big", signed=True), -1)
    arrived = pickle.loads(b"".join(frames.read(size) for size in sizes))
    assert isinstance(arrived, HashedRuns)
    pairs: Any = zip(arrived, runs, strict=True)
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)
    assert all(array.flags.writeable for array in arrived)


@pytest.mark.parametrize("unit", list(CountingUnit))
def test_hashes_count_as_plain_counting_does(unit: CountingUnit) -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        texts, _, owners = obvious.random_corpus(random, longest=12)
        texts = [text.replace("★", "") for text in texts]
        counts = obvious.count_substrings(texts, [[]] * len(texts), owners, unit)
        substrings = [*sorted(counts), "zz"]
        order = sorted(range(len(texts)), key=owners.__getitem__)
        owned = [-1 if unit is CountingUnit.OCCURRENCE else owners[i] for i in order]
        expected = [min(3, counts.get(text, 0)) for text in substrings]
        assert counted(substrings, [([texts[i] for i in order], owned)], max_count=3) == expected


LETTERS = st.sampled_from(["a", "ab", "é日", "a😀"]).flatmap(lambda letters: st.text(letters, min_size=1, max_size=40))
PIECES = st.lists(st.tuples(LETTERS, st.booleans()), min_size=1, max_size=8)


@given(
    st.lists(PIECES, min_size=1, max_size=3),
    st.data(),
    st.integers(1, 4),
    st.sampled_from([1, 3, 8, 4096]),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.booleans(),
)
def test_counting_in_windows_and_with_less_and_less_to_look_for(
    calls: Any, data: Any, max_count: Any, window: Any, patience: Any, places: Any
) -> None:
    texts = [text for call in calls for text, _ in call]
    near = [max(1, int(width) + more) for width in WIDTHS[:8] for more in (-1, 0, 1)]
    drawn = data.draw(
        st.lists(st.tuples(st.sampled_from(texts), st.integers(0, 30), st.sampled_from(near)), max_size=30)
    )
    runs = sorted({text[start : start + length] for text, start, length in drawn} - {""} | {texts[0], "ab" * GATE})
    owner, owned = 0, []
    for call in calls:
        owned.append([owner := owner + new for _, new in call])
    given_owners = [[-1] * len(call) if places else owners for call, owners in zip(calls, owned, strict=True)]
    pieces = [[text for text, _ in call] for call in calls]
    expected = obvious.count_runs(runs, texts, [owner for owners in given_owners for owner in owners])
    found = counted(
        runs, list(zip(pieces, given_owners, strict=True)), max_count=max_count, window=window, patience=patience
    )
    assert found == [min(max_count, number) for number in expected]


def test_hashes_depend_on_every_byte_and_on_the_salt() -> None:
    salt = HashSalt(1001, 1002, 1003)
    one, other = (
        hash_runs(joined(["ab", "ba", "a", "a\0"]), salt),
        hash_runs(joined(["ab"]), HashSalt(1004, 1005, 1007)),
    )
    assert len(set(one.first.tolist())) == len(set(one.second.tolist())) == 4
    assert all(hashes[0][0] != hashes[1][0] for hashes in zip(one[:3], other[:3], strict=True))


def test_both_hashes_decide() -> None:
    salt = draw_salt()
    runs = hash_runs(joined(["ab and more"]), salt)
    for changed in (runs._replace(first=runs.first ^ np.uint64(1)), runs._replace(second=runs.second ^ np.uint64(1))):
        table = RunTable(changed, salt, max_count=9)
        table.add(joined(["ab and more"]), np.arange(1))
        assert table.counts.tolist() == [0]


def test_beginnings_that_collide_do_no_harm() -> None:
    # Thue and Morse: modulo 2^64 the polynomial hashes of these two are the same, regardless of the base is.
    one = "a"
    for _ in range(11):
        one += one.translate({97: 98, 98: 97})
    other = one.translate({97: 98, 98: 97})
    runs = [one + "x", other + "xy", other]
    table, places = table_of(runs, draw_salt(), max_count=9)
    assert len(set(hash_runs(joined(runs), draw_salt()).heads.tolist())) == 1
    table.add(joined([other + "xy", one, one + "x", "." + other]), np.arange(4))
    assert table.counts[places].tolist() == [1, 1, 2]


def test_long_runs_in_long_pieces_are_counted() -> None:
    random = np.random.default_rng(3)
    long = "".join(random.choice(list("ab"), 40_000))
    runs = [long, long[:20_000], long[7:30_000], long[:-1] + "c", long[300:812]]
    assert counted(runs, [([long + long, "x" + long], [0, 1])], max_count=9, window=1024) == [2, 2, 2, 0, 2]


def test_parts_together_are_the_distinct_runs() -> None:
    random = np.random.default_rng(4)
    strings = [[str(number) for number in random.integers(0, 3000, 1000)] for _ in range(5)]
    salt = draw_salt()
    parts = list(in_parts((hash_runs(joined(some), salt) for some in strings), 2000))
    found: dict[int, bytes] = {}
    for part, data in parts:
        found[part] = found.get(part, b"") + data
    expected = distinct_runs(hash_runs(joined(sorted({string for some in strings for string in some})), salt))
    together = [distinct_runs(unpack_runs(found[part])) for part in sorted(found)]
    columns: Any = zip(expected, zip(*together, strict=True), strict=True)
    for column, of_parts in columns:
        assert np.array_equal(column, np.concatenate(of_parts))
    assert max(len(runs.first) for runs in together) <= quota_of(len(expected.first))


def test_distinct_runs_may_share_a_hash() -> None:
    numbers = np.array([5, 5, 5, 2, 5], np.uint64)
    runs = distinct_runs(
        HashedRuns(numbers, np.array([1, 2, 1, 1, 2], np.uint64), numbers, numbers, np.ones(5, np.int32))
    )
    assert sorted(zip(runs.first.tolist(), runs.second.tolist(), strict=True)) == [(2, 1), (5, 1), (5, 2)]
    assert len(distinct_runs(runs.take(np.zeros(0, np.int64))).first) == 0


def test_pieces_of_one_owner_count_once_across_calls() -> None:
    assert counted(["ab"], [(["ab", "xab"], [0, 0]), (["ab", "ab"], [0, 1])], max_count=9) == [2]


def test_what_is_found_often_enough_is_left_out_across_calls() -> None:
    table, _ = table_of(["ab", "cd"], draw_salt(), max_count=1, patience=2.0)
    for owner in range(5):
        table.add(joined(["ab"]), np.array([owner]))
    assert table.looked_for == 2
    table.add(joined(["ab"]), np.array([5]))
    assert table.looked_for == 1
    table.add(joined(["abcd"]), np.array([6]))
    assert table.counts.tolist() == [1, 1]


def test_nothing_is_counted_where_there_is_nothing() -> None:
    assert counted([], [(["ab"], [0])], max_count=2) == []
    assert counted(["ab"], [([], [])], max_count=2) == [0]
