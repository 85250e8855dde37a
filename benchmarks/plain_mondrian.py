"""Strict Mondrian in plain Python, after the paper: what a compiled one is measured against, and checked with."""

from collections.abc import Sequence

Row = Sequence[float]


def plain_mondrian(rows: Sequence[Row], k: int) -> list[list[Row]]:
    """Cut rows of numbers at the median of the widest attribute, as long as both sides have k rows."""
    columns = range(len(rows[0]))
    spans = [max(row[c] for row in rows) - min(row[c] for row in rows) or 1 for c in columns]
    waiting, classes = [list(rows)], []
    while waiting:
        part = waiting.pop()
        sides = _cut(part, spans, columns, k) if len(part) >= 2 * k else None
        if sides:
            waiting += sides
        else:
            classes.append(part)
    return classes


def _cut(part: list[Row], spans: list[float], columns: range, k: int) -> list[list[Row]] | None:
    widths = []
    for c in columns:
        values = [row[c] for row in part]
        widths.append(((max(values) - min(values)) / spans[c], -c))
    for width, negative in sorted(widths, reverse=True):
        if width <= 0:
            return None
        c = -negative
        values = sorted([row[c] for row in part])
        at = values[len(part) // 2 - 1]
        below = [row for row in part if row[c] <= at]
        if len(below) > len(part) - k:
            below = [row for row in part if row[c] < at]
            if len(below) < k or len(below) > len(part) - k:
                continue
            return [below, [row for row in part if row[c] >= at]]
        if len(below) >= k:
            return [below, [row for row in part if row[c] > at]]
    return None


def ncp(classes: Sequence[Sequence[Row]]) -> float:
    """Return the mean fraction of an attribute's span that a row's class covers."""
    columns = range(len(classes[0][0]))
    covered = 0.0
    for c in columns:
        ends = [(min(row[c] for row in each), max(row[c] for row in each), len(each)) for each in classes]
        span = max(high for _, high, _ in ends) - min(low for low, _, _ in ends) or 1
        covered += sum((high - low) / span * size for low, high, size in ends)
    return covered / len(columns) / sum(map(len, classes))
