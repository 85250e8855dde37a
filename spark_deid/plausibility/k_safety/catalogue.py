"""What of a table can be told from texts: terms, the labels above them, and the records below every term.

Of a column only those labels count that stand in some document, and what stands above these. A record is what is left
of it: in each column the lowest label that counts. Records that are left alike are kept once, with their number.
"""

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.ontology.array_validation import Arrays, map_arrays, save_arrays
from spark_deid.ontology.sources import arx
from spark_deid.plausibility.k_safety.settings import EraseSettings
from spark_deid.plausibility.k_safety.words import TermFinder, key_of

# Values of a table and the labels above them, by column: what terms a text may share with a record.


Labels: TypeAlias = tuple[str, ...]
"""A value and the labels above it, the lowest first, without those that no text can hold, such as ``*``."""
Paths: TypeAlias = Mapping[str, Labels]
"""The labels of each value of a column."""


def read_paths(folder: str, columns: Iterable[str]) -> dict[str, Paths]:
    """Read ``COLUMN.csv`` of those columns that have one in a folder, in ARX's form.

    Raises UsageError, which names file and line, for a file that is none, and where no column has one.
    """
    if not folder:
        return {}
    files = {column: Path(folder) / f"{column}.csv" for column in columns}
    found = {column: _read(path) for column, path in files.items() if path.is_file()}
    if not found:
        raise UsageError(f"{folder}: expected a file COLUMN.csv for one of the columns {', '.join(files)}")
    return found


def check_paths(settings: EraseSettings) -> None:
    """Read the hierarchies of a plan, whatever the columns of its table are; raises UsageError.

    The table may lie beside them.
    """
    if settings.hierarchies:
        others = (path for path in Path(settings.hierarchies).glob("*.csv") if not path.samefile(settings.table))
        read_paths(settings.hierarchies, settings.columns or tuple(sorted(path.stem for path in others)))


def _read(path: Path) -> Paths:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: can't be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8, byte {error.start} is not valid") from error
    lines = arx.parse(text)
    if wrong := [fault.message for fault in arx.faults(lines) if fault.is_grave]:
        raise UsageError("\n".join(f"{path}: {each}" for each in wrong))
    return {line[0]: labels_of(line) for line in lines if any(line)}


def labels_of(line: Iterable[str]) -> Labels:
    """Return the labels that a text can hold, one that stands on several levels once, where it stands last.

    >>> labels_of(("02139", "021**", "021**", "*"))
    ('02139', '021**')
    """
    kept = {key: label for label in line if (key := key_of(label))}
    order = list(dict.fromkeys(key for label in reversed(tuple(line)) if (key := key_of(label))))
    return tuple(kept[key] for key in reversed(order))


NOTHING = -1
"""What a term becomes above which no label stands: it is suppressed."""
_KEPT = 1 << 12
_ROWS = 1 << 10
MOST_SETS = 1 << 12
"""Sets of terms up to which it is counted how many records share each."""
Chain = tuple[str, ...]
"""Labels from the highest to the lowest: of two, one stands above the other where it is how that begins."""


class CountedNodes(NamedTuple):
    """The labels of a column that count, in order of their chains, so that what lies below one follows it."""

    chains: tuple[Chain, ...]

    @property
    def numbers(self) -> Mapping[Chain, int]:
        """Return the number of each chain, from 1 on; 0 stands for nothing that counts."""
        return {chain: number for number, chain in enumerate(self.chains, 1)}


class ColumnNodes(NamedTuple):
    """What counts: the nodes of each column, and the node of each of its values, 0 where none of its labels does."""

    nodes: Mapping[str, CountedNodes]
    values: Mapping[str, Mapping[str, int]]


def count_terms(columns: Mapping[str, Paths], found: Collection[str]) -> ColumnNodes:
    """Return what counts where these terms (``words.key_of``) stand in documents."""
    counts = close_upwards(columns, found)
    nodes, values = {}, {}
    for column, paths in columns.items():
        lowest = {value: _lowest(labels, counts) for value, labels in paths.items()}
        chains = sorted({chain[:size] for chain in lowest.values() for size in range(1, len(chain) + 1)})
        nodes[column] = CountedNodes(tuple(chains))
        numbers = nodes[column].numbers
        values[column] = {value: numbers.get(chain, 0) for value, chain in lowest.items()}
    return ColumnNodes(nodes, values)


