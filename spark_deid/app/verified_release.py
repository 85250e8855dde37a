"""Check that a release is what was committed, and what its workspace makes of the originals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_deid.app.figures import VerificationFigures
from spark_deid.app.inputs import Progress
from spark_deid.app.restoring import has_originals, is_invented, reversing_parts
from spark_deid.app.sessions import open_session, read_table
from spark_deid.engine import functions as F
from spark_deid.release import commit
from spark_deid.release.commit import DOCUMENTS, TABLE, ChangedReleaseError, ReleaseError, has_digests
from spark_deid.release.record import compare, read_record
from spark_deid.release.workspace import finish_interrupted
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at

_SHOWN = 5

if TYPE_CHECKING:
    from spark_deid.app.options.assessing import VerifyOptions


def verify_release(options: "VerifyOptions", progress: Progress) -> VerificationFigures:
    """Check digests and versions; with a workspace, its record and texts too. Spark starts where something needs it.

    A workspace of a table of people, and one without texts to compare, have their record compared alone.
    """
    release, workspace = options.release, options.workspace
    parts: tuple[str, ...] | None = None
    compared = workspace is not None
    spark_needed = is_remote(release) or (workspace is not None and (is_remote(workspace) or not _is_table(release)))
    if not spark_needed:
        manifest = _verified(release, workspace, None, progress)
    else:
        with open_session("verify", options.master, release, progress=progress, engine=options.engine) as spark:
            manifest = _verified(release, workspace, spark, progress)
            if workspace is not None and manifest.get("kind") != "table":
                parts, compared = _turned_back(spark, release, workspace, manifest, progress)
    if workspace is None:
        progress(
            "without a workspace, verify cannot detect a change by someone who also recomputed the digests. "
            "Set --workspace to compare the release with the record of its run"
        )
    documents, rows = manifest.get("documents"), manifest.get("rows") if manifest.get("kind") == "table" else None
    return VerificationFigures(
        release,
        documents if isinstance(documents, int) else 0,
        compared,
        rows if isinstance(rows, int) else None,
        parts,
    )


def _turned_back(
    spark: SparkSession, release: str, workspace: str, manifest: Mapping[str, object], progress: Progress
) -> tuple[tuple[str, ...] | None, bool]:
    """Compare texts, and name what can turn made-up values back, None where there are none; tell whether texts were.

    Where somebody removed the originals, so that nobody can turn such a release back, there is nothing to compare.
    """
    parts: tuple[str, ...] | None = None
    if is_invented(manifest):
        place = folder_at(workspace, spark)
        parts = reversing_parts(place)
        progress(_reversible(parts))
        if not has_originals(place):
            progress(f"{workspace} has no originals with edits, so only its record is compared")
            return parts, False
    progress("apply the edits to the originals, and compare the result with the release")
    compare_texts(spark, release, workspace, manifest)
    return parts, True


def _reversible(parts: Sequence[str]) -> str:
    """Say what can turn a release back."""
    if not parts:
        return "spark_deid knows no remaining file with which surrogates can be reversed"
    return (
        "surrogates can be reversed as long as one of these files or a copy of it exists: "
        f"{', '.join(parts)}. If all are deleted, restore refuses, and no further corpus can use the same "
        "surrogates"
    )


def _is_table(release: str) -> bool:
    folder = folder_at(release)
    return bool(folder.child(TABLE).names()) and not folder.child(DOCUMENTS).names()


def _verified(
    release: str, workspace: str | None, spark: SparkSession | None, progress: Progress
) -> Mapping[str, object]:
    """Check digests, and the record of a workspace; tell of what else lies beside the release."""
    manifest = _with_digests(release, workspace, spark)
    folder = folder_at(release, spark)
    if strangers := commit.uncommitted_names(folder):
        names = ", ".join(map(repr, strangers[:_SHOWN]))
        more = f" and {len(strangers) - _SHOWN} more" if len(strangers) > _SHOWN else ""
        progress(
            f"warning: the folder of the release has files that were not committed and are not checked: {names}{more}"
        )
    if workspace is not None:
        place = folder_at(workspace, spark)
        record = read_record(place)
        if record is None:
            progress(
                f"warning: {workspace} has no record of its release, because an earlier version wrote it. "
                "verify cannot detect recomputed digests"
            )
        else:
            compare(record, folder, place)
    return manifest


def verified_locally(release: str, workspace: str, progress: Progress) -> None:
    """Check digests of a local release, and the record of its workspace, without Spark. Raises ReleaseError."""
    _verified(release, None if is_remote(workspace) else workspace, None, progress)


def _with_digests(release: str, workspace: str | None, spark: SparkSession | None) -> Mapping[str, object]:
    manifest = checked_release(release, workspace, spark)
    if not has_digests(release, spark=spark):
        raise ReleaseError(
            f"{release}: the commit has no digests of documents, report and log, because an earlier version "
            "wrote it. verify cannot detect changes of these files"
        )
    return manifest


def checked_release(release: str, workspace: str | None, spark: SparkSession | None) -> Mapping[str, object]:
    """Return the manifest of a release that is what was committed; first what a killed run left of it is cleaned up.

    Raises ReleaseError where there is no release, and ChangedReleaseError.
    """
    finish_interrupted(folder_at(release, spark), None if workspace is None else folder_at(workspace, spark))
    return commit.verify_release(release, spark=spark)


def compare_texts(spark: SparkSession, release: str, workspace: str, manifest: Mapping[str, object]) -> None:
    """Check that a workspace's edits of its originals are the texts of a release; one Spark job.

    Where ids are keyed, texts are compared without them. Raises ChangedReleaseError, which counts documents.
    """
    names = ["text"] if has_keyed_ids(manifest) else ["doc_id", "text"]
    originals, edits = (read_table(spark, workspace, name) for name in (DOCUMENTS, "edits"))
    made = rewrite(originals, edits).select(*names).withColumn("more", F.lit(1))
    shown = read_table(spark, release, DOCUMENTS).select(*names).withColumn("more", F.lit(-1))
    keys = (F.sha2(F.encode(name, "utf-8"), 256).alias(name) for name in names)
    digests = made.unionAll(shown).select(*keys, "more")
    differing = digests.groupBy(*names).agg(F.sum("more").alias("more")).where(F.col("more") != 0)
    row = differing.agg(
        F.coalesce(F.sum(F.greatest("more", F.lit(0))), F.lit(0)),
        F.coalesce(F.sum(F.greatest(-F.col("more"), F.lit(0))), F.lit(0)),
    ).collect()[0]
    if row[0] or row[1]:
        raise ChangedReleaseError(
            f"{release}: {row[0]} documents are missing or differ from the edits in {workspace}, and {row[1]} "
            "published documents do not result from these edits"
        )


def has_keyed_ids(manifest: Mapping[str, object]) -> bool:
    """Tell whether ids of a release are keyed hashes."""
    plan = manifest.get("plan")
    return isinstance(plan, dict) and plan.get("release_ids") == "keyed"
