"""Operators around splink: samples to train on, and the scores of pairs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame

from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window
from spark_deid.identity.linkage import (
    FAMILY,
    GIVEN,
    RECORD,
    LinkageModel,
    RecordColumn,
    settings_of,
    silence_splink,
)

RANDOM_RECORDS, ALIKE_RECORDS = 800, 4_000
"""How many records train: drawn by chance, and for each column that pairs are equal in."""
_RECALL = 0.8
"""Part of true pairs that are assumed to be equal in two telling columns."""


class ChanceAgreement(NamedTuple):
    """How two records agree by chance: by column the part of pairs with equal values, of records that have one."""

    rates: dict[str, float]
    filled: dict[str, int]


def agreement_of(cells: DataFrame) -> ChanceAgreement:
    """Count how seldom columns agree; columns of fewer than two values tell nothing. Runs one job."""
    counts = cells.groupBy("column", "value").agg(F.count(F.lit(1)).alias("n"))
    sums = counts.groupBy("column").agg(
        F.sum("n").alias("n"), F.count(F.lit(1)).alias("values"), F.sum(F.col("n") * F.col("n")).alias("squares")
    )
    rows = [row for row in sums.collect() if row["values"] > 1]
    rates = {row["column"]: row["squares"] / row["n"] ** 2 for row in rows}
    return ChanceAgreement(rates, {row["column"]: int(row["n"]) for row in rows})


def match_rate(records: DataFrame, columns: Sequence[RecordColumn]) -> float:
    """Estimate the probability that two records are one person's: by how many agree in two telling columns. One job."""
    names = [each.name for each in columns]
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    rates = []
    for a, b in pairs:
        both = (
            records.where(F.col(a).isNotNull() & F.col(b).isNotNull()).groupBy(a, b).agg(F.count(F.lit(1)).alias("n"))
        )
        same = F.sum(F.col("n") * (F.col("n") - 1)) / (F.sum("n") * (F.sum("n") - 1))
        rates.append(both.agg(same.alias("rate")))
    rows = rates[0]
    for each in rates[1:]:
        rows = rows.unionByName(each)
    return max((row["rate"] or 0.0 for row in rows.collect()), default=0.0) / _RECALL


def random_records(records: DataFrame) -> pa.Table:
    """Return records drawn by the hash of their names: the same ones whatever the partitions."""
    return records.orderBy(F.xxhash64(RECORD), RECORD).limit(RANDOM_RECORDS).toArrow()


