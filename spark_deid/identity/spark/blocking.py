"""Operators: pairs of records that may be one person's. Blocks of too many records make no pairs."""

from typing import NamedTuple

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from spark_deid.identity.linkage.model import RECORD


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
