"""Queries that every engine answers as classic Spark does, and those that Sail answers otherwise.

``CASES`` must be equal on all engines; the code may use their functions. ``DIFFERENCES`` are known: the code avoids
these functions, or these values of them. A case gets a session, and the functions and windows of its engine.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Any

import pyarrow as pa

Case = Callable[[Any, Any, Any, str], Any]
"""A query of a session, its functions, its windows and a new folder."""

DOUBLES = "array(cast('NaN' as double), 0.0D, 1e10D, 1e-5D, 123456789.125D, cast('Infinity' as double), null)"
EXPRESSIONS = {
    "xxhash64 of strings": "transform(array('', 'a', 'é😀', repeat('x', 100), null), x -> xxhash64(x))",
    "xxhash64 of doubles": f"transform({DOUBLES}, x -> xxhash64(x))",
    "xxhash64 of several": "xxhash64('a', cast(null as string), 1L, true, array(1, null), struct(1, 'x'))",
    "xxhash64 of dates": "xxhash64(date'2020-01-01', timestamp'2020-01-01 00:00:00', cast(1.50 as decimal(10,2)))",
    "sha2": "array(sha2('é', 256), sha2(encode('😀', 'utf-8'), 256))",
    "crc32": "crc32('é')",
    "length": "array(length('😀é'), octet_length('😀é'), length('e\u0301'))",
    "substring": "array(substring('😀abc', 2, 2), substring('abc', 1, 2147483647), substring('', 1, 1))",
    "trim": "array(trim('  x '), trim(''))",
    "lower": "array(lower('ABC É'), lower(''))",
    "concat": "array(concat('a', 'b'), concat('a', null), concat_ws(',', 'a', null, 'b'))",
    "concat of arrays": "concat(array(1), array(2, null))",
    "coalesce": "array(coalesce(null, 'x'), coalesce('', 'x'), nullif('a', 'a'))",
    "when": "array(case when 1 > 2 then 1 else 2 end, case when 1 > 2 then 3 end)",
    "split at a comma": "array(split('a,b,,', ','), split('', ','), split('a', ','))",
    "split with a limit": "split('a.b.c', '\\\\.', 2)",
    "arrays": "array(size(array(1, null)), size(slice(array(1, 2, 3), 2, 10)), get(array(1, 2), 5), "
    "try_element_at(array(1, 2), -1), element_at(array(1, 2), 2))",
    "size of null": "size(cast(null as array<int>))",
    "exists and filter": "array(exists(array(1, 2), x -> x > 1), exists(array(1, null), x -> x > 1), "
    "size(filter(array(1, null, 3), x -> x > 1)) = 1)",
    "aggregate": "aggregate(array(1, 2), 0L, (a, x) -> a + x)",
    "arrays_zip": "arrays_zip(array(1, 2), array('a', 'b'))",
    "sequence": "sequence(1, 3)",
    "sort_array of strings": "sort_array(array('b', 'B', 'é', '😀', '\uffff', 'a', null, ''))",
    "array_sort of strings": "array_sort(array('b', 'é', null, ''))",
    "sort_array of numbers": "array(sort_array(array(3, null, -1)), array_sort(array(3, null, -1)))",
    "sort_array of structs": "sort_array(array(struct(1 as a, 'b' as b), struct(1 as a, 'a' as b)))",
    "greatest and least": "array(greatest(1, null, 3), least(2, 1), greatest(null, null))",
    "order of doubles": "array(cast('NaN' as double) = cast('NaN' as double), cast('NaN' as double) > 1e300D)",
    "null": "array(null <=> null, null = 1, '' is null, not null)",
    "integers": "array(pmod(-7, 3), -7 % 3, abs(-3))",
    "pmod of a hash": "pmod(xxhash64('a'), 1000L)",
    "long as text": "cast(9007199254740993 as string)",
    "boolean as text": "array(cast(true as string), cast(false as string))",
    "date as text": "cast(array(date'1582-10-10', date'0001-01-01', date'2020-02-29') as array<string>)",
    "decimal as text": "cast(array(1.10BD, 0.0000001BD) as array<string>)",
    "text as long": "array(try_cast('7' as bigint), try_cast('x' as bigint), try_cast('' as bigint))",
    "to_json of texts": "to_json(struct('a' as a, null as b, 'é/\"\u0001' as d, array(null) as e, 7 as n))",
    "regexp of ascii": "array(regexp_extract('a12b', '[0-9]+', 0), regexp_replace('a1b2', '[0-9]', '-'))",
    "maps": "map_entries(map_from_entries(array(struct('b', 1), struct('a', 2))))",
    "floor and exp": "array(floor(1.5D), floor(-1.5D))",
    "isnan": "array(isnan(cast('NaN' as double)), isnan(1.0D))",
    "ln": "array(ln(1.0D) = 0, ln(exp(1.0D)) between 0.999 and 1.001)",
    "concat of names": "format_string('%05d %s', 7, 'x')",
}
UNEQUAL_EXPRESSIONS = {
    "double as text": "array(cast(1e10D as string), cast(1e-5D as string), cast(cast('Infinity' as double) as string))",
    "timestamp as text": "cast(array(timestamp'2020-01-02 03:04:05.1') as array<string>)",
    "to_json of a timestamp": "to_json(struct(timestamp'2020-01-01 00:00:00' as c))",
    "integer overflow": "2147483647 + cast(length('a') as int)",
    "long overflow": "9223372036854775807 + cast(length('a') as bigint)",
    "negative zero is sorted": "sort_array(array(0.0D, -0.0D))",
    "log of one argument": "log(2.0D)",
    "array_contains with null": "array_contains(array(1, null), 2)",
    "class of letters": "regexp_extract('x é٣ 12', '(\\\\w+) (\\\\d+)', 2)",
    "lookbehind": "regexp_replace('foobar', '(?<=foo)bar', 'X')",
    "split of letters": "split('abc', '')",
    "rounded decimals": "format_string('%.2f', 1.005D)",
    "round": "round(1.005D, 2)",
    "text with a letter as double": "try_cast('1d' as double)",
}
"""Expressions to which Sail 0.7.2 gives another value than Spark, or an error."""


def _expression(text: str) -> Case:
    return lambda spark, F, W, folder: spark.range(1).select(F.expr(text).alias("x"))


def _rows(spark: Any) -> Any:
    return spark.createDataFrame(
        pa.table(
            {
                "k": pa.array([1, 1, 2, 2, 3, 3, 3, None], pa.int64()),
                "s": pa.array(["a", "A", "a ", None, "é", "e\u0301", "", "z"], pa.string()),
                "n": pa.array([1, 2, 2**62, None, -5, 0, 7, 7], pa.int64()),
            }
        )
    )


def unchanged(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def count_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"n": pa.array([sum(batch.num_rows for batch in batches)], pa.int64())})


def keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return the keys of a partition as one text, in order."""
    keys = sorted({str(key) for batch in batches for key in batch.column(0).to_pylist()})
    yield pa.RecordBatch.from_pydict({"keys": [",".join(keys)]})


