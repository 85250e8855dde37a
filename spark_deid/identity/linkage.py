"""The Fellegi-Sunter model: comparisons, trained by splink on samples of bounded size in this process."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from spark_deid.core.errors import UsageError

if TYPE_CHECKING:
    from splink import SettingsCreator


# What two records are compared by: a column an attribute, but two for names.


WHOLE, FAMILY, GIVEN = "", "family", "given"
_PARTS = {"name": (FAMILY, GIVEN)}
_EXACT = ("gender", "state")
LETTERS = 2
"""Letters by which spellings of one value differ at most."""
DETERMINED = {"age": ("date",), "state": ("postcode", "city")}
"""Kinds that other kinds of the same person determine: left out where one of those is there."""


class RecordColumn(NamedTuple):
    """A column of records: an attribute, the kind of its values, and which part of them.

    >>> RecordColumn("patient", "name", "family").name
    'v_patient_family'
    """

    attribute: str
    kind: str
    part: str = WHOLE

    @property
    def name(self) -> str:
        """Return the name in tables, which is no word of SQL."""
        return "_".join(part for part in ("v", self.attribute, self.part) if part)

    @property
    def is_exact(self) -> bool:
        """Tell whether values are equal or not, and never alike."""
        return self.kind in _EXACT


def columns_of(kinds: Mapping[str, str]) -> tuple[RecordColumn, ...]:
    """Return the columns that compare attributes, given their kinds.

    Of attributes that determine each other the weaker is left out, since what agrees in one agrees in both.

    >>> [each.name for each in columns_of({"patient": "name", "born": "date", "age": "age"})]
    ['v_patient_family', 'v_patient_given', 'v_born']
    """
    there = {*kinds.values()}
    named = ((name, kind) for name, kind in kinds.items() if not there & {*DETERMINED.get(kind, ())})
    return tuple(RecordColumn(name, kind, part) for name, kind in named for part in _PARTS.get(kind, (WHOLE,)))


def sort_by_distinctness(rates: Mapping[str, float], columns: Iterable[RecordColumn]) -> list[RecordColumn]:
    """Sort columns by how seldom two records agree, the most telling first; those that nobody has are left out.

    >>> columns = RecordColumn("a", "term"), RecordColumn("b", "code"), RecordColumn("c", "term")
    >>> sort_by_distinctness({"v_a": 0.5, "v_b": 0.1}, columns)[0].name
    'v_b'
    """
    return sorted((each for each in columns if each.name in rates), key=lambda each: (rates[each.name], each.name))


RECORD = "record"
INSTALL = "link: splink needs the package splink, which is not installed: pip install 'spark-deid[linkage]'"
_SINGLE = ("date", "code")
_MOST_DIFFERENT = 0.02
"""Part of the pairs of one person's records that differ in a column, where it counts as told once a person."""
_FEWEST_MATCHES, _MOST_MATCHES = 1e-9, 0.5

Levels = tuple[Mapping[str, float], ...]
"""For each level of a comparison, but that of missing values: ``m_probability`` and ``u_probability``, if trained."""


class LinkageModel(NamedTuple):
    """What training found: the probability that two records match, and what agreement tells, by column."""

    probability: float
    levels: Mapping[str, Levels]

    def single(self, columns: Sequence[RecordColumn]) -> tuple[RecordColumn, ...]:
        """Return the columns of dates and codes in which two records of one person hardly ever differ."""
        lasts = {name: levels[-1].get("m_probability", 1.0) for name, levels in self.levels.items() if levels}
        return tuple(each for each in columns if each.kind in _SINGLE and lasts.get(each.name, 1.0) <= _MOST_DIFFERENT)


def check_installed() -> None:
    """Raise UsageError where splink is missing."""
    if find_spec("splink") is None:
        raise UsageError(INSTALL)


def settings_of(columns: Sequence[RecordColumn], probability: float, levels: Mapping[str, Levels]) -> "SettingsCreator":
    """Return the model's settings: an equal value, one or two letters apart (for ages a year), or another value."""
    from splink import SettingsCreator, block_on

    return SettingsCreator(
        link_type="dedupe_only",
        unique_id_column_name=RECORD,
        comparisons=[_comparison(column, levels.get(column.name, ())) for column in columns],
        blocking_rules_to_generate_predictions=[block_on(columns[0].name)],
        probability_two_random_records_match=probability,
        retain_matching_columns=False,
    )


def _comparison(column: RecordColumn, trained: Levels) -> Any:
    import splink.comparison_level_library as levels
    from splink.comparison_library import CustomComparison

    name = column.name
    between: list[Any] = []
    if column.kind == "age":
        between = [levels.CustomLevel(f"abs(cast({name}_l as int) - cast({name}_r as int)) <= 1", "a year apart")]
    elif not column.is_exact:
        between = [levels.LevenshteinLevel(name, letters) for letters in range(1, LETTERS + 1)]
    results = [levels.ExactMatchLevel(name), *between, levels.ElseLevel()]
    for level, numbers in zip(results, trained, strict=False):
        level.configure(**numbers)
    return CustomComparison([levels.NullLevel(name), *results], output_column_name=name)


