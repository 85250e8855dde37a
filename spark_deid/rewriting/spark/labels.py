"""Operators: the labels of edits, and which of them show text that edits removed."""

from collections.abc import Collection, Sequence
from functools import partial

from pyspark.sql import SparkSession

from spark_deid.engine.tasks import run_tasks
from spark_deid.rewriting.telling_labels import LabelTexts
from spark_deid.storage.parts import PartFile, read_groups

_LABEL = "edits.list.element.label"
_PLACES = tuple(f"edits.list.element.{name}" for name in ("start", "end"))


def labels_of_edits(spark: SparkSession, decided: Sequence[PartFile]) -> frozenset[str]:
    """Return the labels of the edits of decisions; runs one small action."""
    return frozenset().union(*run_tasks(spark, _labels_of, decided))


def labels_telling(spark: SparkSession, decided: Sequence[PartFile], labels: Collection[str]) -> frozenset[str]:
    """Return those of some labels that show text which an edit of any document removed; runs one action."""
    if not labels:
        return frozenset()
    return frozenset().union(*run_tasks(spark, partial(_telling_in, labels=tuple(labels)), decided))


def _labels_of(part: PartFile) -> set[str]:
    found: set[str] = set()
    for batch in read_groups(part.path, [_LABEL]):
        found.update(batch.column("edits").flatten().field("label").unique().to_pylist())
    return found


def _telling_in(part: PartFile, *, labels: tuple[str, ...]) -> set[str]:
    texts = LabelTexts.of(labels)
    found: set[str] = set()
    for batch in read_groups(part.path, ["text", *_PLACES]):
        cells = batch.column("edits")
        for text, edits in zip(batch.column("text").to_pylist(), cells.to_pylist(), strict=True):
            found |= texts.labels_in(text[edit["start"] : edit["end"]] for edit in edits or ())
    return found
