"""Operator: what a leak scan looks for."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def surfaces(documents: DataFrame, edits: DataFrame) -> DataFrame:
    """Return the distinct pieces of the originals that edits replace (column ``surface``): probes of a leak scan.

    They are what must stay secret: for tests and small corpora, and for the workspace alone.
    """
    joined = edits.join(documents.select("doc_id", "text"), on="doc_id", how="inner")
    piece = F.substring("text", F.col("start") + 1, F.col("end") - F.col("start"))
    return joined.select(piece.alias("surface")).distinct()
