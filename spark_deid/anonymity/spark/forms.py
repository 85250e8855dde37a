"""Quasi-identifiers as cells are written: numbers and dates of all usual forms, categories, agreeing columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial, reduce
from itertools import combinations
from typing import NamedTuple, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import DateType, NumericType, StringType, TimestampNTZType, TimestampType

from spark_deid.anonymity.cell_counts import MANY_VALUES, CellCounts, FormTrials, choose_type, count_cells
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import (
    MISSING_TEXTS,
    MOST_CATEGORIES,
    NO_TYPES,
    WHITESPACE,
    ColumnKind,
    ColumnType,
    ColumnTypes,
    other_cells,
    read_cells,
)
from spark_deid.anonymity.date_forms import FORMS, date_pattern, read_dates
from spark_deid.anonymity.model_options import K
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.mondrian import large_batches
from spark_deid.engine import functions as F
from spark_deid.engine.functions import pandas_udf
from spark_deid.engine.tasks import run_partitions

AGREEING = 0.95
"""The correlation from which one of two columns adds no information."""
SAMPLE_ROWS = 1000
"""The number of rows that rule out forms."""
_LINES = (NumericType, DateType, TimestampType, TimestampNTZType)
_CATEGORY, _PEOPLE = "category", "people"


@dataclass(frozen=True)
class ReadingRules:
    """How text of quasi-identifiers is read.

    Attributes:
        is_day_first: The order of day and month if cells do not show it.
        until: The date of the run. A year of two digits means the latest date up to it.
        known: Types that an earlier run, or another table, gave columns.
        is_shared: Whether tables with other categories are compared with this one.
    """

    is_day_first: bool = False
    until: date = date.max
    known: ColumnTypes = field(default_factory=lambda: NO_TYPES)
    is_shared: bool = False


class ReadForms(NamedTuple):
    """A table with numbers and dates where cells are written as such, its types, and warnings."""

    table: DataFrame
    types: ColumnTypes
    warnings: tuple[str, ...] = ()


def with_forms(table: DataFrame, claim: PrivacyClaim, rules: ReadingRules) -> ReadForms:
    """Read text of quasi-identifiers as numbers and dates; columns with a hierarchy remain text.

    The first rows rule out forms. One job counts the cells of columns for which forms remain. Another tries whether
    columns of categories have dates of other forms, and their cells are counted again if they have some. A job counts
    the people of each category among numbers and dates if there are any, and one correlates columns with an order.
    """
    names = [name for name in claim.quasi if name in table.columns and name not in claim.hierarchies]
    texts = [name for name in names if isinstance(table.schema[name].dataType, StringType)]
    known = {name: rules.known[name].as_text() for name in texts if name in rules.known}
    new = [name for name in texts if name not in known]
    choose = partial(choose_type, is_day_first=rules.is_day_first, until=rules.until)
    counts, trials = _count(table, new, rules.until)
    untried = {name: _untried(each.forms) for name, each in trials.items() if not choose(counts[name]).type.is_line}
    untried |= {name: _untried(each.forms) for name, each in known.items() if not each.is_line}
    late = _columns_with_dates(table, untried)
    known |= {name: replace(known[name], forms=tuple(FORMS)) for name in late if name in known}
    counts |= _count_all(table, {name: FormTrials() for name in late if name in counts}, rules.until)
    chosen = {name: choose(each) for name, each in counts.items()}
    types = {name: choice.type.as_text() if rules.is_shared else choice.type for name, choice in chosen.items()}
    mixed = {name: types[name] for name, choice in chosen.items() if choice.others}
    warnings = [warning for name, choice in chosen.items() for warning in _warnings(name, counts[name], choice.type)]
    warnings += [
        f"{name}: has dates that are read as other, because the sample that determined its type had no dates"
        for name in late
        if name in known
    ]
    warnings += [_unclear(name, choice.type) for name, choice in chosen.items() if choice.is_unclear]
    for name, categories in _categories(table, mixed, claim).items():
        types[name] = replace(types[name], categories=categories)
        warnings.append(_mixed(name, types[name], counts[name].cells, chosen[name].others))
    types |= known
    read = table.select(*(_read(name, types.get(name)) for name in table.columns))
    ordered = [name for name in names if isinstance(read.schema[name].dataType, _LINES)]
    return ReadForms(read, types, (*warnings, *_agreeing(read, ordered)))


def _count(table: DataFrame, names: Sequence[str], until: date) -> tuple[dict[str, CellCounts], dict[str, FormTrials]]:
    """Count the cells of columns of text by the trials that the first rows leave; return these trials also."""
    if not names:
        return {}, {}
    chosen = table.select(*map(column, names))
    sample = chosen.limit(SAMPLE_ROWS).toArrow()
    first = [count_cells(each.combine_chunks().cast(pa.string()), FormTrials(), until) for each in sample.columns]
    found = dict(zip(names, first, strict=True))
    if sample.num_rows < SAMPLE_ROWS:
        return found, dict.fromkeys(names, FormTrials())
    trials = {name: counts.trials() for name, counts in found.items()}
    return found | _count_all(table, {name: each for name, each in trials.items() if each.any}, until), trials


def _count_all(table: DataFrame, trials: Mapping[str, FormTrials], until: date) -> dict[str, CellCounts]:
    """Count all cells of columns by their trials."""
    if not trials:
        return {}
    counting = partial(_counted, trials=tuple(trials.values()), until=until)
    with large_batches(table.sparkSession):
        parts = run_partitions(table.select(*map(column, trials)), counting)
    return {name: reduce(CellCounts.add, (part[at] for part in parts)) for at, name in enumerate(trials)}


def _untried(forms: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in FORMS if name not in forms)


def _columns_with_dates(table: DataFrame, forms: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns that have cells which look like dates of some forms; no Python reads the cells."""
    names = [name for name, each in forms.items() if each]
    if not names:
        return []
    cells = {name: F.trim(column(name), F.lit(WHITESPACE)) for name in names}
    found = table.agg(*(F.max(cells[name].rlike(date_pattern(forms[name]))) for name in names)).first()
    return [name for name, has in zip(names, found or (), strict=True) if has]


