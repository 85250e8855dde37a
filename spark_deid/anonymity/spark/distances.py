"""How far a class's sensitive values are from the table's, value by value, as the papers define it."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import HierarchyRows
from spark_deid.anonymity.spark.classes import CLASS, HOLDERS, VALUE
from spark_deid.core.errors import CorpusError
from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window


def find_differences(held: DataFrame, table: DataFrame) -> DataFrame:
    """Return ``class, value, surplus``: a class's fraction of a value less the table's, for every value of the table.

    ``held`` has ``class, value, holders`` and ``table`` ``value, holders``. As many rows as classes times values.
    """
    whole = Window.partitionBy(F.lit(0))
    of_table = table.select(VALUE, (F.col(HOLDERS) / F.sum(HOLDERS).over(whole)).alias("expected"))
    in_class = Window.partitionBy(CLASS)
    shares = held.select(CLASS, VALUE, (F.col(HOLDERS) / F.sum(HOLDERS).over(in_class)).alias("share"))
    every = held.select(CLASS).distinct().crossJoin(F.broadcast(of_table)).alias("every")
    same = F.col(f"every.{CLASS}").eqNullSafe(F.col(f"shares.{CLASS}")) & F.col(f"every.{VALUE}").eqNullSafe(
        F.col(f"shares.{VALUE}")
    )
    joined = every.join(shares.alias("shares"), on=same, how="left")
    surplus = F.coalesce("share", F.lit(0.0)) - F.col("expected")
    return joined.select(f"every.{CLASS}", f"every.{VALUE}", surplus.alias("surplus"))


def equal_distances(surpluses: DataFrame) -> DataFrame:
    """Return ``class, distance`` where all values are equally far from each other."""
    return surpluses.groupBy(CLASS).agg((F.sum(F.abs("surplus")) / 2).alias("distance"))


def ordered_distances(surpluses: DataFrame) -> DataFrame:
    """Return ``class, distance`` where values are on a line, evenly; a missing value is before all others."""
    so_far = Window.partitionBy(CLASS).orderBy(F.col(VALUE).asc_nulls_first()).rowsBetween(Window.unboundedPreceding, 0)
    carried = surpluses.select(CLASS, F.sum("surplus").over(so_far).alias("carried"))
    gaps = F.greatest(F.count(F.lit(1)) - 1, F.lit(1))
    return carried.groupBy(CLASS).agg((F.sum(F.abs("carried")) / gaps).alias("distance"))


def hierarchical_distances(surpluses: DataFrame, name: str, hierarchy: HierarchyRows) -> DataFrame:
    """Return ``class, distance`` where values are as far apart as their lowest common ancestor is high.

    Li, Li and Venkatasubramanian (ICDE 2007, 3.2): at every inner node the lesser of what its children have too much
    and too little is exchanged between them, at the node's height over the tree's. A missing value is next to all
    others, right below the root. Raises CorpusError where the hierarchy of column ``name`` lacks a value.
    """
    height = _height(hierarchy)
    placed = _placed(surpluses, name, hierarchy, height)
    costs = []
    for level in range(1, height + 1):
        child = F.array(*(f"node_{at}" for at in range(level - 1, height)))
        parent = F.array(F.lit("root"), *(f"node_{at}" for at in range(level, height)))
        extra = placed.groupBy(CLASS, parent.alias("parent"), child.alias("child")).agg(F.sum("surplus").alias("extra"))
        over, under = F.sum(F.greatest("extra", F.lit(0.0))), F.sum(F.greatest(-F.col("extra"), F.lit(0.0)))
        exchanged = extra.groupBy(CLASS, "parent").agg(F.least(over, under).alias("exchanged"))
        costs.append(exchanged.select(CLASS, (F.col("exchanged") * (level / height)).alias("cost")))
    every = costs[0]
    for cost in costs[1:]:
        every = every.unionByName(cost)
    return every.groupBy(CLASS).agg(F.sum("cost").alias("distance"))


def _height(hierarchy: HierarchyRows) -> int:
    """Return how many edges are between a value and the root, which a hierarchy may omit."""
    has_root = len({row[-1] for row in hierarchy}) == 1
    return max(len(hierarchy[0]) - has_root, 1)


def _placed(surpluses: DataFrame, name: str, hierarchy: HierarchyRows, height: int) -> DataFrame:
    """Give every value its nodes, level by level; those of a missing value are its own."""
    nodes: Sequence[tuple[str, ...]] = sorted({(row[0], *row[:height]) for row in hierarchy})
    columns = ["known", *(f"node_{level}" for level in range(height))]
    known = surpluses.sparkSession.createDataFrame(list(nodes), columns)
    joined = surpluses.join(F.broadcast(known), on=F.col(VALUE).cast("string") == F.col("known"), how="left")
    lacking = joined.where(F.col("known").isNull() & F.col(VALUE).isNotNull()).select(VALUE).distinct().count()
    if lacking:
        raise CorpusError(f"hierarchy of {name}: lacks {lacking} values of the column")
    return joined