def close_upwards(columns: Mapping[str, Paths], found: Collection[str]) -> set[str]:
    """Return terms and all that they may become, as terms are compared."""
    counts = set(found)
    keys = {labels: tuple(map(key_of, labels)) for paths in columns.values() for labels in paths.values()}
    while True:
        more = {
            key for path in keys.values() for at, low in enumerate(path) if low in counts for key in path[at:]
        } - counts
        if not more:
            return counts
        counts |= more


def _lowest(labels: Labels, counts: Collection[str]) -> Chain:
    """Return the labels of a value from its highest down to the lowest that counts."""
    at = next((at for at, label in enumerate(labels) if key_of(label) in counts), len(labels))
    return tuple(reversed(labels[at:]))


def save_catalogue(path: Path, plan: ColumnNodes, records: Int32s, numbers: Int64s, values: Collection[str]) -> None:
    """Write what workers look up: ``records`` has a row of nodes each, in the plan's order of columns.

    ``numbers`` says how often each occurs; ``values`` are the terms that are values of the table themselves.
    """
    terms: dict[str, str] = {}
    for nodes in plan.nodes.values():
        for chain in nodes.chains:
            terms.setdefault(key_of(chain[-1]), chain[-1])
    number = {key: at for at, key in enumerate(terms)}
    places = [
        (number[key_of(chain[-1])], column, at, at + _below(nodes.chains, at))
        for column, nodes in enumerate(plan.nodes.values())
        for at, chain in enumerate(nodes.chains)
    ]
    places.sort()
    order = np.argsort(records, axis=0, kind="stable").astype(np.int32)
    slices = []
    for term, column, first, end in places:
        ordered = records[order[:, column], column]
        low, high = np.searchsorted(ordered, (first + 1, end + 1))
        slices.append((term, column, low, high))
    above = _above(plan, number)
    arrays: Arrays = {
        "order": np.ascontiguousarray(order.T),
        "numbers": numbers.astype(np.int64),
        "above": np.array([each for path in above for each in path], np.int32),
        "heights": np.array([len(path) for path in above], np.int32),
        "is_value": np.array([key in values for key in terms], np.bool_),
        "slices": np.array(slices, np.int64).reshape(-1, 4),
    }
    save_arrays(path, arrays, {"keys": json.dumps(list(terms)), "labels": json.dumps(list(terms.values()))})


