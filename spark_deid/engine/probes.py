"""Checks at the start of an embedded engine: what it computes is what Spark computes, or it is refused."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from spark_deid.core.errors import SparkDeidError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TEXTS = ("", "a\x00b", "Ann\u00a0Lee", "e\u0301", "\u00e9", "\U0001f600x", "B", "a", "\uffff", None)
_ORDER = sorted(text for text in _TEXTS if text is not None)
_PARTITIONS = 7
_ROWS = 70
_EXPRESSIONS: dict[str, object] = {
    "xxhash64('a')": -8582455328737087284,
    "sha2('\u00e9', 256)": "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c",
    "crc32('\u00e9')": 235179326,
    "length('\U0001f600a')": 2,
    "substring('\U0001f600ab', 2, 2)": "ab",
    "cast(9007199254740993 as string)": "9007199254740993",
    "9007199254740992 + 1": 9007199254740993,
    "pmod(-7, 3)": 2,
    "'' is null": False,
    "coalesce(null, 'x')": "x",
    "null <=> null": True,
    "size(array(1, null))": 2,
    "concat_ws(',', 'a', null, 'b')": "a,b",
}
"""Expressions whose values reach decisions, with Spark's results."""


def check_meaning(spark: "SparkSession", name: str) -> None:
    """Check an engine by small queries; raises SparkDeidError, which names the first one that fails.

    ``name`` is the engine with its version.
    """
    for probe, is_right in _PROBES.items():
        if not is_right(spark):
            raise SparkDeidError(
                f"{name}: {probe} differ from Spark's, so releases could be wrong; install another version "
                "(pip install 'spark-deid[local]'), or set engine: spark"
            )


def _expressions(spark: "SparkSession") -> bool:
    """Compare values of expressions."""
    found = spark.range(1).selectExpr(*(f"{each} as c{place}" for place, each in enumerate(_EXPRESSIONS))).toArrow()
    return [column[0].as_py() for column in found.columns] == list(_EXPRESSIONS.values())


def _texts(spark: "SparkSession") -> bool:
    """Send texts through Python code and back, and sort them."""
    table = pa.table({"t": pa.array(_TEXTS, pa.string())})
    frame: Any = spark.createDataFrame(table)
    found = frame.mapInArrow(_unchanged, "t string").toArrow()["t"].to_pylist()
    ordered = frame.where("t is not null").orderBy("t").toArrow()["t"].to_pylist()
    return sorted(found, key=repr) == sorted(_TEXTS, key=repr) and ordered == _ORDER


def _partitions(spark: "SparkSession") -> bool:
    """Count the calls of Python code for the partitions of a frame, and the rows that it gets."""
    frame = spark.range(0, _ROWS, 1, _PARTITIONS).mapInArrow(_count_rows, "n long")
    found = frame.toArrow()["n"].to_pylist()
    return len(found) == _PARTITIONS and sum(found) == _ROWS


def _relations(spark: "SparkSession") -> bool:
    """Join, group, number and subtract rows, with null and repeated keys."""
    left: Any = spark.createDataFrame(
        pa.table({"k": ["a", "a", "b", None], "n": pa.array([1, 2, 3, 2**62], pa.int64())})
    )
    right: Any = spark.createDataFrame(pa.table({"k": ["a", None], "m": [1, 2]}))
    anti = left.join(right, on="k", how="left_anti").toArrow()["n"].to_pylist()
    inner = left.join(right, on="k", how="inner").toArrow()["n"].to_pylist()
    sums = left.groupBy("k").agg({"n": "sum"}).toArrow()
    totals = dict(zip(sums.column(0).to_pylist(), sums.column(1).to_pylist(), strict=True))
    numbered = left.selectExpr("n", "row_number() over (partition by k order by n desc) as r").toArrow()
    ranks = dict(zip(numbered["n"].to_pylist(), numbered["r"].to_pylist(), strict=True))
    return (
        sorted(anti) == [3, 2**62]
        and sorted(inner) == [1, 2]
        and totals == {"a": 3, "b": 3, None: 2**62}
        and ranks == {1: 2, 2: 1, 3: 1, 2**62: 1}
    )


def _unchanged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _count_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})


_PROBES = {
    "values of expressions": _expressions,
    "texts": _texts,
    "partitions": _partitions,
    "joins, groups and windows": _relations,
}
