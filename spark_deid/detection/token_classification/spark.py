"""Operator: an exported model as a function that finds entities in texts on workers."""

import os
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path

from pyspark.sql import SparkSession

from spark_deid.core.errors import ModelError
from spark_deid.core.span import Finder, Span
from spark_deid.detection.token_classification.classifier import TokenClassifier, load_classifier
from spark_deid.detection.token_classification.export import TokenClassifierExport, read_export
from spark_deid.engine.resources import has_local_workers
from spark_deid.engine.shared import WorkerFolder, send_folder

Labels = tuple[tuple[str, str | None], ...]


def finder(
    spark: SparkSession, export: TokenClassifierExport, labels: Mapping[str, str | None], threshold: float
) -> Finder:
    """Return what finds a model's entities: a function to send to workers, of which each loads the model once.

    Where the master is not local the folder is sent to the workers. A worker that finds other files than these fails.
    """
    if has_local_workers(spark):
        folder = WorkerFolder(os.path.abspath(export.folder))
    else:
        folder = send_folder(spark, Path(export.folder), f"onnx-{export.sha256[:32]}")
    return partial(_spans, folder=folder, sha256=export.sha256, labels=tuple(labels.items()), threshold=threshold)


def _spans(text: str, *, folder: WorkerFolder, sha256: str, labels: Labels, threshold: float) -> list[Span]:
    return _loaded(folder, sha256).spans(text, dict(labels), threshold)


@lru_cache(maxsize=2)
def _loaded(folder: WorkerFolder, sha256: str) -> TokenClassifier:
    export = read_export(folder.on_worker())
    if export.sha256 != sha256:
        raise ModelError(f"{export.folder}: changed since the run began: its hash is another")
    return load_classifier(export)
