"""Hide rare text and nothing else: a corpus in, documents, spans and a report out."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.errors import GateRefused
from spark_deid.corpus.spark.read import Reading, read_corpus
from spark_deid.guarantees.gate import require_assessments
from spark_deid.plan.config import InputSettings, RepeatsSettings
from spark_deid.plan.execute import Progress
from spark_deid.release.manifest import versions
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import (
    NO_STATISTICS,
    select_columns,
    write_absent,
    write_rows,
    write_scratch,
    write_table,
)
from spark_deid.release.workspace import Places
from spark_deid.repeats.findings import LENGTH_BOUNDS
from spark_deid.repeats.grid import Grid
from spark_deid.repeats.settings import Mask, Rarity, Unit
from spark_deid.repeats.spark.comparison import compare_hidden
from spark_deid.repeats.spark.recount import GUARANTEE, Claim, recount
from spark_deid.repeats.spark.search import (
    choose_unit,
    hide,
    nothing_excluded,
    rare_edits,
    rare_spans,
    shapes,
)
from spark_deid.repeats.spark.shards import find_rare_text, sweep_rare_text
from spark_deid.report.render import repeats_report

SAMPLE = 1000
"""About how many documents are looked at for the shapes of what is hidden."""
MAX_SHAPES = 20


@dataclass(frozen=True)
class RareRun:
    """What to hide in which input; ``private`` says that the workspace is to keep originals and edits."""

    input: InputSettings
    repeats: RepeatsSettings
    mask: Mask
    sweep: bool
    private: bool


@dataclass(frozen=True)
class Totals:
    """Counts over all documents; ``lengths`` are characters by class of extension length."""

    documents: int
    characters: int
    hidden: int
    runs: int
    lengths: tuple[int, ...]


def hide_rare(run: RareRun, spark: SparkSession, places: Places, progress: Progress) -> dict[str, Any]:
    """Find rare text, write ``spans`` and the report beside it, and let ``documents`` appear by one commit at last.

    Before that every published run is counted again by another algorithm. Runs an action for each table it writes, and
    small ones for counts. Raises GateRefused where a document would be lost or a published run is too rare,
    CorpusError where nothing is readable.
    """
    began = time.monotonic()
    progress(f"read {run.input.path}")
    reading = _read(run, spark, places)
    documents = reading.documents.withColumn("edits", nothing_excluded())
    rarity = run.repeats.rarity(choose_unit(documents, run.repeats.unit))
    progress(f"find text of fewer than {rarity.k} {_plural(rarity.unit)}")
    folder = str(places.workspace.scratch.child("shards").uri).removeprefix("file://")
    found = find_rare_text(documents, rarity, shards=run.repeats.shards, folder=folder)
    found = write_scratch(found, places.workspace, "found")
    totals = _totals(found)
    if totals.documents != reading.inventory.documents:
        raise GateRefused(
            f"nothing is released: {reading.inventory.documents} documents were read, {totals.documents} searched"
        )
    hidden = write_scratch(hide(reading.documents, found, mask=run.mask), places.workspace, "hidden")
    report = _report(rarity, totals) | _shapes(hidden, totals)
    if run.sweep:
        progress("try other settings")
        report |= {"sweep": _sweep(documents, rarity, run.repeats.shards, f"{folder}-sweep")}
    progress("count again")
    assessment = recount(compare_hidden(hidden, mask=run.mask), Claim(rarity.k, rarity.unit, rarity.counted))
    if run.private:
        _keep_private(reading, found, places, run.mask)
        write_rows([assessment], places.workspace, "assessments")
        write_absent(places.workspace)
    require_assessments([assessment], expected=(GUARANTEE,))
    progress("write")
    _write_spans(found, places)
    report |= {"assessments": [assessment._asdict()]}
    seconds = round(time.monotonic() - began, 3)
    figures = report | {"rejects": dict(reading.inventory.rejects), "seconds": seconds}
    publish(
        hidden.select("doc_id", F.col("published").alias("text")),
        places.release,
        _manifest(figures),
        repeats_report(figures),
    )
    return figures


def _read(run: RareRun, spark: SparkSession, places: Places) -> Reading:
    return read_corpus(
        spark,
        run.input.path,
        run.input.format,
        options=run.input.options,
        stage=lambda parsed: write_scratch(parsed, places.workspace, "parsed"),
    )


def _totals(found: DataFrame) -> Totals:
    classes = [F.sum(F.col("lengths")[i]) for i in range(len(LENGTH_BOUNDS))]
    sums = [F.sum("characters"), F.sum("hidden"), F.sum(F.size("starts")), *classes]
    row = found.agg(F.count("doc_id"), *sums).collect()[0]
    documents, characters, hidden, runs, *lengths = (int(value or 0) for value in row)
    return Totals(documents, characters, hidden, runs, tuple(lengths))


def _report(rarity: Rarity, totals: Totals) -> dict[str, Any]:
    settings = {name: getattr(rarity, name) for name in rarity.__dataclass_fields__}
    bounds = zip(LENGTH_BOUNDS, (*LENGTH_BOUNDS[1:], None), totals.lengths, strict=True)
    return {
        "settings": settings,
        "documents": totals.documents,
        "characters": totals.characters,
        "hidden_characters": totals.hidden,
        "runs": totals.runs,
        "unsuppressed_ratio": 1 - totals.hidden / totals.characters if totals.characters else 1.0,
        "lengths": [{"name": _class_name(low, high), "characters": n} for low, high, n in bounds],
        "sweep": None,
    }


def _class_name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} and more"
    return str(low) if high == low + 1 else f"{low} to {high - 1}"


def _shapes(hidden: DataFrame, totals: Totals) -> dict[str, Any]:
    every = max(1, round(totals.documents / SAMPLE))
    sample = hidden.where(F.pmod(F.xxhash64("doc_id"), F.lit(every)) == 0)
    counts = shapes(sample).orderBy(F.desc("runs"), "shape").limit(MAX_SHAPES).collect()
    return {"sampled": sample.count(), "shapes": [row.asDict() for row in counts]}


def _sweep(documents: DataFrame, rarity: Rarity, shards: int, folder: str) -> dict[str, Any]:
    grid = Grid()
    kept = {
        (row["k"], row["min_length"]): 1 - row["hidden"] / row["characters"] if row["characters"] else 1.0
        for row in sweep_rare_text(documents, rarity, grid, shards=shards, folder=folder).collect()
    }
    rows = [{"k": k, "ratios": [kept.get((k, least), 1.0) for least in grid.min_length]} for k in grid.k]
    return {"min_lengths": list(grid.min_length), "rows": rows}


def _keep_private(reading: Reading, found: DataFrame, places: Places, mask: Mask) -> None:
    write = partial(write_table, workspace=places.workspace)
    write(reading.documents, name="documents")
    write(reading.rejects, name="rejects")
    write(reading.spans.unionByName(rare_spans(found)), name="spans")
    write(rare_edits(found, mask=mask), name="edits")


def _write_spans(found: DataFrame, places: Places) -> None:
    writer = select_columns(rare_spans(found), tables.SPANS).write.format("delta").option(NO_STATISTICS, "0")
    writer.mode("errorifexists").save(places.release.child("spans").uri)


def _manifest(figures: Mapping[str, Any]) -> dict[str, object]:
    return {"kind": "repeats", "versions": versions(), **figures}


def _plural(unit: Unit) -> str:
    return {Unit.SUBJECT: "persons", Unit.DOCUMENT: "documents", Unit.OCCURRENCE: "places"}[unit]
