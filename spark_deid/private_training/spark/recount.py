"""Operators: count again which words stayed, from texts and edits only."""

from collections.abc import Sequence

from pyspark.sql import SparkSession

from spark_deid.core.arrow import named_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.engine.tasks import run_tasks
from spark_deid.private_training.unchanged_words import unchanged_among
from spark_deid.storage.parts import PartFile, in_pieces, read_groups

_DOCUMENTS = 250


def count_unchanged(spark: SparkSession, decided: Sequence[PartFile]) -> tuple[int, int]:
    """Count the words that edits replace, and those that are where they occurred; runs one action."""
    counted = run_tasks(spark, _count, list(decided))
    return sum(words for words, _ in counted), sum(unchanged for _, unchanged in counted)


def _count(part: PartFile) -> tuple[int, int]:
    words = unchanged = 0
    for batch in in_pieces(read_groups(part.path, ["text", "edits"]), _DOCUMENTS):
        texts = batch.column("text").to_pylist()
        for text, edits in zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True):
            originals = [text[start:end] for start, end, *_ in edits]
            one, other = unchanged_among(originals, [edit[3] for edit in edits])
            words, unchanged = words + one, unchanged + other
    return words, unchanged
