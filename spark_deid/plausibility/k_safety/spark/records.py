"""Operators: join an external table with documents, and mark what they share (ERASE).

Of the documents only their distinct runs of words go into the join, and of the table the distinct values of each
column: no key is there twice on either side, however often a word or a value occurs. Records are then left with what
counts of them, and counted where they are equal, before any of them leaves the cluster.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in
from spark_deid.core.column_names import columns_text
from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.kinds import MethodContext
from spark_deid.engine import functions as F
from spark_deid.plausibility.k_safety.catalogue import ColumnNodes, Labels, count_terms, read_paths, save_catalogue
from spark_deid.plausibility.k_safety.document import SafetyRequest, find_terms, request_of
from spark_deid.plausibility.k_safety.settings import EraseSettings, columns_in_metadata
from spark_deid.plausibility.k_safety.words import LabelEdges, grams_of, key_of
from spark_deid.storage.spark.records import read_records

MOST_WORDS = 4
"""Words of a term by which documents and table are joined; longer terms are told from one another afterwards."""
MOST_TERMS = 2_000_000
MOST_RECORDS = 20_000_000
"""Terms that documents and table share, and records of which different things count, that a run takes."""
BROADCAST = 1_000_000
"""Values of a column up to which they are broadcast; more are joined by a shuffle, each value once on its side."""
_UNKNOWN = -1


def search(settings: EraseSettings, corpus: Corpus, run: MethodContext) -> Corpus:
    """Return the corpus with the terms marked that its documents share with the table.

    Runs two actions to find what is shared, and one that counts records; what workers look up is written beside the
    run's other tables. Raises UsageError where metadata publishes a column of the table, CorpusError for values that a
    hierarchy lacks, and where too much is shared.
    """
    spark = corpus.annotated.sparkSession
    asked = request_of(settings, run)
    records = records_of(spark, settings)
    if result := columns_in_metadata(records.columns, run.plan.metadata):
        raise UsageError("\n".join(result))
    write_catalogue(records, corpus.annotated, settings, Path(asked.catalogue))
    return replace(corpus, annotated=with_terms(corpus.annotated, asked))


def records_of(spark: SparkSession, settings: EraseSettings) -> DataFrame:
    """Read the columns of a table that count, as text.

    Raises UsageError where it lacks one, and CorpusError for what is not a table.
    """
    table = read_records(spark, settings.table, columns=settings.columns)
    lacking = [name for name in settings.columns if name not in table.columns]
    if lacking:
        raise UsageError(
            f"erase.columns: {settings.table} has no column {' or '.join(lacking)}; {columns_text(table.columns)}"
        )
    return table.select(*(_text(name).alias(name) for name in settings.columns or table.columns))


def _text(name: str) -> Column:
    return F.trim(_column(name).cast("string"))


def _column(name: str) -> Column:
    return F.col(f"`{name.replace('`', '``')}`")


def write_catalogue(records: DataFrame, documents: DataFrame, settings: EraseSettings, path: Path) -> None:
    """Write what workers look up: the terms that documents and records share, and the records of each."""
    paths = dict(read_paths(settings.hierarchies, records.columns))
    plain = [name for name in records.columns if name not in paths]
    upper = {key_of(label) for values in paths.values() for labels in values.values() for label in labels[1:]} - {""}
    found, values = shared_values(records, documents, paths, plain, upper)
    columns = {name: paths[name] if name in paths else values[name] for name in records.columns}
    plan = count_terms(columns, found)
    rows, numbers = _counted(records, plan, frozenset(paths), settings)
    own = {key_of(value) for name in paths for value in paths[name]}
    own |= {key_of(value) for labels in values.values() for value in labels}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_catalogue(path, plan, rows, numbers, own)


def shared_values(
    records: DataFrame,
    documents: DataFrame,
    paths: Mapping[str, Mapping[str, Labels]],
    plain: Sequence[str],
    upper: Collection[str],
) -> tuple[set[str], dict[str, dict[str, Labels]]]:
    """Return the terms that may be in documents, and of columns without a hierarchy the values that are such.

    A term may be there once labels are written as well (``words.Edges``). The values also include those that
    read like a label of a hierarchy. Runs two actions.
    """
    spark = records.sparkSession
    listed = {key_of(label) for values in paths.values() for labels in values.values() for label in labels} - {""}
    grams = documents.select("text").mapInPandas(_grams, "gram bigint").distinct()
    result = _distinct_values(records, plain).mapInPandas(_keyed, "place int, value string, key string, gram bigint")
    keyed = result.select("key", "gram")
    if listed:
        terms = spark.createDataFrame(pd.DataFrame({"key": sorted(listed)}), "key string")
        keyed = keyed.unionByName(terms.mapInPandas(_hashed, "key string, gram bigint"))
    shared = keyed.join(grams, on="gram", how="left_semi").select("key")
    meeting = keyed.select("key").mapInPandas(partial(_meeting, edges=LabelEdges(upper)), "key string")
    found = {str(row[0]) for row in _few(shared.unionByName(meeting).distinct())}
    wanted = sorted(found | set(upper))
    values: dict[str, dict[str, Labels]] = {name: {} for name in plain}
    if plain and wanted:
        keys = spark.createDataFrame(pd.DataFrame({"key": wanted}), "key string")
        for place, value in _few(result.join(keys, on="key", how="left_semi").select("place", "value")):
            values[plain[int(place)]][value] = (value,)
    return found, values


def _few(rows: DataFrame) -> list[tuple[Any, ...]]:
    taken = rows.limit(MOST_TERMS + 1).collect()
    if len(taken) > MOST_TERMS:
        raise CorpusError(f"erase: documents share more than {MOST_TERMS:,} terms with the table: name fewer columns")
    return [tuple(row) for row in taken]


def _distinct_values(records: DataFrame, plain: Sequence[str]) -> DataFrame:
    """Return the distinct values of columns with the column's number."""
    parts = [
        records.select(F.lit(place).alias("place"), _column(name).alias("value")) for place, name in enumerate(plain)
    ]
    if not parts:
        return records.sparkSession.createDataFrame([], "place int, value string")
    together = parts[0]
    for part in parts[1:]:
        together = together.unionByName(part)
    return together.where(F.col("value").isNotNull()).distinct()


