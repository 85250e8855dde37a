"""Operators: what is rare in a corpus, as findings and spans."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain

import numpy as np
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.edit import RARE
from spark_deid.engine import functions as F
from spark_deid.engine.resources import task_cores
from spark_deid.repeats.findings import FINDINGS, Batches, gather_documents, lay_out_batch, write_findings
from spark_deid.repeats.rare import GRID, RarityGrid, find_rare, sweep_grid
from spark_deid.repeats.settings import SOURCE, RaritySettings
from spark_deid.repeats.shapes import FEWEST_DOCUMENTS, SHAPES, shape_of


def find_in_one_task(documents: DataFrame, rarity: RaritySettings, *, placeholders: Sequence[str] = ()) -> DataFrame:
    """Find rare text in one task that holds the whole corpus, at about 20 bytes a byte of text (columns of FINDINGS).

    ``documents`` has the columns doc_id, subject_id, text, and ``edits``: structs with start and end of what stands
    excluded, in order and disjoint, or null. Neither that nor a listed placeholder is ever rare or evidence.
    """
    columns = documents.select("doc_id", "subject_id", "text", "edits")
    threads = task_cores(documents.sparkSession)
    function = partial(_find_batches, rarity=rarity, placeholders=tuple(placeholders), threads=threads)
    return columns.repartition(1).mapInArrow(function, tables.ddl(FINDINGS))


def sweep(
    documents: DataFrame, rarity: RaritySettings, *, grid: RarityGrid, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Count hidden characters for every k and minimum length of a grid, in one task (columns of GRID)."""
    columns = documents.select("doc_id", "subject_id", "text", "edits")
    function = partial(_sweep_batches, rarity=rarity, grid=grid, placeholders=tuple(placeholders))
    return columns.repartition(1).mapInArrow(function, tables.ddl(GRID))


def shapes(decisions: DataFrame) -> DataFrame:
    """Count the shapes of rare text that decisions hide, such as ``Aa 9`` (columns of SHAPES); no text.

    Shapes that fewer than ``FEWEST_DOCUMENTS`` documents share are omitted.
    """
    rare = F.filter("edits", lambda edit: edit["label"] == RARE).alias("edits")
    borders = (F.col(f"edits.{side}").alias(side) for side in ("start", "end"))
    runs = decisions.select("text", rare).select("text", *borders)
    counts = runs.mapInArrow(_shape_batches, tables.ddl(SHAPES))
    totals = counts.groupBy("shape").agg(*(F.sum(name).alias(name) for name in ("runs", "documents")))
    return totals.where(F.col("documents") >= FEWEST_DOCUMENTS)


def with_rare_spans(annotated: DataFrame, found: DataFrame) -> DataFrame:
    """Add findings to the column ``spans``, a list of structs, of the documents that they were found in."""
    runs = F.arrays_zip("starts", "ends")
    added = F.transform(runs, lambda run: F.struct(*(_span_value(name, run) for name in tables.SPANS.names[1:])))
    kind = tables.column_types(tables.ANNOTATED)["spans"]
    joined = annotated.join(found.select("doc_id", added.cast(kind).alias("added")), on="doc_id", how="left")
    return joined.withColumn("spans", F.concat("spans", F.coalesce("added", F.array().cast(kind)))).drop("added")


def _span_value(name: str, run: Column) -> Column:
    constants = {"label": F.lit(RARE), "source": F.lit(SOURCE), "score": F.lit(None), "annotation_id": F.lit(None)}
    column = {"start": run["starts"], "end": run["ends"], **constants}[name]
    return column.cast(tables.column_types(tables.SPANS)[name]).alias(name)


def _find_batches(incoming: Batches, *, rarity: RaritySettings, placeholders: tuple[str, ...], threads: int) -> Batches:
    batches = list(incoming)
    if batches:
        batch = gather_documents(batches, placeholders)
        text = lay_out_batch(batch, rarity.unit)
        found = find_rare(text, rarity, threads=threads)
        yield from write_findings(batch.ids, text, found.runs, found.lengths, np.arange(len(text.units)))


def _sweep_batches(
    incoming: Batches, *, rarity: RaritySettings, grid: RarityGrid, placeholders: tuple[str, ...]
) -> Batches:
    batches = list(incoming)
    if batches:
        text = lay_out_batch(gather_documents(batches, placeholders), rarity.unit)
        yield to_batch(list(sweep_grid(text, rarity, grid)), GRID)


def _shape_batches(incoming: Batches) -> Batches:
    for batch in incoming:
        rows = zip(*(batch.column(name).to_pylist() for name in batch.schema.names), strict=True)
        found = [[shape_of(text[a:b]) for a, b in zip(starts, ends, strict=True)] for text, starts, ends in rows]
        runs, documents = Counter(chain.from_iterable(found)), Counter(chain.from_iterable(map(set, found)))
        yield to_batch([(name, number, documents[name]) for name, number in runs.items()], SHAPES)