def _counted(batches: Iterator[pa.RecordBatch], *, trials: Sequence[FormTrials], until: date) -> list[CellCounts]:
    counts = [CellCounts() for _ in trials]
    for batch in batches:
        for at, each in enumerate(trials):
            counts[at] = counts[at].add(count_cells(batch.column(at).cast(pa.string()), each, until))
    return counts


def _categories(table: DataFrame, mixed: ColumnTypes, claim: PrivacyClaim) -> Mapping[str, tuple[str, ...]]:
    """Return, by column, the cells that are neither its numbers or dates nor any date, and that k people have."""
    if not mixed:
        return {}
    k = max(int(claim.models.numbers(K, 0)[0]), 2)
    person = F.monotonically_increasing_id()
    if claim.person in table.columns:
        person = column(claim.person or "").cast("string")
    found = {}
    for name, kind in mixed.items():
        others = _over_cells(partial(_others_of, kind=kind), "string")(column(name))
        cells = table.select(others.alias(_CATEGORY), person.alias(_PEOPLE)).where(F.col(_CATEGORY).isNotNull())
        people = cells.groupBy(_CATEGORY).agg(F.count_distinct(_PEOPLE).alias(_PEOPLE)).where(F.col(_PEOPLE) >= k)
        most = people.orderBy(F.col(_PEOPLE).desc(), _CATEGORY).limit(2 * MOST_CATEGORIES).toArrow().column(0)
        is_date = pc.is_valid(read_dates(most.combine_chunks().cast(pa.string()), tuple(FORMS), kind.until))
        found[name] = tuple(sorted(most.filter(pc.invert(is_date)).to_pylist()[:MOST_CATEGORIES]))
    return found


