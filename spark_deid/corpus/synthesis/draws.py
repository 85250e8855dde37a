"""Random streams that depend on names, never on the order in which they are asked for."""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def draw_stream(seed: int, kind: str, number: int) -> Random:
    """Return the random numbers that belong to one thing, such as document 17 of seed 3.

    >>> draw_stream(3, "document", 17).random() == draw_stream(3, "document", 17).random()
    True
    """
    digest = hashlib.blake2b(f"{seed}/{kind}/{number}".encode(), digest_size=16)
    return Random(int.from_bytes(digest.digest(), "little"))


def draw_item(draws: Random, items: Sequence[T]) -> T:
    """Choose one of the items, all alike."""
    return items[int(draws.random() * len(items))]


def pick_several(draws: Random, items: Sequence[T], count: int) -> list[T]:
    """Choose that many items; each comes once before any comes again."""
    chosen: list[T] = []
    remaining: list[T] = []
    for _ in range(count):
        remaining = remaining or list(items)
        place = int(draws.random() * len(remaining))
        chosen.append(remaining[place])
        remaining[place] = remaining[-1]
        remaining.pop()
    return chosen


def pick_early(draws: Random, items: Sequence[T]) -> T:
    """Choose one of the items, the earlier the oftener: the first tenth gets nearly half of all choices."""
    return items[int(draws.random() ** 3 * len(items))]


def random_digits(draws: Random, count: int) -> str:
    """Return a string of that many random digits."""
    return str(int(draws.random() * 10**count)).zfill(count)


def draw_between(draws: Random, least: int, most: int) -> int:
    """Return an integer from ``least`` to ``most``, both possible."""
    return least + int(draws.random() * (most - least + 1))
