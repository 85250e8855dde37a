"""What a report tells of rare text: counts, lengths, shapes, and how much other settings would hide."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from spark_deid.engine import functions as F
from spark_deid.repeats.findings import LENGTH_BOUNDS
from spark_deid.repeats.rare import RarityGrid
from spark_deid.repeats.settings import RaritySettings
from spark_deid.repeats.spark.search import shapes
from spark_deid.repeats.spark.shards import sweep_rare_text

SAMPLE = 1000
"""About how many documents are looked at for the shapes of what is hidden."""
MAX_SHAPES = 20


def totals_of(found: DataFrame) -> dict[str, Any]:
    """Sum up findings; one small action."""
    classes = [F.sum(F.col("lengths")[i]) for i in range(len(LENGTH_BOUNDS))]
    sums = [F.sum("characters"), F.sum("hidden"), F.sum(F.size("starts")), *classes]
    row = found.agg(F.count("doc_id"), *sums).collect()[0]
    documents, characters, hidden, runs, *lengths = (int(value or 0) for value in row)
    bounds = zip(LENGTH_BOUNDS, (*LENGTH_BOUNDS[1:], None), lengths, strict=True)
    return {
        "documents": documents,
        "characters": characters,
        "hidden_characters": hidden,
        "runs": runs,
        "unsuppressed_ratio": 1 - hidden / characters if characters else 1.0,
        "lengths": [{"name": _class_name(low, high), "characters": n} for low, high, n in bounds],
    }


def _class_name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} and more"
    return str(low) if high == low + 1 else f"{low} to {high - 1}"


def shapes_of(decisions: DataFrame, *, documents: int) -> dict[str, Any]:
    """Count the shapes of what is hidden in a sample of so many documents; two small actions."""
    every = max(1, round(documents / SAMPLE))
    sample = decisions.where(F.pmod(F.xxhash64("doc_id"), F.lit(every)) == 0)
    counts = shapes(sample).orderBy(F.desc("runs"), "shape").limit(MAX_SHAPES).collect()
    return {"sampled": sample.count(), "shapes": [row.asDict() for row in counts]}


def sweep_of(
    searched: DataFrame, rarity: RaritySettings, shards: int, folder: str, placeholders: Sequence[str]
) -> dict[str, Any]:
    """Tell the share of characters kept for each k and shortest run of a grid."""
    grid = RarityGrid()
    rows = sweep_rare_text(searched, rarity, grid, shards=shards, folder=folder, placeholders=placeholders).collect()
    kept = {
        (row["k"], row["min_length"]): 1 - row["hidden"] / row["characters"] if row["characters"] else 1.0
        for row in rows
    }
    by_k = [{"k": k, "ratios": [kept.get((k, least), 1.0) for least in grid.min_length]} for k in grid.k]
    return {"min_lengths": list(grid.min_length), "rows": by_k}