def estimate_linkage(
    columns: Sequence[RecordColumn], telling: Sequence[RecordColumn], random: pa.Table, alike: pa.Table, rate: float
) -> LinkageModel:
    """Estimate what agreement tells.

    ``random`` are records drawn by chance: among those nearly no two are one person. ``alike`` are records of which
    many are equal in one of the columns ``telling``; expectation maximisation looks at the pairs that are equal in one
    of these, and estimates all other columns. ``rate`` is the probability that two records match. What no pair tells
    keeps splink's defaults.
    """
    from splink import DuckDBAPI, Linker, block_on
    from splink.internals.exceptions import EMTrainingException

    with silence_splink():
        first = Linker(
            DuckDBAPI(connection=_connection()).register(random), settings_of(columns, rate, {}), log_level=None
        )
        first.training.estimate_u_using_random_sampling(max_pairs=1e9, min_count_per_level=None, seed=1)
        levels = _levels(first)
        second = Linker(
            DuckDBAPI(connection=_connection()).register(alike), settings_of(columns, rate, levels), log_level=None
        )
        for column in telling:
            try:
                second.training.estimate_parameters_using_expectation_maximisation(
                    block_on(column.name), estimate_without_term_frequencies=True
                )
            except EMTrainingException:  # no pairs, or none that differ: the defaults stay
                continue
        return LinkageModel(rate, _levels(second))


def _connection() -> Any:
    import duckdb

    return duckdb.connect(":memory:", config={"threads": 1})


def _levels(linker: Any) -> dict[str, Levels]:
    """Return what a model holds of each comparison."""
    content = linker.misc.save_model_to_json()
    return {each["output_column_name"]: tuple(_numbers(each["comparison_levels"])) for each in content["comparisons"]}


def _numbers(levels: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, float]]:
    for level in levels:
        if not level.get("is_null_level"):
            yield {
                name: float(level[name]) for name in ("m_probability", "u_probability") if level.get(name) is not None
            }


def bound_probability(rate: float) -> float:
    """Keep a probability between those that a model can have."""
    return min(max(rate, _FEWEST_MATCHES), _MOST_MATCHES)


@contextmanager
def silence_splink() -> Iterator[None]:
    """Keep splink from writing to logs."""
    logger = logging.getLogger("splink")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


# One person where links contradict known facts, or values that a person hardly has twice: the likeliest links win.


RecordValues = Mapping[str, Mapping[str, str]]
"""The values of records, by column."""
NOTHING: RecordValues = MappingProxyType({})


def resolve_conflicts(
    links: Iterable[tuple[str, str, float]], known: Mapping[str, str], cells: RecordValues = NOTHING
) -> dict[str, str]:
    """Return the cluster of each record, named by its least record.

    ``links`` are pairs of records with match probabilities. Records of one ``known`` key are together. Links are taken
    from the likeliest on (of equal ones, that of the first ids first). A link that would join two keys,
    or two values ``cells`` of one column that are not misspellings of each other, is not taken. Exception: the values
    of the two records themselves, since their probability is that of a pair which differs so.

    >>> resolve_conflicts([("a", "b", 0.99), ("b", "c", 0.96)], {"a": "Ann", "c": "Cy"})
    {'a': 'a', 'b': 'a', 'c': 'c'}
    >>> born = {"a": {"born": "1961-05-04"}, "c": {"born": "1987-12-04"}}
    >>> resolve_conflicts([("a", "b", 0.99), ("b", "c", 0.96)], {}, born)
    {'a': 'a', 'b': 'a', 'c': 'c'}
    """
    roots: dict[str, str] = {}
    keys: dict[str, str] = {}
    first: dict[str, str] = {}
    values = {record: {column: {value} for column, value in each.items()} for record, each in cells.items()}
    for record, key in sorted(known.items()):
        roots[record] = root = _root(roots, first.setdefault(key, record))
        keys[root] = key
        if root != record:
            _add(values.setdefault(root, {}), values.get(record, {}))
    for a, b, _ in sorted(links, key=lambda link: (-link[2], *sorted(link[:2]))):
        one, other = sorted((_root(roots, a), _root(roots, b)))
        if one == other or len({keys[root] for root in (one, other) if root in keys}) > 1:
            continue
        compared = cells.get(a, {}).keys() & cells.get(b, {}).keys()  # the link has its probability in spite of these
        if _contradict(values.get(one, {}), values.get(other, {}), compared):
            continue
        roots[other] = one
        _add(values.setdefault(one, {}), values.pop(other, {}))
        if other in keys:
            keys[one] = keys[other]
    return {record: _root(roots, record) for record in sorted(roots)}


def _add(values: dict[str, set[str]], more: Mapping[str, set[str]]) -> None:
    for column, entry in more.items():
        values.setdefault(column, set()).update(entry)


def _contradict(one: Mapping[str, set[str]], other: Mapping[str, set[str]], compared: Set[str]) -> bool:
    """Return whether clusters have values of a column, except those ``compared``, and no two of them are near."""
    columns = (one.keys() & other.keys()) - compared
    return any(not any(are_near(a, b) for a in one[column] for b in other[column]) for column in columns)


def are_near(one: str, other: str) -> bool:
    """Return whether two values are equal, or differ in the few letters of a misspelling.

    >>> are_near("1961-05-04", "1961-05-14"), are_near("kitten", "sitting")
    (True, False)
    """
    if abs(len(one) - len(other)) > LETTERS:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, there in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != there))
    return row[-1] <= LETTERS


def _root(roots: dict[str, str], record: str) -> str:
    """Return the least record of a cluster, and shorten the way to it."""
    root = record
    while roots.setdefault(root, root) != root:
        root = roots[root]
    while roots[record] != root:
        roots[record], record = root, roots[record]
    return root
