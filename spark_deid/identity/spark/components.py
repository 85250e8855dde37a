"""Operator: connected components by large and small stars (Kiveris et al., Connected Components in MapReduce, 2014)."""

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Keep = Callable[[str, DataFrame], DataFrame]
"""Write a table under a name and return it as read back."""


def components_of(edges: DataFrame, keep: Keep) -> DataFrame:
    """Return the component of each node that has an edge (columns node, component: its least node).

    ``edges`` have columns a and b. Each round writes a table and counts it; rounds grow with the logarithm of the
    longest path, and no row grows with a component.
    """
    oriented = edges.select(F.greatest("a", "b").alias("high"), F.least("a", "b").alias("low"))
    stars = keep("linkage-stars-0", oriented.where(F.col("high") != F.col("low")).distinct())
    before, number = None, 0
    while before != (now := _sum_of(stars)):
        before, number = now, number + 1
        stars = keep(f"linkage-stars-{number}", _small_stars(_large_stars(stars)))
    roots = stars.select(F.col("low").alias("node"), F.col("low").alias("component")).distinct()
    return stars.select(F.col("high").alias("node"), F.col("low").alias("component")).unionByName(roots)


def _large_stars(stars: DataFrame) -> DataFrame:
    """Link the higher neighbours of each node to its least neighbour."""
    both = stars.select(F.col("high").alias("node"), F.col("low").alias("other")).unionByName(
        stars.select(F.col("low").alias("node"), F.col("high").alias("other"))
    )
    least = both.groupBy("node").agg(F.min("other").alias("least"))
    least = least.select("node", F.least("node", "least").alias("least"))
    linked = both.join(least, on="node", how="inner").where(F.col("other") > F.col("node"))
    return linked.select(F.col("other").alias("high"), F.col("least").alias("low")).distinct()


def _small_stars(stars: DataFrame) -> DataFrame:
    """Link each node and its lower neighbours to the least of these."""
    least = stars.groupBy("high").agg(F.min("low").alias("least"))
    joined = stars.join(least, on="high", how="inner")
    others = joined.where(F.col("low") != F.col("least")).select(
        F.col("low").alias("high"), F.col("least").alias("low")
    )
    return others.unionByName(least.select("high", F.col("least").alias("low"))).distinct()


def _sum_of(stars: DataFrame) -> tuple[int, int]:
    """Count edges, and sum their hashes: equal where nothing has changed."""
    row = stars.agg(
        F.count(F.lit(1)), F.coalesce(F.sum(F.crc32(F.to_json(F.struct("high", "low")))), F.lit(0))
    ).collect()[0]
    return int(row[0]), int(row[1])