def _above(plan: ColumnNodes, number: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return what each term may become, the lowest first: by the first column where something is above it.

    Where it stands on several levels of that column, it is taken where it is highest.
    """
    above: dict[int, tuple[int, ...]] = {}
    for nodes in plan.nodes.values():
        highest: dict[int, Chain] = {}
        for chain in nodes.chains:
            term = number[key_of(chain[-1])]
            if term not in highest or len(chain) < len(highest[term]):
                highest[term] = chain
        for term, chain in highest.items():
            if len(chain) > 1:
                above.setdefault(term, tuple(number[key_of(label)] for label in reversed(chain[:-1])))
    return [above.get(term, ()) for term in range(len(number))]


def _below(chains: Sequence[Chain], at: int) -> int:
    """Return how many chains begin with one, itself among them."""
    size = len(chains[at])
    end = at + 1
    while end < len(chains) and chains[end][:size] == chains[at]:
        end += 1
    return end - at


class TermCatalogue:
    """A catalogue as workers have it: mapped into memory, so that all of a machine share it."""

    def __init__(self, path: Path) -> None:
        arrays, about = map_arrays(path)
        self.labels: tuple[str, ...] = tuple(json.loads(about["labels"]))
        self.terms = TermFinder(json.loads(about["keys"]))
        above, ends = arrays["above"].tolist(), np.cumsum(arrays["heights"]).tolist()
        starts = (0, *ends[:-1])
        self._above = tuple((*above[start:end], NOTHING) for start, end in zip(starts, ends, strict=False))
        self.is_value: list[bool] = arrays["is_value"].tolist()
        self.numbers: Int64s = arrays["numbers"]
        self._order: Int32s = arrays["order"]
        self._slices: dict[int, list[tuple[int, int, int]]] = {}
        for term, column, low, high in arrays["slices"].tolist():
            self._slices.setdefault(term, []).append((column, low, high))
        self.records = lru_cache(_KEPT)(self._records)
        self.reach = lru_cache(_KEPT)(self._reach)

    def above(self, term: int) -> tuple[int, ...]:
        """Return what a term may become, the lowest first; last of all nothing."""
        return self._above[term]

    def _records(self, term: int) -> Int32s:
        """Return the records of which a term is a value, or stands above one; each once."""
        parts = [self._order[column, low:high] for column, low, high in self._slices.get(term, ())]
        return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))

    def _reach(self, term: int) -> int:
        """Count the records of a term."""
        return int(self.numbers[self.records(term)].sum())


class SharedTerms(NamedTuple):
    """The sets of terms that records share with a text, a row a set, a column a term; and how many have just that."""

    sets: Bools
    numbers: Int64s


def share_terms(catalogue: TermCatalogue, released: Sequence[int]) -> SharedTerms | None:
    """Return which of some terms, each named once, records have; records that have none are left out.

    None where records have more than ``MOST_SETS`` different sets of them, as texts of very many terms give.
    """
    parts = [catalogue.records(term) for term in released]
    keys = np.random.default_rng(0).integers(1 << 63, size=len(parts), dtype=np.uint64)
    hashes = np.zeros(len(catalogue.numbers), np.uint64)
    is_known = np.zeros(len(catalogue.numbers), np.bool_)
    for part, key in zip(parts, keys, strict=True):
        hashes[part] ^= key  # equal sets have equal hashes, and others hardly ever
        is_known[part] = True
    known = np.flatnonzero(is_known)
    _, first, group = np.unique(hashes[known], return_index=True, return_inverse=True)
    if len(first) > MOST_SETS:
        return None
    numbers = np.zeros(len(first), np.int64)
    np.add.at(numbers, group, catalogue.numbers[known])
    sets = np.zeros((len(first), len(parts)), np.bool_)
    place = np.full(len(catalogue.numbers), -1, np.int32)
    place[known[first]] = np.arange(len(first))
    for column, part in enumerate(parts):
        rows = place[part]
        sets[rows[rows >= 0], column] = True
    return SharedTerms(sets, numbers)


def select_terms(whole: SharedTerms, columns: Sequence[int]) -> SharedTerms:
    """Return the same for some of its terms, named by their columns."""
    sets = whole.sets[:, columns]
    has_some = sets.any(axis=1)
    found, group = np.unique(sets[has_some], axis=0, return_inverse=True)
    numbers = np.zeros(len(found), np.int64)
    np.add.at(numbers, group.reshape(-1), whole.numbers[has_some])
    return SharedTerms(found, numbers)


def count_supports(found: SharedTerms) -> Int64s:
    """Return of each set how many records have all of its terms."""
    sets = found.sets.astype(np.float32)  # counts of terms, which are exact
    sizes = sets.sum(axis=1)[:, None]
    found_in = [
        (sets[at : at + _ROWS] @ sets.T == sizes[at : at + _ROWS]) @ found.numbers for at in range(0, len(sets), _ROWS)
    ]
    return np.concatenate(found_in) if found_in else np.zeros(0, np.int64)


def distinct_terms(terms: Iterable[int]) -> tuple[int, ...]:
    """Return terms in order, each once, without nothing."""
    return tuple(sorted(set(terms) - {NOTHING}))


def catalogue_at(path: str) -> TermCatalogue:
    """Open a catalogue, once a process as long as its file stays as it is."""
    return _opened(path, os.stat(path).st_mtime_ns)


@lru_cache(8)
def _opened(path: str, _modified: int) -> TermCatalogue:
    return TermCatalogue(Path(path))
