"""Batches that are gone through twice, and sorted batches that are cut between groups."""

import random
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from spark_deid.storage.spool import BatchSpool, whole_groups


def _batch(keys: list[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {"key": pa.array(keys, pa.string()), "text": pa.array([f"{key}é" * 40 for key in keys], pa.string())}
    )


def _keys(spool: BatchSpool) -> list[str]:
    return [key for batch in spool.batches() for key in batch.column("key").to_pylist()]


@pytest.mark.parametrize("held", [0, 200, 1 << 20])
def test_batches_are_yielded_twice_in_order_and_no_file_has_a_name(held: int, tmp_path: Path) -> None:
    spool = BatchSpool(str(tmp_path), held=held)
    for keys in (["a", "b"], ["b"], [], ["c"]):
        spool.append(_batch(keys))
    assert (_keys(spool), _keys(spool)) == (["a", "b", "b", "c"],) * 2
    assert spool.is_spilled == (held < 1 << 20)
    assert list(tmp_path.iterdir()) == []
    spool.close()


@pytest.mark.parametrize("held", [100, 1 << 20])
def test_groups_are_whole_and_as_small_as_can_be(held: int, tmp_path: Path) -> None:
    draw = random.Random(held)
    for _ in range(60):
        keys = sorted(draw.choices("abcdefgh", k=draw.randrange(25)))
        cuts = sorted(draw.choices(range(len(keys) + 1), k=4))
        batches = [_batch(keys[low:high]) for low, high in zip([0, *cuts], [*cuts, len(keys)], strict=True)]
        found = [_keys(spool) for spool in whole_groups(batches, "key", str(tmp_path), held=held)]
        assert [key for group in found for key in group] == keys
        assert all(one[-1] != other[0] for one, other in pairwise(found)), "a group was cut"


def test_a_long_group_is_in_a_file_and_the_short_ones_next_to_it_do_not(tmp_path: Path) -> None:
    batches = [_batch(["a", "b"]), *[_batch(["b"] * 9) for _ in range(5)], _batch(["b", "c", "d"])]
    found = [
        (sorted(set(_keys(spool))), spool.is_spilled)
        for spool in whole_groups(batches, "key", str(tmp_path), held=2_000)
    ]
    assert [spilled for _, spilled in found] == [False, True, False]
    assert [keys for keys, _ in found] == [["a"], ["b", "c"], ["d"]]
