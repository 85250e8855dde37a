"""Let labelled sentences out as vectors: an institution's fraction of what a de-identifier is trained on."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, annotation_check, check_all, no_progress, reading_check
from spark_deid.app.losses import tell_losses
from spark_deid.app.options.representation import TransformOptions
from spark_deid.app.sessions import open_session, read_once
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.hashing import fingerprint
from spark_deid.core.kinds import AssessmentResult
from spark_deid.core.labels import is_label, plain_label
from spark_deid.core.version import VERSION
from spark_deid.engine import functions as F
from spark_deid.engine.keeping import kept_tables
from spark_deid.guarantees.gate import require
from spark_deid.plan.secret import find_secret
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.network.representation_folder import read_representation
from spark_deid.private_training.network.transforming import OTHER, TransformSource
from spark_deid.private_training.spark.transforming import (
    VECTOR_SENTENCES,
    count_unknown_labels,
    count_vectors,
    transform_documents,
)
from spark_deid.release.commit import TABLE
from spark_deid.release.publish import publish_table
from spark_deid.release.spark.tables import store_rows
from spark_deid.release.workspace import drop_private, open_places
from spark_deid.report.render import vectors_report
from spark_deid.storage.files import absolute_path, is_remote
from spark_deid.storage.folder import folder_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_deid.private_training.network.representation_folder import PublishedRepresentation
    from spark_deid.private_training.spark.transforming import VectorCounts
    from spark_deid.release.workspace import RunFolders

ASSESSMENT = "vectors-alone"


@dataclass(frozen=True)
class TransformFigures(CommandFigures):
    """A release of vectors: its sentences and tokens, and annotations whose labels were not publish."""

    release: str
    documents: int
    rejects: int
    sentences: int
    tokens: int
    labels: tuple[str, ...]
    relabelled: int
    seconds: float


def transform(options: TransformOptions, progress: Progress = no_progress) -> TransformFigures:
    """Transform labelled text to vectors and release these, once a recount finds nothing else in their table.

    Raises GateRefused where it does, ModelError for a representation that is damaged or was not publish, UsageError for
    wrong options.
    """
    began = time.monotonic()
    checked = _check(options)
    secret = find_secret(options.key_file)
    plan = fingerprint({"command": "representation transform", "input": options.input})
    if options.workspace is None:
        drop_private(options.output, options.private)
    with open_places(options.input, options.private, options.output, plan) as places:
        if options.workspace is not None and not secret.repeatable:
            progress(f"the key of this transform is stored in {places.workspace.keep_key(secret.key)}")
        progress("start Spark")
        delta = options.format == "delta"
        with open_session(
            "representation",
            options.master,
            options.input,
            places,
            needs_delta=delta,
            progress=progress,
            engine=options.engine,
        ) as spark:
            figures = _carried_out(spark, options, checked, secret.key, places, progress)
    if options.workspace is None:
        folder_at(options.private).remove("")
    return TransformFigures(**figures, seconds=round(time.monotonic() - began, 3))


def _check(options: TransformOptions) -> "PublishedRepresentation":
    """Check what options name, before Spark starts; raises UsageError and ModelError."""
    store = absolute_path(options.embeddings)
    check_all(
        *reading_check(options.input, options.format, options.options),
        *annotation_check(options.input, options.format, options.options, "leave"),
        partial(open_store, store),
        partial(_check_options, options),
    )
    return read_representation(options.representation, open_store(store))


def _check_options(options: TransformOptions) -> None:
    if is_remote(options.output):
        raise UsageError(f"{options.output}: expected a folder that workers see as a local path")
    if wrong := [label for label in options.labels if not is_label(label)]:
        raise UsageError(f"--labels: expected labels of letters, digits, _ and -, got {wrong[0]!r}")


def _carried_out(
    spark: "SparkSession",
    options: TransformOptions,
    representation: "PublishedRepresentation",
    key: bytes,
    places: "RunFolders",
    progress: Progress,
) -> dict[str, Any]:
    started = datetime.now(UTC)
    labels = tuple(sorted({*representation.settings.labels, *options.labels}))
    folder, store = (absolute_path(str(place)) for place in (options.representation, options.embeddings))
    with kept_tables() as keep:
        reading = read_once(spark, options.input, options.format, options.options, keep, progress)
        tell_losses(reading.inventory, progress)
        annotated = _labelled(reading.annotated, reading.unlabelled)
        unknown = count_unknown_labels(annotated, labels)
        if unknown:
            progress(
                f"warning: the representation does not have the labels of {unknown} annotations. They become "
                "OTHER. To publish such labels, add them to --labels"
            )
        progress("transform sentences")
        source = TransformSource(folder, store, key, labels)
        parts = store_rows(transform_documents(annotated, source), VECTOR_SENTENCES, places.release.child(TABLE))
    progress("count the rows")
    counts = count_vectors(spark, parts, representation.outputs, _written(labels))
    _require(counts)
    manifest = _manifest(representation, labels, counts, reading.inventory.documents, started)
    progress("commit")
    publish_table(
        parts,
        VECTOR_SENTENCES,
        places.release,
        manifest,
        vectors_report(manifest),
        keep=places.workspace.keep_record,
    )
    return {
        "release": options.output,
        "documents": reading.inventory.documents,
        "rejects": sum(reading.inventory.rejects.values()),
        "sentences": counts.rows,
        "tokens": counts.tokens,
        "labels": labels,
        "relabelled": unknown,
    }


def _labelled(annotated: "DataFrame", unlabelled: frozenset[str]) -> "DataFrame":
    """Omit documents that no one annotated: their names would be taught as ordinary words."""
    return annotated.where(~F.col("doc_id").isin(*sorted(unlabelled))) if unlabelled else annotated


def _written(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*map(plain_label, labels), OTHER}))


def _require(counts: "VectorCounts") -> None:
    """Refuse a table that holds anything else than noisy vectors, casings and known tags; raises GateRefused."""
    holds = counts.wrong == 0 and counts.rows > 0
    evidence = ", ".join(f"{name} {value}" for name, value in counts._asdict().items())
    result = Assessment(ASSESSMENT, "", float(counts.wrong), 0.0, holds, evidence)
    reasons = () if holds else (f"{counts.wrong} of {counts.rows} rows are not valid vectors ({evidence})",)
    require([AssessmentResult(result, reasons)], expected=[ASSESSMENT])


def _manifest(
    representation: "PublishedRepresentation",
    labels: tuple[str, ...],
    counts: "VectorCounts",
    documents: int,
    started: datetime,
) -> Mapping[str, Any]:
    return {
        "kind": "table",
        "rows": counts.rows,
        "columns": list(VECTOR_SENTENCES.names),
        "vectors": {
            "representation": representation.digest,
            "store": representation.settings.store,
            "neighbours": representation.settings.neighbours,
            "dimensions": representation.outputs,
            "documents": documents,
            "tokens": counts.tokens,
            "labels": list(labels),
        },
        "assessments": [{"guarantee": ASSESSMENT, "value": counts.wrong, "threshold": 0, "satisfied": True}],
        "versions": {"spark_deid": VERSION},
        "times": {"started": started.isoformat(), "finished": datetime.now(UTC).isoformat()},
    }
