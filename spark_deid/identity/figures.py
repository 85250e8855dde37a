"""What a release's report says of an identifier view: classes, what persons show, and what that loses."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.identity.shown import Above, can_be_shown, covers

_ENDS = re.compile(r"\[(?:(.+)\.\.(.+)|(\d[^-]*)-([^-]+))\]")
_CLASS_SIZES = (2, 5, 10, 20, 50, 100, 1000)
_DOCUMENTS = (1, 2, 5, 10, 100)


class Lost(NamedTuple):
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


def class_sizes(view: pa.Table, attributes: Sequence[str]) -> dict[int, int]:
    """Return how many classes there are of each number of persons.

    ``view`` has the columns of IDENTIFIERS, a row a person and attribute.
    """
    number = {name: at for at, name in enumerate(attributes)}
    of_person: dict[str, list[str | None]] = {}
    for person, name, shown in zip(*(view.column(c).to_pylist() for c in _CLASSED), strict=True):
        of_person.setdefault(person, [None] * len(number))[number[name]] = shown
    sizes: dict[tuple[str | None, ...], int] = {}
    for values in of_person.values():
        sizes[tuple(values)] = sizes.get(tuple(values), 0) + 1
    found: dict[int, int] = {}
    for size in sizes.values():
        found[size] = found.get(size, 0) + 1
    return dict(sorted(found.items()))


_CLASSED = ("subject_id", "attribute", "generalized")


def lost(view: pa.Table, attribute: str, above: Above | None = None) -> Lost:
    """Count what may be shown of an attribute, and measure what that loses (see ``class_sizes`` and ``Lost``).

    ``above`` says of each value under which labels of a hierarchy it lies.
    """
    rows = view.filter(pc.equal(view.column("attribute"), attribute))
    values, labels = (rows.column(name).to_pylist() for name in ("value", "generalized"))
    known = {value for value in values if value is not None}
    under = _under(known, above)
    width: dict[str, float] = {}
    counts = {"exact": 0, "wider": 0, "hidden": 0}
    share = 0.0
    span = _span(known)
    for value, label in zip(values, labels, strict=True):
        if value is None:
            continue
        if label is None or not can_be_shown(label):
            counts["hidden"] += 1
            share += 1
            continue
        counts["exact" if label == value else "wider"] += 1
        if label not in width:
            width[label] = _width(label, known, span, under)
        share += width[label]
    persons = sum(counts.values())
    return Lost(attribute, persons, **counts, loss=share / persons if persons else 0.0)


def grouped(counts: Mapping[int, int], ends: Sequence[int]) -> list[dict[str, object]]:
    """Return how often there is a number from each of some ranges; ``ends`` are the last numbers but one.

    >>> grouped({1: 4, 3: 2, 9: 1}, (1, 5))
    [{'name': '1', 'count': 4}, {'name': '2 to 5', 'count': 2}, {'name': '6 or more', 'count': 1}]
    """
    told: list[dict[str, object]] = []
    first = 1
    for end in (*ends, None):
        count = sum(n for number, n in counts.items() if first <= number and (end is None or number <= end))
        name = f"{first:,} or more" if end is None else str(first) if end == first else f"{first:,} to {end:,}"
        told.append({"name": name, "count": count})
        first = (end or 0) + 1
    while told and not told[-1]["count"]:
        told.pop()
    while told and not told[0]["count"]:
        told.pop(0)
    return told


def figures(
    view: pa.Table, attributes: Sequence[str], documents: Mapping[int, int], above: Mapping[str, Above]
) -> dict[str, object]:
    """Return the figures of a view that was generalized; ``documents`` says how many persons have how many."""
    sizes = class_sizes(view, attributes)
    return {
        "persons": sum(size * number for size, number in sizes.items()),
        "documents": grouped(documents, _DOCUMENTS),
        "classes": sum(sizes.values()),
        "least": min(sizes, default=0),
        "sizes": grouped(sizes, _CLASS_SIZES),
        "attributes": [lost(view, name, above.get(name))._asdict() for name in attributes],
    }


def _under(values: set[str], above: Above | None) -> dict[str, int]:
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
        covered = max(1, sum(covers(label, value) for value in known))
    return (covered - 1) / (distinct - 1) if distinct > 1 else 0.0


def _is_day(value: str) -> bool:
    return value.count("-") == 2


def _span(values: set[str]) -> float:
    numbers = [_number(value) for value in values]
    known = [number for number in numbers if number is not None]
    return max(known) - min(known) if known and len(known) == len(numbers) else 0.0


def _number(text: str) -> float | None:
    try:
        return float(date.fromisoformat(text).toordinal()) if text.count("-") == 2 else float(text)
    except ValueError:
        return None
