"""What a release's report says of an identifier view: classes, what persons show, and what that loses."""

import re
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import date
from typing import NamedTuple

from spark_deid.identity.generalized_values import Above, covers_value, is_publishable

_ENDS = re.compile(r"\[(?:(.+)\.\.(.+)|(\d[^-]*)-([^-]+))\]")
_CLASS_SIZES = (2, 5, 10, 20, 50, 100, 1000)
_DOCUMENTS = (1, 2, 5, 10, 100)


class AttributeLoss(NamedTuple):
    """An attribute of the view: persons who have a value, what may be shown of them, and the share of its span lost.

    ``exact``, ``wider`` and ``hidden`` add up to ``persons``. ``loss`` is the mean, over these, of the share of the
    attribute's span that the generalized value covers (the normalized certainty penalty of Xu et al., KDD 2006): 1
    where nothing is shown.
    """

    attribute: str
    persons: int
    exact: int
    wider: int
    hidden: int
    loss: float


LabelHolders = Mapping[tuple[str | None, bool], int]
"""How many persons who have a value show a label (None: nothing), by label and whether it is the value itself."""


def measure_loss(attribute: str, holders: LabelHolders, known: Set[str], above: Above | None = None) -> AttributeLoss:
    """Count what may be shown of an attribute, and measure what that loses (see ``AttributeLoss``).

    ``known`` are the values that persons have, each once. ``above`` says of each under which labels of a hierarchy it
    lies.
    """
    under, span = _under(known, above), _span(known)
    counts = {"exact": 0, "wider": 0, "hidden": 0}
    share = 0.0
    for (label, is_exact), people in sorted(holders.items(), key=str):
        is_hidden = label is None or not is_publishable(label)
        counts["hidden" if is_hidden else "exact" if is_exact else "wider"] += people
        share += people * (1.0 if label is None or is_hidden else _width(label, known, span, under))
    people = sum(counts.values())
    return AttributeLoss(attribute, people, **counts, loss=share / people if people else 0.0)


def count_by_range(counts: Mapping[int, int], ends: Sequence[int]) -> list[dict[str, object]]:
    """Return how often there is a number from each of some ranges; ``ends`` are the last numbers but one.

    >>> count_by_range({1: 4, 3: 2, 9: 1}, (1, 5))
    [{'name': '1', 'count': 4}, {'name': '2 to 5', 'count': 2}, {'name': '6 or more', 'count': 1}]
    """
    record: list[dict[str, object]] = []
    first = 1
    for end in (*ends, None):
        count = sum(n for number, n in counts.items() if first <= number and (end is None or number <= end))
        name = f"{first:,} or more" if end is None else str(first) if end == first else f"{first:,} to {end:,}"
        record.append({"name": name, "count": count})
        first = (end or 0) + 1
    while record and not record[-1]["count"]:
        record.pop()
    while record and not record[0]["count"]:
        record.pop(0)
    return record


def figures(
    sizes: Mapping[int, int], attributes: Sequence[AttributeLoss], documents: Mapping[int, int]
) -> dict[str, object]:
    """Return the figures of a view that was generalized.

    ``sizes`` says how many classes have how many persons, ``documents`` how many persons have how many documents.
    """
    return {
        "persons": sum(size * number for size, number in sizes.items()),
        "documents": count_by_range(documents, _DOCUMENTS),
        "classes": sum(sizes.values()),
        "least": min(sizes, default=0),
        "sizes": count_by_range(sizes, _CLASS_SIZES),
        "attributes": [each._asdict() for each in attributes],
    }


def _under(values: Set[str], above: Above | None) -> dict[str, int]:
    """Return how many of the values lie under each label of a hierarchy."""
    counts: dict[str, int] = {}
    if above is None:
        return counts
    for value in values:
        for label in frozenset(above(value)):
            counts[label] = counts.get(label, 0) + 1
    return counts


def _width(label: str, known: Collection[str], span: float, under: Mapping[str, int]) -> float:
    distinct = len(known)
    if label in under:
        covered = under[label]
    elif label.startswith("{"):
        covered = label.count(", ") + 1
    elif (ends := _ENDS.fullmatch(label)) and not (ends[3] and any(map(_is_day, known))):
        low, high = (_number(ends[at] or ends[at + 2]) for at in (1, 2))
        return (high - low) / span if span and low is not None and high is not None else 1.0
    else:
        covered = max(1, sum(covers_value(label, value) for value in known))
    return (covered - 1) / (distinct - 1) if distinct > 1 else 0.0


def _is_day(value: str) -> bool:
    return value.count("-") == 2


def _span(values: Set[str]) -> float:
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    return max(known) - min(known) if known and len(known) == len(numbers) else 0.0


def _number(text: str) -> float | None:
    try:
        return float(date.fromisoformat(text).toordinal()) if text.count("-") == 2 else float(text)
    except ValueError:
        return None
