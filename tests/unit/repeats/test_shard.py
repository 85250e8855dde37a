from collections.abc import Sequence

import numpy as np
import obvious
import pytest

from spark_deid.repeats.extension import extension_lengths
from spark_deid.repeats.settings import Unit
from spark_deid.repeats.shard import (
    answer,
    close_shard,
    ladder,
    leaves_of,
    open_shard,
    sample_keys,
    short_counts,
    split,
    take_answers,
)
from spark_deid.repeats.text import LaidOut, keep_apart, lay_out


def sharded_lengths(
    texts: Sequence[LaidOut], unit: Unit, k: int, cap: int, ranges: int, depths: Sequence[int]
) -> list[np.ndarray]:
    """Carry the rounds out in one process."""
    shards = [open_shard(text, unit=unit, cap=cap) for text in texts]
    short = np.sum([short_counts(text, unit) for text in texts], axis=0)
    splitters = split(np.concatenate([sample_keys(shard) for shard in shards]), ranges)
    for low, high in zip((0, *depths), depths, strict=False):
        sent = [leaves_of(shard, splitters, low=low, high=high, k=k) for shard in shards]
        replies = [answer([parts[r] for parts, _ in sent], k=k) for r in range(len(splitters) + 1)]
        shards = [
            take_answers(shard, np.concatenate([reply[i] for reply in replies]), sent[i][1], high)
            for i, shard in enumerate(shards)
        ]
    return [close_shard(shard, short, k=k, cap=cap) for shard in shards]


def laid_out(chosen: list[int], texts: list[str], apart: list[list[tuple[int, int]]], owners: list[int]) -> LaidOut:
    text = lay_out([texts[i] for i in chosen], [owners[i] for i in chosen])
    keep_apart(text, enumerate([apart[i] for i in chosen]))
    return text


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("seed", range(3))
def test_shards_find_what_one_suffix_array_finds(unit: Unit, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(340):
        texts, apart, owners = obvious.random_corpus(random)
        if unit is Unit.DOCUMENT:
            owners = list(range(len(texts)))
        order = sorted(range(len(texts)), key=lambda i: owners[i])
        k, cap = int(random.integers(2, 6)), int(random.choice([2, 4, 8, 16, 40, 255]))
        number = int(random.integers(1, 6))
        place = random.integers(0, number, len(texts))
        members = [[i for i in order if place[owners[i]] == s] for s in range(number)]
        depths = [*sorted({d for d in (3, 5, 8, 16) if d < cap and random.random() < 0.7}), cap]

        shards = [laid_out(m, texts, apart, owners) for m in members]
        found = sharded_lengths(shards, unit, k, cap, int(random.integers(1, 5)), depths)
        whole = laid_out([i for m in members for i in m], texts, apart, owners)
        expected = extension_lengths(whole, k=k, unit=unit, cap=cap)
        assert np.concatenate(found).tolist() == expected.tolist(), (texts, apart, owners, k, cap, depths, members)


def test_depths_double_up_to_the_cap() -> None:
    assert ladder(255) == (8, 16, 32, 64, 128, 255)
    assert ladder(8) == (8,)
    assert ladder(3) == (3,)
