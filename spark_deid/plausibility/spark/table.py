"""t-PAT on a table (Jiang et al., section 5.2): each row becomes the least tuple that k records could have become.

Unlike a partition of the table, one value may become different ones in different rows; Theorem 3 asks that every
released tuple y could have come from each of at least k records x, so that P(x became y) is at most 1/k.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from pyspark.sql import Column, DataFrame

from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.plausibility.kernels.cost import cost_of
from spark_deid.plausibility.spark.udf import over_series

Least: TypeAlias = Literal["records", "cost"]
"""The minimized quantity: the records that could have become the tuple, or the cost of equation 1."""
_RECORDS, _NODES, _KEY, _COST, _VOLUME = "_records", "_nodes", "_key", "_cost", "_volume"
_CANDIDATES = f"{_KEY} string, {_NODES} array<int>, {_COST} double, {_VOLUME} double"


class QuasiColumn(NamedTuple):
    """A quasi-identifier.

    Attributes:
        column: The name of the column.
        ontology: The ontology of its values: a name, or a file that every worker sees.
    """

    column: str
    ontology: str


def generalize_rows(
    table: DataFrame, quasi: Sequence[QuasiColumn], k: int, *, least: Least = "records", alpha: float = 0.5
) -> DataFrame:
    """Return a table with generalized quasi-identifiers and its other columns unchanged.

    Runs Spark actions that count unknown values and records by their roots.

    Args:
        table: The table.
        quasi: The quasi-identifiers.
        k: The minimum number of records that could have become each released tuple.
        least: Of the tuples that reach k records, ``records`` selects the one with the lowest number of records, then
            the lowest volume. ``cost`` selects the lowest cost, with log k as its goal.
        alpha: The weight of the cost.

    Returns:
        The generalized table.

    Raises:
        CorpusError: Values are unknown, or fewer than k records share even the roots.
    """
    if k < 2:
        raise UsageError(f"k: expected an integer >= 2, got {k}")
    names = [each.column for each in quasi]
    records = table.groupBy(*names).agg(F.count(F.lit(1)).alias(_RECORDS))
    _check_values(records, quasi)
    _check_roots(records, quasi, k)
    candidates = records.mapInPandas(
        partial(_candidates, tuple(quasi), k, alpha),
        f"{', '.join(f'`{name}` string' for name in names)}, {_RECORDS} bigint, {_CANDIDATES}",
    )
    reached = candidates.groupBy(_KEY).agg(F.sum(_RECORDS).alias("_reached")).where(F.col("_reached") >= k)
    order = [F.col("_reached"), F.col(_VOLUME)] if least == "records" else [F.col(_COST), F.col("_reached")]
    window = Window.partitionBy(*names).orderBy(*order, F.col(_KEY))
    chosen = (
        candidates.join(reached, _KEY, how="inner")
        .withColumn("_rank", F.row_number().over(window))
        .where(F.col("_rank") == 1)
        .select(*names, _NODES)
    )
    return _replaced(table, chosen, quasi)


def recount_rows(original: DataFrame, released: DataFrame, quasi: Sequence[QuasiColumn], k: int) -> Assessment:
    """Recount Theorem 3: the number of records of the original table that could have become each released tuple.

    The recount looks up names and follows hypernyms again, and uses nothing of the search. A record could have become a
    tuple if each value names the record's own value or one above it, by any path.

    Args:
        original: The original table.
        released: The released table. With more or fewer rows it satisfies nothing.
        quasi: The quasi-identifiers.
        k: The minimum number of records.

    Returns:
        The assessment.
    """
    names = [each.column for each in quasi]
    result = released.select(*names).distinct().collect()
    rows = original.groupBy(*names).count().collect()
    reached = _reached([tuple(row[name] for name in names) for row in result], [tuple(row) for row in rows], quasi)
    worst = min(reached, default=0)
    is_whole = original.count() == released.count() and bool(result)
    return Assessment(
        "t-plausible-table",
        f"k={k}, unit=rows",
        float(worst),
        float(k),
        is_whole and worst >= k,
        f"{sum(number < k for number in reached)} of {len(reached)} tuples could have come from fewer records",
    )


def _reached(
    chains: Iterable[tuple[str, ...]], rows: Sequence[tuple[object, ...]], quasi: Sequence[QuasiColumn]
) -> list[int]:
    counts = np.array([row[-1] for row in rows], np.int64)
    fits: list[dict[str, np.ndarray]] = [{} for _ in quasi]
    for place, each in enumerate(quasi):
        for number, row in enumerate(rows):
            for name in _names_above(ontology_at(each.ontology), str(row[place])):
                fits[place].setdefault(name, np.zeros(len(rows), np.bool_))[number] = True
    no_person = np.zeros(len(rows), np.bool_)
    return [
        int(
            counts[np.logical_and.reduce([fit.get(value, no_person) for fit, value in zip(fits, y, strict=True)])].sum()
        )
        for y in chains
    ]


def _names_above(ontology: Ontology, value: str) -> Iterator[str]:
    concept = _concept(ontology, value)
    if concept is not None:
        yield from (ontology.name_of(node) for node in (concept, *ontology.above(concept).tolist()))


def _concept(ontology: Ontology, value: str) -> int | None:
    lemma = ontology.lemma(value)
    return None if lemma is None else int(ontology.senses_of(lemma)[0])


def _check_values(records: DataFrame, quasi: Sequence[QuasiColumn]) -> None:
    for each in quasi:
        ontology = ontology_at(each.ontology)
        values = [row[0] for row in records.select(F.col(each.column).cast("string")).distinct().collect()]
        unknown = sum(value is None or ontology.lemma(value) is None for value in values)
        if unknown:
            raise CorpusError(f"{each.column}: {unknown} values are not in the ontology {ontology.name}")


def _check_roots(records: DataFrame, quasi: Sequence[QuasiColumn], k: int) -> None:
    roots = records.mapInPandas(partial(_roots, tuple(quasi)), f"{_KEY} string, {_RECORDS} bigint")
    few = roots.groupBy(_KEY).agg(F.sum(_RECORDS).alias(_RECORDS)).where(F.col(_RECORDS) < k).collect()
    if few:
        number = sum(row[_RECORDS] for row in few)
        raise CorpusError(f"{number} records share the roots of their values with fewer than {k - 1} others")


def _roots(quasi: tuple[QuasiColumn, ...], batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Give the roots of each record's values."""
    for batch in batches:
        keys = [
            ",".join(str(_path(each.ontology, str(value))[-1][0]) for each, value in zip(quasi, row, strict=False))
            for row in batch.itertuples(index=False)
        ]
        yield pd.DataFrame({_KEY: keys, _RECORDS: batch[_RECORDS]})