def without_categories(table: DataFrame, types: ColumnTypes) -> DataFrame:
    """Return a table whose cells are missing where a class may show them as they are: categories among numbers."""
    shown = {name: kind.categories for name, kind in types.items() if kind.categories}
    cells = {name: F.trim(column(name), F.lit(WHITESPACE)) for name in shown}
    return table.select(
        *(
            F.when(~cells[name].isin(*shown[name]), column(name)).alias(name) if name in shown else column(name)
            for name in table.columns
        )
    )


def _read(name: str, kind: ColumnType | None) -> Column:
    """Return a column read by its type."""
    cell = column(name)
    if kind is None or (kind.kind is ColumnKind.TEXT and not kind.forms):
        return cell
    if kind.storage in ("bigint", "double"):
        trimmed = F.trim(cell, F.lit(WHITESPACE))
        return F.when(~trimmed.isin(*MISSING_TEXTS), trimmed.cast(kind.storage)).alias(name)
    texts = _over_cells(partial(_texts_of, kind=kind), "string")(cell)
    return texts.cast(kind.storage).alias(name)


def _over_cells(kernel: "partial[pa.Array]", schema: str) -> Callable[[Column], Column]:
    """Return a function of columns for a kernel of Arrow, which tries each different cell of a batch once."""
    over = partial(_over_series, kernel)
    vars(over).update(__annotations__={"cells": pd.Series, "return": pd.Series})
    return cast("Callable[[Column], Column]", pandas_udf(over, schema))


def _over_series(kernel: "partial[pa.Array]", cells: pd.Series) -> pd.Series:
    encoded = pa.array(cells, pa.string(), from_pandas=True).dictionary_encode()
    return pd.Series(kernel(encoded.dictionary).take(encoded.indices).to_numpy(zero_copy_only=False))


def _texts_of(texts: pa.Array, *, kind: ColumnType) -> pa.Array:
    return read_cells(texts, kind)


def _others_of(texts: pa.Array, *, kind: ColumnType) -> pa.Array:
    return other_cells(texts, kind)


def _warnings(name: str, counts: CellCounts, kind: ColumnType) -> list[str]:
    if kind.is_line:
        return []
    warnings = []
    if len(counts.values) > MANY_VALUES:
        warnings.append(
            f"{name}: more than {MANY_VALUES} different values are neither numbers nor dates. They are "
            "recoded as categories in alphabetical order. Add a hierarchy, or correct the cells with a "
            "different spelling"
        )
    if kind.forms:
        dates = max(counts.dates(True), counts.dates(False))
        warnings.append(
            f"{name}: {dates} of {counts.cells} cells are dates, fewer than 90%, and read as other. Correct "
            "the other cells"
        )
    return warnings


def _mixed(name: str, kind: ColumnType, cells: int, others: int) -> str:
    shown = len(kind.categories)
    return (
        f"{name}: {others} of {cells} cells are not {kind.kind.value}s. {shown} of their values are "
        "categories, and the remaining values are read as other"
    )


def _unclear(name: str, kind: ColumnType) -> str:
    order = "the day first" if any(FORMS[form].is_day_first for form in kind.forms) else "the month first"
    return (
        f"{name}: the dates do not show the order of day and month. They are read with {order}. Set --locale to "
        "change this"
    )


def _agreeing(table: DataFrame, names: Sequence[str]) -> list[str]:
    """Return warnings of columns that agree, such as an age and a date of birth."""
    pairs = [*combinations(names, 2)]
    if not pairs:
        return []
    found = table.agg(*(F.corr(_place(table, one), _place(table, other)) for one, other in pairs)).first()
    return [
        f"{one} and {other} are correlated ({float(number):.2f}). Recode only one of them to lose less information"
        for (one, other), number in zip(pairs, found or (), strict=True)
        if number is not None and abs(number) >= AGREEING
    ]


def _place(table: DataFrame, name: str) -> Column:
    if isinstance(table.schema[name].dataType, NumericType):
        return column(name).cast("double")
    return column(name).cast("timestamp").cast("double")
