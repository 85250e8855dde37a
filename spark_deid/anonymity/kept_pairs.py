"""Rows before and after beside the columns that stay: which of these tell what is recoded."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.covering import ColumnValues
from spark_deid.core.numerics.arrays import Bools, Int64s

# How much better a recoded value is guessed with a kept column than without it.
#
# Half of the people teach which original value belongs to which kept value. The values of the others are guessed twice:
# by the published class, and by class and kept value. The result is the difference.


MARGIN = 0.05
"""By how much of all guesses a kept column may help."""
ENOUGH_PERSONS = 100
"""Of fewer persons a guess only warns."""
BINS = 20
"""Into how many parts numbers and dates are cut to be guessed."""
_Z99 = 2.326
_TOGETHER = 1000  # guesses


class GuessGain(NamedTuple):
    """By how much more guesses are right, and the lower bound of that at 99%."""

    gain: float
    at_least: float

    @property
    def tells(self) -> bool:
        """Tell whether a kept column tells what is recoded."""
        return self.at_least > MARGIN


def gain_of(hits: Bools, before: Bools) -> GuessGain:
    """Compare guesses with those without a column, person by person.

    >>> gain_of(np.ones(100, bool), np.zeros(100, bool)).tells, gain_of(np.ones(4, bool), np.zeros(4, bool)).tells
    (True, True)
    """
    number = max(hits.size, 1)
    better, worse = int((hits & ~before).sum()), int((~hits & before).sum())
    gain = (better - worse) / number
    spread = (better + worse + _Z99) / number - gain * gain  # as though some had gone either way
    return GuessGain(gain, gain - _Z99 * sqrt(max(spread, 0.0) / number))


def guessed_by(values: Int64s, classes: Int64s, kept: Int64s, teaches: Bools) -> GuessGain:
    """Return the gain of guesses by class and kept value over those by class alone.

    All arrays have a person each: the original value, the published class, the kept value, and whether the person
    teaches. A guess is a value that somebody of the class has, which who reads the class's range knows.
    """
    learnt = values[teaches], classes[teaches], kept[teaches]
    size = int(values.max(initial=0)) + 1
    overall = np.bincount(learnt[0], minlength=size) / max(teaches.sum(), 1)
    by_class = _counted(learnt[1], learnt[0], int(classes.max(initial=0)) + 1, size)
    by_kept = _counted(learnt[2], learnt[0], int(kept.max(initial=0)) + 1, size)
    there: np.ndarray = np.greater(_counted(classes, values, by_class.shape[0], size), 0)
    asked = np.flatnonzero(~teaches)
    hits, before = np.zeros(asked.size, np.bool_), np.zeros(asked.size, np.bool_)
    for first in range(0, asked.size, _TOGETHER):
        here = asked[first : first + _TOGETHER]
        of_class = np.where(there[classes[here]], by_class[classes[here]] + overall, -1.0)
        more = by_kept[kept[here]]
        with_kept = np.where(there[classes[here]], more * size + of_class / size, -1.0)
        chosen = np.where(np.any(more, axis=1, keepdims=True), with_kept, of_class)
        before[first : first + _TOGETHER] = np.equal(of_class.argmax(axis=1), values[here])
        hits[first : first + _TOGETHER] = np.equal(chosen.argmax(axis=1), values[here])
    return gain_of(hits, before)


def _counted(groups: Int64s, values: Int64s, number: int, size: int) -> np.ndarray:
    counts = np.zeros((number, size), np.float32)
    np.add.at(counts, (groups, values), 1)
    return counts


def number_bins(positions: Sequence[float]) -> Int64s:
    """Number values of a line by which of BINS parts of all they are in; missing ones make a part of their own."""
    places = np.asarray(positions, np.float64)
    known = np.isfinite(places)
    borders = np.unique(np.quantile(places[known], np.linspace(0, 1, BINS + 1)[1:-1])) if known.any() else np.empty(0)
    found = np.searchsorted(borders, places, side="right") + 1
    return np.where(known, found, 0).astype(np.int64)


def number_values(texts: Sequence[str | None]) -> Int64s:
    """Number values as they stand."""
    known: dict[str | None, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in texts], np.int64)


CLASS, PERSON = "class", "person"
MOST_ROWS = 20_000
"""How many rows are looked at; of larger tables whole classes, drawn by hash."""
_MOST_LABELS, _MOST_VALUES = 500, 2000
_MOST_LEAVES = 30
"""The maximum number of leaves of a nested column that are compared, the most frequent ones first."""
_SEED = 20


class TellingColumns(NamedTuple):
    """Columns that tell, each with what of, and those that may, of too few persons to say so."""

    telling: Mapping[str, str]
    doubtful: Mapping[str, str]


def original_column(at: int) -> str:
    """Return the column of original values of a quasi-identifier, by its place."""
    return f"before {at}"


def kept_column(at: int) -> str:
    """Return the column of kept values, by place."""
    return f"kept {at}"


def telling_columns(rows: pa.Table, quasi: Sequence[str], names: Sequence[str]) -> TellingColumns:
    """Tell which kept columns say more of original values than the published class does.

    ``rows`` has CLASS, PERSON (null where every row is one), and texts ``before`` and ``kept``. How they are ordered
    or divided changes nothing. Cells that are JSON are compared whole and leaf by leaf.
    """
    people = _one_each(rows)
    number = people.num_rows
    classes = number_values(people.column(CLASS).to_pylist())
    teaches = np.random.default_rng(_SEED).permutation(number) % 2 == 0
    record: dict[str, str] = {}
    for at, name in enumerate(names):
        leaves = leaves_of_cells(people.column(kept_column(at)).to_pylist())
        for place, attribute in enumerate(quasi):
            originals = people.column(original_column(place)).to_pylist()
            gains = (gain for texts in leaves.values() for gain in _gains(originals, texts, classes, teaches))
            best = max(gains, key=lambda gain: gain.at_least)
            if best.tells:
                record[name] = (
                    f"{attribute} can be guessed for {best.gain:.0%} more people than from the published class"
                )
                break
    return TellingColumns(record, {}) if number >= ENOUGH_PERSONS else TellingColumns({}, record)


def leaves_of_cells(cells: Sequence[str | None]) -> Mapping[str, Sequence[str | None]]:
    """Return the cells of a column, and, by path, the leaves of cells that are JSON objects or lists.

    >>> leaves_of_cells(['{"age": 34, "tags": ["x"]}', None])
    {'': ['{"age": 34, "tags": ["x"]}', None], '.age': ['34', None], '.tags.0': ['x', None]}
    """
    found = [dict(_json_leaves("", _parsed(cell))) for cell in cells]
    counted = Counter(path for leaves in found for path in leaves)
    frequent = sorted(counted, key=lambda path: (-counted[path], path))[:_MOST_LEAVES]
    return {"": cells, **{path: [leaves.get(path) for leaves in found] for path in sorted(frequent)}}


def _parsed(cell: str | None) -> object:
    """Return the object or list of a JSON cell, otherwise None."""
    if cell is None or cell[:1] not in ("{", "["):
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def _json_leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield path and text of each value that contains no other."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _json_leaves(f"{path}.{name}", each)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _json_leaves(f"{path}.{at}", each)
    elif value is not None:
        yield path, str(value)


def _one_each(rows: pa.Table) -> pa.Table:
    """Return the first row of each person, in the order of what is looked at."""
    names = [name for name in rows.column_names if name != PERSON]
    ordered = rows.sort_by([(name, "ascending") for name in (*names, PERSON)])
    seen: set[object] = set()
    chosen = []
    for at, person in enumerate(ordered.column(PERSON).to_pylist()):
        if person is None or person not in seen:
            seen.add(person)
            chosen.append(at)
    return ordered.take(pa.array(chosen, pa.int64()))


def _gains(
    originals: Sequence[str | None], texts: Sequence[str | None], classes: Int64s, teaches: Bools
) -> Iterator[GuessGain]:
    """Yield the gains of several ways to guess: by what a kept value says itself, and by what it was seen with."""
    yield _read(originals, texts, classes)
    guessed = [each for each in (_on_a_line(originals), _few(originals)) if each is not None]
    for values in guessed or [number_values(originals)]:
        yield guessed_by(values, classes, number_values(texts), teaches)
        line = _on_a_line(texts)
        if line is not None:
            yield guessed_by(values, classes, line, teaches)


def _read(originals: Sequence[str | None], texts: Sequence[str | None], classes: Int64s) -> GuessGain:
    """Compare a kept value with the original as it reads: equal, or a range that holds it; so that of a neighbour."""
    values = ColumnValues.of(tuple(dict.fromkeys(originals)))
    labels = tuple(dict.fromkeys(text for text in texts if text is not None))[:_MOST_LABELS]
    covered: dict[str | None, Bools] = {label: values.covered(label) | values.covered(f"[{label}]") for label in labels}
    nothing = np.zeros(len(values.texts), np.bool_)
    held = np.array([values.places[original] for original in originals], np.int64)
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    partner = np.empty(len(order), np.int64)
    for first, end in zip(starts, [*starts[1:], len(order)], strict=True):
        partner[order[first:end]] = np.roll(order[first:end], 1)
    hits = np.array([covered.get(text, nothing)[at] for text, at in zip(texts, held, strict=True)], np.bool_)
    others = (texts[at] for at in partner.tolist())
    others_hit = np.array([covered.get(text, nothing)[at] for text, at in zip(others, held, strict=True)], np.bool_)
    return gain_of(hits, others_hit)


def _few(texts: Sequence[str | None]) -> Int64s | None:
    numbers = number_values(texts)
    return numbers if numbers.max(initial=0) < _MOST_VALUES else None


def _on_a_line(texts: Sequence[str | None]) -> Int64s | None:
    """Return numbers or days in parts of a line; None where values are neither."""
    there = [text for text in texts if text is not None]
    for read in (_numbers, _days):
        try:
            places = read(there)
        except ValueError:
            continue
        known = iter(places.tolist())
        return number_bins([next(known) if text is not None else np.nan for text in texts])
    return None


def _numbers(texts: Sequence[str]) -> np.ndarray:
    return np.array([float(text) for text in texts], np.float64)


def _days(texts: Sequence[str]) -> np.ndarray:
    return np.array([text[:10] for text in texts], "datetime64[D]").astype(np.int64).astype(np.float64)
