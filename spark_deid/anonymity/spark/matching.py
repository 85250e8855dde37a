"""How many people of a class can be given as many different sensitive values, one each that they hold.

Counted for the recount only, by a maximum matching (Hopcroft and Karp, 1973); what algorithms keep to is another.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import LongType

from spark_deid.anonymity.spark.classes import CLASS, PERSON, VALUE
from spark_deid.engine import functions as F

MATCHED = "matched"
_PAIRS = "pairs"


def count_matched(rows: DataFrame, sensitive: str) -> DataFrame:
    """Return ``class, matched``: how many people of each class can have different values, one each.

    Where every person of a class holds one value, those are its values.
    """
    pairs = rows.select(CLASS, PERSON, F.col(sensitive).alias(VALUE)).distinct()
    held = pairs.groupBy(CLASS, PERSON).agg(F.collect_list(F.struct(VALUE)).alias("values"))
    one = F.element_at("values", 1)
    grouped = held.groupBy(CLASS).agg(
        F.collect_list(F.when(F.size("values") > 1, F.col("values"))).alias(_PAIRS),
        F.collect_set(F.when(F.size("values") == 1, one)).alias("single"),
    )
    schema = grouped.select(CLASS).schema.add(MATCHED, LongType())
    several = grouped.where(F.size(_PAIRS) > 0).select(CLASS, "single", _PAIRS).mapInArrow(_matched, schema)
    plain = grouped.where(F.size(_PAIRS) == 0).select(CLASS, F.size("single").cast("long").alias(MATCHED))
    return plain.unionByName(several)


def _matched(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        single, several = (batch.column(name).to_pylist() for name in ("single", _PAIRS))
        found = [largest_matching(_values(one), map(_values, many)) for one, many in zip(single, several, strict=True)]
        yield pa.RecordBatch.from_arrays([batch.column(CLASS), pa.array(found, pa.int64())], names=[CLASS, MATCHED])


def _values(cells: list[dict[str, object]]) -> list[object]:
    return [next(iter(cell.values())) for cell in cells]


def largest_matching(single: list[object], several: Iterator[list[object]]) -> int:
    """Return how many people can have different values: one for each value of ``single``, and those of ``several``.

    >>> largest_matching(["flu"], iter([["flu", "gout"], ["flu", "gout"]]))
    2
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    holders = [[value] for value in single] + list(several)
    numbers: dict[object, int] = {}
    columns = [numbers.setdefault(_hashable(value), len(numbers)) for values in holders for value in values]
    starts = np.cumsum([0, *map(len, holders)])
    graph = csr_matrix((np.ones(len(columns), np.int8), columns, starts), shape=(len(holders), len(numbers)))
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
