from collections.abc import Sequence

import numpy as np
import obvious
import pytest

from spark_deid.repeats.extension import extension_lengths
from spark_deid.repeats.settings import Unit
from spark_deid.repeats.shard import (
    ALONE,
    Weights,
    answer,
    close_shard,
    ladder,
    open_shard,
    ranges_of,
    sample,
    split,
    take_answers,
    trie_of,
)
from spark_deid.repeats.text import LaidOut, keep_apart, lay_out


def sharded_lengths(
    texts: Sequence[LaidOut],
    unit: Unit,
    k: int,
    cap: int,
    ranges: int,
    depths: Sequence[int],
    weights: Sequence[Weights] = (),
    groups: Sequence[int] = (),
) -> list[np.ndarray]:
    """Carry the rounds out in one process."""
    groups = groups or [ALONE] * len(texts)
    weights = weights or [
        Weights(np.ones(text.units.max(initial=0) + 1, np.int64), unit is Unit.OCCURRENCE) for text in texts
    ]
    shards = [
        open_shard(text, weight, unit=unit, cap=cap, cores=np.diff(text.bounds) - 1)
        for text, weight in zip(texts, weights, strict=True)
    ]
    rounds: list[list] = [[] for _ in shards]
    for low, high in zip((0, *depths), depths, strict=False):
        splitters = split([sample(*each, depth=high, number=9) for each in zip(texts, shards, strict=True)], ranges)
        tries = [
            trie_of(*each, splitters, low=low, high=high, k=k) for each in zip(texts, shards, weights, strict=True)
        ]
        sent = [ranges_of(*each, splitters) for each in zip(texts, shards, tries, strict=True)]
        replies = [
            answer([parts[r] for parts in sent], groups, splitters, r, low=low, high=high, k=k)
            for r in range(len(splitters.bounds))
        ]
        for i, trie in enumerate(tries):
            answered = np.concatenate([reply[i] for reply in replies])
            reached, left = take_answers(shards[i], answered, trie.begins, high)
            rounds[i].append((shards[i].suffixes, reached))
            shards[i] = left
    return [close_shard(text.size, taken) for text, taken in zip(texts, rounds, strict=True)]


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
