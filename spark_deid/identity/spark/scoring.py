"""Operators around splink: samples to train on, and the scores of pairs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.identity.linkage.columns import RecordColumn
from spark_deid.identity.linkage.model import RECORD, LinkageModel, settings_of, silence_splink

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