def alike_records(records: DataFrame, cells: DataFrame, columns: Sequence[RecordColumn], largest: int) -> pa.Table:
    """Return records that are equal to others in one of the columns, each record once."""
    counts = cells.groupBy("column", "value").agg(F.count(F.lit(1)).alias("n")).where(F.col("n").between(2, largest))
    parts = []
    for column in columns:
        name = column.name
        shared = counts.where(F.col("column") == name).select(F.col("value").alias(name))
        drawn = shared.orderBy(F.xxhash64(name), name).limit(ALIKE_RECORDS // 2)
        rows = records.join(F.broadcast(drawn), on=name, how="left_semi").select(*records.columns)
        parts.append(rows.orderBy(F.xxhash64(name), name, RECORD).limit(ALIKE_RECORDS).toArrow())
    return pa.concat_tables(parts).group_by(parts[0].column_names, use_threads=False).aggregate([])


def score_pairs(
    records: DataFrame, pairs: DataFrame, columns: Sequence[RecordColumn], trained: LinkageModel, threshold: float
) -> DataFrame:
    """Return the pairs whose match probability is at least the threshold (columns a, b, probability); lazy."""
    from splink import Linker

    spark = records.sparkSession
    with silence_splink():
        api = _api(spark)
        model = settings_of(columns, trained.probability, trained.levels)
        linker = Linker(api.register(records), model, log_level=None)
        linker.table_management.register_blocked_pairs_for_predict(api.register(pairs))
        scored: DataFrame = linker.inference.predict(threshold_match_probability=threshold).as_spark_dataframe()
    ends = (F.col(f"{RECORD}_l").alias("a"), F.col(f"{RECORD}_r").alias("b"))
    return scored.select(*ends, F.col("match_probability").alias("probability"))


def _api(spark: Any) -> Any:
    from splink.backends.spark import SparkAPI

    class Lazy(SparkAPI):
        """Spark as it is: nothing is written on the way, and no function of a JAR is needed."""

        def _break_lineage_and_repartition(self, spark_df: Any, templated_name: str, physical_name: str) -> Any:
            return spark_df

    make: Any = Lazy
    return make(spark_session=spark, register_udfs_automatically=False, num_partitions_on_repartition=1)


# Operators: pairs of records that may be one person's. Blocks of too many records make no pairs.


class RecordBlocks(NamedTuple):
    """Records by what they have in common (columns record, block), and how many blocks were too large (column n)."""

    members: DataFrame
    skipped: DataFrame


def blocks_of(cells: DataFrame, largest: int) -> RecordBlocks:
    """Put records into blocks: those of an equal value, or of two equal values where either is too frequent alone.

    A value that more than ``largest`` records have makes no block; nor do two values that more records have together.
    """
    sized = cells.withColumn("n", F.count(F.lit(1)).over(Window.partitionBy("column", "value")))
    single = sized.where(F.col("n").between(2, largest)).select(
        RECORD, F.to_json(F.array("column", "value")).alias("block")
    )
    frequent = sized.where(F.col("n") > largest).select(RECORD, F.struct("column", "value").alias("cell"))
    together = frequent.groupBy(RECORD).agg(F.sort_array(F.collect_list("cell")).alias("cells"))
    pairs = F.expr(
        "flatten(transform(cells, (x, i) -> transform(slice(cells, i + 2, size(cells)), y -> "
        "to_json(array(x.column, x.value, y.column, y.value)))))"
    )
    doubled = together.select(RECORD, F.explode(pairs).alias("block"))
    doubled = doubled.withColumn("n", F.count(F.lit(1)).over(Window.partitionBy("block")))
    both = doubled.where(F.col("n").between(2, largest)).select(RECORD, "block")
    skipped = doubled.where(F.col("n") > largest).select("block").distinct().agg(F.count(F.lit(1)).alias("n"))
    return RecordBlocks(single.unionByName(both), skipped)


def pairs_of(blocks: DataFrame) -> DataFrame:
    """Return each pair of records of a block once (join_key_l < join_key_r, and match_key, as splink names them)."""
    members = blocks.groupBy("block").agg(F.sort_array(F.collect_set(RECORD)).alias("members"))
    pairs = F.expr(
        "flatten(transform(members, (x, i) -> transform(slice(members, i + 2, size(members)), y -> "
        "struct(x as join_key_l, y as join_key_r))))"
    )
    rows = members.select(F.explode(pairs).alias("pair")).select("pair.*").distinct()
    return rows.withColumn("match_key", F.lit("0"))


# Operators: what documents and rows of a table tell of a person, a row a record and column that it is compared by.


DOCUMENT, ROW, KEY, CELL = "d:", "t:", "k:", "v:"
"""What documents, rows of a table, keys of persons, and values begin with where they stand together."""
_WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


def cells_of(mentions: DataFrame, structured: DataFrame | None, columns: Sequence[RecordColumn]) -> DataFrame:
    """Return one value a record and column (columns record, column, value).

    Of several values of a document the one with most mentions counts, then the longest, then the least; of a row the
    least. Dates that are not whole tell nothing.
    """
    rows = mentions.select(F.concat(F.lit(DOCUMENT), "doc_id").alias(RECORD), "attribute", "value")
    if structured is not None:
        keyed = F.concat(F.lit(ROW), "person").alias(RECORD)
        rows = rows.unionByName(structured.select(keyed, "attribute", "value"))
    dates = sorted({each.attribute for each in columns if each.kind == "date"})
    result = rows.where(~F.col("attribute").isin(*dates) | F.col("value").rlike(_WHOLE_DATE))
    result = result.where(F.col("attribute").isin(*{each.attribute for each in columns}) & F.col("value").isNotNull())
    counted = result.groupBy(RECORD, "attribute", "value").agg(F.count(F.lit(1)).alias("mentions"))
    order = F.struct((-F.col("mentions")).alias("mentions"), (-F.length("value")).alias("length"), "value")
    single = counted.groupBy(RECORD, "attribute").agg(F.min(order)["value"].alias("value"))
    parts = [
        single.where(F.col("attribute") == each.attribute).select(
            RECORD, F.lit(each.name).alias("column"), _part(each).alias("value")
        )
        for each in columns
    ]
    cells = parts[0]
    for part in parts[1:]:
        cells = cells.unionByName(part)
    return cells.where(F.length("value") > 0)


def _part(column: RecordColumn) -> Expression:
    halves = F.split("value", ", ", 2)
    if column.part == FAMILY:
        return halves[0]
    if column.part == GIVEN:
        return F.split(F.get(halves, F.lit(1)), " ")[0]
    return F.col("value")


def wide_of(cells: DataFrame, columns: Sequence[RecordColumn]) -> DataFrame:
    """Return a row a record, with a column each of ``columns``."""
    return cells.groupBy(RECORD).pivot("column", [each.name for each in columns]).agg(F.first("value"))