def is_ordered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return whether the ids of a partition ascend."""
    found = [value for batch in batches for value in batch.column(0).to_pylist()]
    yield pa.RecordBatch.from_pydict({"ordered": [found == sorted(found)]})


def first_rows(table: pa.Table) -> pa.Table:
    return pa.table({"k": table["k"].slice(0, 1), "n": pa.array([table.num_rows], pa.int64())})


def _several_partitions(spark: Any, F: Any, W: Any, folder: str) -> Any:
    """Return whether no key is in two of seven partitions, and how many rows these have."""
    keyed = spark.range(0, 100, 1, 4).select((F.col("id") % 13).alias("k")).repartition(7, "k")
    keys = [each for row in keyed.mapInArrow(keys_of, "keys string").collect() for each in row[0].split(",") if each]
    return sorted(keys, key=int)


def _texts(spark: Any, F: Any, W: Any, folder: str) -> Any:
    texts = ["", "a\x00b", "\u00a0", "e\u0301", "\U0001f600", "\uffff", "\ufeffx", "a\r\nb", None]
    frame = spark.createDataFrame(pa.table({"t": pa.array(texts, pa.string())}))
    return frame.mapInArrow(unchanged, "t string").orderBy("t")


def _parquet(spark: Any, F: Any, W: Any, folder: str) -> Any:
    import pyarrow.parquet as pq

    os.makedirs(folder)
    pq.write_table(pa.table({"a": ["x", None], "d": [date(2020, 1, 2), None]}), os.path.join(folder, "a.parquet"))
    return spark.read.parquet(folder).orderBy("a")


def _our_delta(spark: Any, F: Any, W: Any, folder: str) -> Any:
    from spark_deid.storage.delta_log import write_small_table
    from spark_deid.storage.folder import LocalFolder

    write_small_table([("a", 1)], pa.schema([("x", pa.string()), ("n", pa.int64())]), LocalFolder(_path(folder)))
    return spark.read.format("delta").load(folder)


def _path(folder: str) -> Any:
    from pathlib import Path

    return Path(folder)


CASES: dict[str, Case] = {
    **{name: _expression(text) for name, text in EXPRESSIONS.items()},
    "texts through Python": _texts,
    "sum, min, max, count": lambda s, F, W, d: (
        _rows(s)
        .groupBy("k")
        .agg(
            F.sum("n").alias("sum"),
            F.min("n"),
            F.max("n"),
            F.count("*"),
            F.count("n"),
            F.count_if(F.col("n") > 1),
            F.bool_and(F.col("n") > 0),
        )
        .orderBy("k")
    ),
    "min and max of strings": lambda s, F, W, d: _rows(s).agg(F.min("s"), F.max("s")),
    "count_distinct": lambda s, F, W, d: _rows(s).agg(F.count_distinct("s"), F.count_distinct("k", "s")),
    "collect": lambda s, F, W, d: (
        _rows(s)
        .groupBy("k")
        .agg(F.sort_array(F.collect_set("s")), F.sort_array(F.collect_list("s")), F.size(F.collect_list("n")))
        .orderBy("k")
    ),
    "collect of structs": lambda s, F, W, d: (
        _rows(s).groupBy("k").agg(F.sort_array(F.collect_list(F.struct("s", "n")))).orderBy("k")
    ),
    "average of integers": lambda s, F, W, d: s.range(5).agg(F.avg("id")),
    "first of one": lambda s, F, W, d: _rows(s).where("s = 'z'").agg(F.first("s")),
    "order of strings": lambda s, F, W, d: _rows(s).select("s").orderBy("s"),
    "descending order": lambda s, F, W, d: _rows(s).select("s").orderBy(F.desc("s")),
    "distinct": lambda s, F, W, d: _rows(s).select("k").distinct().orderBy("k"),
    "drop duplicates": lambda s, F, W, d: _rows(s).dropDuplicates(["k"]).select("k").orderBy("k"),
    "inner join": lambda s, F, W, d: (
        _rows(s).alias("a").join(_rows(s).alias("b"), F.col("a.k") == F.col("b.n")).agg(F.count("*"))
    ),
    "null-safe join": lambda s, F, W, d: (
        _rows(s).alias("a").join(_rows(s).alias("b"), F.col("a.k").eqNullSafe(F.col("b.k"))).agg(F.count("*"))
    ),
    "left join": lambda s, F, W, d: (
        _rows(s)
        .join(s.range(1, 3).select(F.col("id").alias("k"), F.lit("x").alias("y")), "k", "left")
        .orderBy("k", "s")
    ),
    "left_anti join": lambda s, F, W, d: _rows(s).join(s.range(1, 3).toDF("k"), "k", "left_anti").orderBy("k", "s"),
    "left_semi join": lambda s, F, W, d: _rows(s).join(s.range(1, 3).toDF("k"), "k", "left_semi").orderBy("k", "s"),
    "full join": lambda s, F, W, d: _rows(s).select("k").join(s.range(3, 5).toDF("k"), "k", "full").orderBy("k"),
    "broadcast join": lambda s, F, W, d: _rows(s).join(F.broadcast(s.range(1, 3).toDF("k")), "k").orderBy("k", "s"),
    "cross join": lambda s, F, W, d: s.range(3).crossJoin(s.range(2).toDF("b")).agg(F.count("*")),
    "row_number": lambda s, F, W, d: (
        _rows(s).select("k", "s", F.row_number().over(W.partitionBy("k").orderBy("s")).alias("r")).orderBy("k", "r")
    ),
    "running sum": lambda s, F, W, d: (
        _rows(s).select("k", F.sum(F.lit(1)).over(W.partitionBy("k").orderBy("s")).alias("r")).orderBy("k", "r")
    ),
    "sum over a group": lambda s, F, W, d: (
        _rows(s).select("k", F.count("*").over(W.partitionBy("k")).alias("c")).distinct().orderBy("k")
    ),
    "explode": lambda s, F, W, d: s.range(2).select("id", F.explode(F.array(F.lit(1), F.lit(2)))).orderBy("id", "col"),
    "explode of an empty array": lambda s, F, W, d: s.range(2).select(F.explode(F.slice(F.array(F.lit(1)), 1, 0))),
    "union by name": lambda s, F, W, d: (
        s.range(1).select("id", F.lit("x").alias("b")).unionByName(s.range(1).select(F.lit("y").alias("b"), "id"))
    ),
    "column names in any case": lambda s, F, W, d: _rows(s).select("S").orderBy("s"),
    "names with a dot": lambda s, F, W, d: s.range(1).toDF("a.b").select("`a.b`"),
    "limit of an order": lambda s, F, W, d: s.range(1000).orderBy(F.xxhash64("id"), "id").limit(5),
    "isin with null": lambda s, F, W, d: _rows(s).select(F.col("s").isin("a", None)).orderBy("s"),
    "partitions of a range": lambda s, F, W, d: sorted(
        row[0] for row in s.range(0, 70, 1, 7).mapInArrow(count_rows, "n long").collect()
    ),
    "repartition to one": lambda s, F, W, d: s.range(0, 70, 1, 7).repartition(1).mapInArrow(count_rows, "n long"),
    "coalesce to one": lambda s, F, W, d: s.range(0, 70, 1, 7).coalesce(1).mapInArrow(count_rows, "n long"),
    "repartition by a key": _several_partitions,
    "applyInArrow": lambda s, F, W, d: (
        s.range(10)
        .select((F.col("id") % 3).alias("k"))
        .groupBy("k")
        .applyInArrow(first_rows, "k long, n long")
        .orderBy("k")
    ),
    "a column of Python kept once": lambda s, F, W, d: s.range(3).mapInArrow(unchanged, "id long").agg(F.sum("id")),
    "unique numbers": lambda s, F, W, d: (
        s.range(0, 50, 1, 3).select(F.monotonically_increasing_id().alias("n")).agg(F.count_distinct("n"))
    ),
    "a map": lambda s, F, W, d: s.range(1).select(F.create_map(F.lit("a"), F.lit("b")).getItem("a")),
    "parquet": _parquet,
    "a Delta table of our log writer": _our_delta,
}

DIFFERENCES: dict[str, Case] = {
    **{name: _expression(text) for name, text in UNEQUAL_EXPRESSIONS.items()},
    "negative zero in collect_set": lambda s, F, W, d: (
        s.range(2)
        .select(F.when(F.col("id") == 0, F.lit(0.0)).otherwise(F.lit(-0.0)).alias("d"))
        .agg(F.size(F.collect_set("d")), F.count_distinct("d"))
    ),
    "sum of floats": lambda s, F, W, d: (
        s.createDataFrame(pa.table({"d": [1e16, 1.0, -1e16, 0.0, -0.0]})).repartition(1).agg(F.sum("d"))
    ),
    "approximate count": lambda s, F, W, d: s.range(100_000).agg(F.approx_count_distinct("id")),
    "rand": lambda s, F, W, d: s.range(1).select(F.rand(1)),
    "a missing Parquet path": lambda s, F, W, d: s.read.schema("a int").parquet(d + "/none"),
    "a missing path of JSON": lambda s, F, W, d: s.read.schema("a int").json(d + "/none"),
    "sort within partitions": lambda s, F, W, d: (
        s.range(0, 50, 1, 1)
        .select(F.xxhash64("id").alias("h"))
        .sortWithinPartitions("h")
        .mapInArrow(is_ordered, "ordered boolean")
    ),
    "a NaN through a wrong type": lambda s, F, W, d: s.range(1).mapInArrow(_wrong_type, "n int"),
}
"""Queries that Sail 0.7.2 answers otherwise."""


def _wrong_type(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"n": pa.array([math.pi], pa.float64())})