def _candidates(
    quasi: tuple[QuasiColumn, ...], k: int, alpha: float, batches: Iterable[pd.DataFrame]
) -> Iterator[pd.DataFrame]:
    """Give all tuples that each record's values may become, with cost and volume."""
    for batch in batches:
        yield pd.DataFrame(
            [row for record in batch.itertuples(index=False) for row in _tuples(quasi, k, alpha, tuple(record))],
            columns=[*(each.column for each in quasi), _RECORDS, _KEY, _NODES, _COST, _VOLUME],
        )


def _tuples(
    quasi: tuple[QuasiColumn, ...], k: int, alpha: float, record: tuple[object, ...]
) -> Iterator[tuple[object, ...]]:
    *values, records = record
    starts = np.arange(len(quasi) + 1, dtype=np.int64)
    levels = np.zeros(len(quasi), np.int64)
    for nodes in product(*(_path(each.ontology, str(value)) for each, value in zip(quasi, values, strict=True))):
        entropies = np.log2(np.array([volume for _, volume in nodes], np.float64))
        total, cost = cost_of(entropies, starts, levels, np.log2(k), alpha)
        numbers = [node for node, _ in nodes]
        yield *map(str, values), records, ",".join(map(str, numbers)), numbers, cost, total


def _path(source: str, value: str) -> list[tuple[int, int]]:
    ontology = ontology_at(source)
    nodes, starts = ontology.paths([_concept(ontology, value) or 0])
    return list(zip(nodes.tolist(), ontology.volumes_of(nodes, starts).tolist(), strict=True))


def _replaced(table: DataFrame, chosen: DataFrame, quasi: Sequence[QuasiColumn]) -> DataFrame:
    names = [each.column for each in quasi]
    text = table.select(*(F.col(name).cast("string") if name in names else F.col(name) for name in table.columns))
    joined = text.join(chosen, names, how="left")
    record: Mapping[str, Column] = {
        each.column: _named(F.col(_NODES)[place], each.ontology) for place, each in enumerate(quasi)
    }
    return joined.select(*(record[name].alias(name) if name in record else F.col(name) for name in table.columns))


def _named(nodes: Column, ontology: str) -> Column:
    return over_series(partial(name_batch, ontology), pd.Series, "string")(nodes)


def name_batch(ontology: str, nodes: pd.Series) -> pd.Series:
    """Return the names of concepts; null without a concept."""
    known = ontology_at(ontology)
    return nodes.map(lambda node: None if pd.isna(node) else known.name_of(int(node)))
