"""Shares for bars: plain numbers that the templates draw."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

FAMILIES = ("model", "patterns", "gold", "other")


class Part(NamedTuple):
    """A piece of a bar: whose it is, how many, and its width in percent of the longest bar."""

    family: str
    spans: int
    width: float


class Bar(NamedTuple):
    """A bar with its total and its pieces."""

    name: str
    total: int
    parts: tuple[Part, ...]


def family(source: str) -> str:
    """Return the kind of detector that a span's source belongs to.

    >>> [family(source) for source in ("round-2", "pattern:email", "gold", "Anna")]
    ['model', 'patterns', 'gold', 'other']
    """
    kind = {"round": "model", "pattern": "patterns", "gold": "gold"}.get(source.replace("-", ":").split(":")[0])
    return kind or "other"


def label_bars(spans: Mapping[str, Mapping[str, int]]) -> tuple[Bar, ...]:
    """Return a bar for each label, longest first, its pieces by kind of detector; ``spans`` by source and label."""
    counts: dict[str, dict[str, int]] = {}
    for source, labels in spans.items():
        for label, count in labels.items():
            bar = counts.setdefault(label, {})
            bar[family(source)] = bar.get(family(source), 0) + count
    longest = max((sum(bar.values()) for bar in counts.values()), default=0)
    bars = [_bar(label, bar, longest) for label, bar in counts.items()]
    return tuple(sorted(bars, key=lambda bar: (-bar.total, bar.name)))


def families(spans: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of detectors that some sources belong to, in the order of drawing."""
    present = {family(source) for source in spans}
    return tuple(kind for kind in FAMILIES if kind in present)


def widths(values: Iterable[float]) -> tuple[float, ...]:
    """Return each value in percent of the largest.

    >>> widths([1, 4, 0])
    (25.0, 100.0, 0.0)
    """
    values = tuple(values)
    largest = max(values, default=0)
    return tuple(round(100 * value / largest, 2) if largest else 0.0 for value in values)


def _bar(name: str, counts: Mapping[str, int], longest: int) -> Bar:
    parts = (Part(kind, counts[kind], round(100 * counts[kind] / longest, 2)) for kind in FAMILIES if counts.get(kind))
    return Bar(name, sum(counts.values()), tuple(parts))