def _gram(key: str) -> int:
    """Return the first words of a term as a number."""
    return _number(" ".join(key.split(" ")[:MOST_WORDS]))


def _number(gram: str) -> int:
    from hashlib import blake2b

    return int.from_bytes(blake2b(gram.encode(), digest_size=8).digest(), "little", signed=True)


def _grams(batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        grams: set[str] = set().union(*(grams_of(text, MOST_WORDS) for text in batch["text"]))
        yield pd.DataFrame({"gram": np.fromiter(map(_number, grams), np.int64, len(grams))})


def _keyed(batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        result = batch.assign(key=[key_of(value) for value in batch["value"]])
        result = result[result["key"] != ""]
        yield result.assign(gram=[_gram(key) for key in result["key"]])


def _hashed(batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch.assign(gram=[_gram(key) for key in batch["key"]])


def _meeting(batches: Iterable[pd.DataFrame], *, edges: LabelEdges) -> Iterator[pd.DataFrame]:
    for batch in batches:
        yield batch[[edges.meet(key) for key in batch["key"]]]


def _counted(
    records: DataFrame, plan: ColumnNodes, with_hierarchy: Collection[str], settings: EraseSettings
) -> tuple[np.ndarray, np.ndarray]:
    """Return what counts of records, a row of nodes each, and how many are so; runs an action."""
    names = [f"node_{place}" for place in range(len(plan.nodes))]
    left = records
    for name, (column, values) in zip(names, plan.values.items(), strict=True):
        left = left.join(_mapping(records.sparkSession, values, column, name), on=column, how="left")
        missing = F.when(_column(column).isNull() | (_column(column) == ""), 0).otherwise(_UNKNOWN)
        lacks = missing if column in with_hierarchy else F.lit(0)
        left = left.withColumn(name, F.coalesce(F.col(name), lacks).cast("int"))
    counted = left.groupBy(*names).agg(F.count(F.lit(1)).alias("records"))
    counted = counted.where(F.greatest(F.lit(0), *(F.abs(F.col(name)) for name in names)) > 0)
    rows = counted.limit(MOST_RECORDS + 1).toPandas()
    if len(rows) > MOST_RECORDS:
        raise CorpusError(f"erase: more than {MOST_RECORDS:,} records of different values count: name fewer columns")
    nodes = rows[names].to_numpy(np.int32)
    numbers = rows["records"].to_numpy(np.int64)
    for place, column in enumerate(plan.nodes):
        if lacking := int(numbers[nodes[:, place] == _UNKNOWN].sum()):
            file = Path(settings.hierarchies) / f"{column}.csv"
            raise CorpusError(f"{settings.table}: {file} lacks the values of {column} of {lacking} records")
    order = np.lexsort(nodes.T) if len(nodes) else np.zeros(0, np.int64)
    return nodes[order], numbers[order]


def _mapping(spark: SparkSession, values: Mapping[str, int], column: str, name: str) -> DataFrame:
    """Return the nodes of a column's values as a table."""
    result = pd.DataFrame({column: list(values), name: np.fromiter(values.values(), np.int32, len(values))})
    schema = f"`{column.replace('`', '``')}` string, {name} int"
    rows = spark.createDataFrame(result, schema) if len(result) else spark.createDataFrame([], schema)
    return F.broadcast(rows) if len(result) <= BROADCAST else rows


def with_terms(annotated: DataFrame, request: SafetyRequest) -> DataFrame:
    """Add the terms of each document that become something else to its spans."""
    schema = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in annotated.schema)
    return annotated.mapInArrow(partial(_mark, request=request), schema)


def _mark(incoming: Iterator[pa.RecordBatch], *, request: SafetyRequest) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts = batch.column("text").to_pylist()
        spans = [
            [*given, *find_terms(text, request=request)]
            for text, given in zip(texts, spans_in(batch.column("spans")), strict=True)
        ]
        column = lists_of(spans, tables.SPAN_STRUCT)
        yield batch.set_column(batch.schema.get_field_index("spans"), "spans", column)
