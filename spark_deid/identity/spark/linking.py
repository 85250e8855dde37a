"""The driver of probabilistic linkage: which person each document is about."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.kinds import Materialize
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import apply_to_groups
from spark_deid.identity.linkage import (
    RECORD,
    RecordColumn,
    bound_probability,
    columns_of,
    estimate_linkage,
    resolve_conflicts,
    sort_by_distinctness,
)
from spark_deid.identity.settings import IdentitySettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.scoring import (
    CELL,
    DOCUMENT,
    KEY,
    ROW,
    agreement_of,
    alike_records,
    blocks_of,
    cells_of,
    match_rate,
    pairs_of,
    random_records,
    score_pairs,
    wide_of,
)

CERTAIN = 2.0
"""The probability of what is not an inference: above all that a model gives."""


class RecordLinks(NamedTuple):
    """Pairs of records (columns a, b, probability), and the columns in which records of one person hardly differ."""

    pairs: DataFrame
    single: tuple[RecordColumn, ...]


_CLUSTERS = pa.schema([("node", pa.string()), ("component", pa.string())])


def link_documents(
    documents: DataFrame,
    mentions: DataFrame,
    structured: DataFrame | None,
    identity: IdentitySettings,
    keep: Materialize,
) -> DataFrame:
    """Return the person of each document (columns doc_id, person).

    ``documents`` have doc_id and subject_id. Records are documents and the rows of the plan's table. Those of one key
    (a subject, or the table's) are one person's, those of two keys never are; beyond that the likeliest links win. A
    person without a key has the name of the least document. Writes candidate pairs, links, and a table a round of the
    components; samples for the training come to the driver, a few thousand records.
    """
    columns = columns_of({name: identity.kind(name) for name in identity.linked})
    cells = keep("linkage-cells", cells_of(mentions, structured, columns))
    scored, single = links_of(cells, columns, identity, keep)
    inferred = keep("linkage-links", scored)
    known = _known(documents, structured)
    links = inferred.unionByName(
        known.select(
            F.col("record").alias("a"), F.concat(F.lit(KEY), "key").alias("b"), F.lit(CERTAIN).alias("probability")
        )
    )
    found = components_of(links, keep)
    result = cells.where(F.col("column").isin(*(each.name for each in single)))
    clusters = keep("linkage-clusters", part_conflicting(found, links, result))
    return _persons(documents, clusters)


def links_of(
    cells: DataFrame, columns: Sequence[RecordColumn], identity: IdentitySettings, keep: Materialize
) -> RecordLinks:
    """Return the pairs of records that are likely one person's, and what a person has one value of.

    Raises SparkDeidError where fewer than two columns show anything.
    """
    chosen = identity.linkage
    agreement = agreement_of(cells)
    usable = sort_by_distinctness(agreement.rates, columns)
    if len(usable) < 2:
        raise SparkDeidError(
            "identity.link: splink compares at least two attributes (a name has two parts), but mentions "
            f"have {len(usable)}. Add labels to identity.attributes, or set link: document"
        )
    pairs = keep("linkage-pairs", pairs_of(blocks_of(cells, chosen.largest_block).members))
    spark = cells.sparkSession
    if pairs.isEmpty():
        return RecordLinks(spark.createDataFrame([], "a string, b string, probability double"), ())
    compared = [each for each in columns if each in usable]
    records = keep("linkage-records", wide_of(cells, compared))
    entry = usable[:2]
    rate = bound_probability(match_rate(records, usable[:3]))
    equal = alike_records(records, cells, entry, chosen.largest_block)
    trained = estimate_linkage(compared, entry, random_records(records), equal, rate)
    with _temporary_views(spark):
        scored = keep("linkage-scores", score_pairs(records, pairs, compared, trained, chosen.threshold))
    return RecordLinks(scored, trained.single(compared))


def _known(documents: DataFrame, structured: DataFrame | None) -> DataFrame:
    """Return the records whose person is named (columns record, key)."""
    named = documents.where(F.col("subject_id").isNotNull())
    known = named.select(F.concat(F.lit(DOCUMENT), "doc_id").alias("record"), F.col("subject_id").alias("key"))
    if structured is None:
        return known
    rows = structured.select(PERSON).distinct()
    return known.unionByName(rows.select(F.concat(F.lit(ROW), PERSON).alias("record"), F.col(PERSON).alias("key")))


def part_conflicting(found: DataFrame, links: DataFrame, attributes: DataFrame) -> DataFrame:
    """Part the components that hold several keys, or several values of what a person has one of (cells ``attributes``).

    Returns columns node and component.
    """
    keys = F.sum(F.col("node").startswith(KEY).cast("int"))
    keyed = found.groupBy("component").agg(keys.alias("n"))
    cells = attributes.withColumnRenamed(RECORD, "node").join(found, on="node", how="inner")
    values = cells.groupBy("component", "column").agg(F.count_distinct("value").alias("n")).select("component", "n")
    torn = keyed.unionByName(values).where(F.col("n") > 1).select("component").distinct()
    whole = found.join(torn, on="component", how="left_anti").select("node", "component")
    inside = found.join(torn, on="component", how="left_semi").withColumnRenamed("node", "a")
    cell = F.concat(F.lit(CELL), F.to_json(F.array("column", "value")))
    given = attributes.select(F.col(RECORD).alias("a"), cell.alias("b"), F.lit(CERTAIN).alias("probability"))
    rows = links.unionByName(given).join(inside, on="a", how="inner").select("component", "a", "b", "probability")
    parted = apply_to_groups(rows, "component", _parted, tables.ddl(_CLUSTERS))
    return whole.unionByName(parted)


def _parted(links: pa.Table) -> pa.Table:
    """Resolve the conflicts of one component."""
    ends = zip(*(links.column(name).to_pylist() for name in ("a", "b", "probability")), strict=True)
    inferred, known, entry = [], {}, defaultdict[str, dict[str, str]](dict)
    for a, b, probability in ends:
        if b.startswith(KEY):
            known[a] = b
        elif b.startswith(CELL):
            column, value = json.loads(b.removeprefix(CELL))
            entry[a][column] = value
        else:
            inferred.append((a, b, probability))
    clusters = resolve_conflicts(inferred, known, entry)
    nodes = {**clusters, **{key: clusters[record] for record, key in sorted(known.items(), reverse=True)}}
    return pa.Table.from_batches(list(gather_batches(iter(nodes.items()), _CLUSTERS)), schema=_CLUSTERS)


def _persons(documents: DataFrame, clusters: DataFrame) -> DataFrame:
    """Name the clusters: by their key, else by their least document."""
    key = F.min(F.when(F.col("node").startswith(KEY), F.substring("node", len(KEY) + 1, 2**31 - 1)))
    least = F.min(F.when(F.col("node").startswith(DOCUMENT), F.substring("node", len(DOCUMENT) + 1, 2**31 - 1)))
    document = F.concat(F.lit("document "), F.col("least"))
    names = clusters.groupBy("component").agg(key.alias("key"), least.alias("least"))
    names = names.select("component", F.coalesce("key", document).alias("named"))
    mine = clusters.where(F.col("node").startswith(DOCUMENT)).select(
        F.substring("node", len(DOCUMENT) + 1, 2**31 - 1).alias("doc_id"), "component"
    )
    linked = mine.join(names, on="component", how="inner").select("doc_id", "named")
    single = F.concat(F.lit("document "), F.col("doc_id"))
    rows = documents.select("doc_id").join(linked, on="doc_id", how="left")
    return rows.select("doc_id", F.coalesce("named", single).alias(PERSON))


@contextmanager
def _temporary_views(spark: SparkSession) -> Iterator[None]:
    """Drop the views that splink leaves."""
    before = {table.name for table in spark.catalog.listTables()}
    try:
        yield
    finally:
        for table in spark.catalog.listTables():
            if table.isTemporary and table.name not in before:
                spark.catalog.dropTempView(table.name)


# Operator: connected components by large and small stars (Kiveris et al., Connected Components in MapReduce, 2014).


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
