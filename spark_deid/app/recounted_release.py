"""Recount what a release shows."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from spark_deid.app.sessions import read_table
from spark_deid.app.verified_release import checked_release, compare_texts, has_keyed_ids
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window
from spark_deid.release.commit import DOCUMENTS
from spark_deid.repeats.recount.pieces import is_star
from spark_deid.repeats.settings import CountedText
from spark_deid.repeats.spark.compared_texts import compare_with_itself, pair_documents
from spark_deid.repeats.spark.recount import MAX_RUNS, RepeatClaim, recount
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.storage.folder import folder_at

if TYPE_CHECKING:
    from spark_deid.app.options.assessing import AssessReleaseOptions


def recount_release(spark: SparkSession, options: "AssessReleaseOptions") -> Assessment:
    """Assess a release against its workspace, or by itself.

    By itself its placeholders are known by the looks that its manifest lists; else by the places of the edits. Where
    its ids are keyed, documents are known by their texts. Raises ReleaseError where the release is damaged.
    """
    manifest = checked_release(options.release, options.workspace, spark)
    texts = read_table(spark, options.release, DOCUMENTS).select("doc_id", "text")
    counted = CountedText.PUBLISHED if options.published else CountedText.ORIGINAL
    most = MAX_RUNS if options.sample is None else options.sample
    k, unit, workspace = options.k, options.unit, options.workspace
    if workspace is None:
        looks = tuple(look for look in _placeholders(manifest) if not is_star(look))
        return recount(compare_with_itself(texts), RepeatClaim(k, unit, counted, looks), max_runs=most)
    claim = RepeatClaim(k, unit, counted, _listed_placeholders(workspace, spark))
    originals, edits = (read_table(spark, workspace, name) for name in ("documents", "edits"))
    compare_texts(spark, options.release, workspace, manifest)
    if has_keyed_ids(manifest):
        texts = _with_own_ids(texts, rewrite(originals, edits).select("doc_id", "text"))
    return recount(pair_documents(originals, texts, edits), claim, max_runs=most)


def _placeholders(manifest: Mapping[str, object]) -> tuple[str, ...]:
    """Return the placeholders that a release says it wrote; older ones counted their edits by them."""
    written = manifest.get("placeholders", manifest.get("edits"))
    return tuple(written) if isinstance(written, list | dict) else ()


def _with_own_ids(texts: DataFrame, rewritten: DataFrame) -> DataFrame:
    """Give released texts the ids of the originals that become the same; of equal ones it does not matter which.

    A text that no original becomes keeps its keyed id, and so is counted whole, without edits.
    """
    copy = F.row_number().over(Window.partitionBy("text").orderBy("doc_id")).alias("copy")
    released = texts.select(F.col("doc_id").alias("keyed"), "text", copy)
    joined = released.join(rewritten.select("doc_id", "text", copy), on=["text", "copy"], how="left")
    return joined.select(F.coalesce("doc_id", F.concat(F.lit("keyed:"), "keyed")).alias("doc_id"), "text")


def _listed_placeholders(workspace: str, spark: SparkSession) -> tuple[str, ...]:
    """Return the words that the plan of a workspace lists as placeholders; `repeats` alone has none."""
    manifest = folder_at(workspace, spark).read("manifest.json")
    plan = json.loads(manifest).get("plan", {}) if manifest is not None else {}
    return tuple(plan.get("placeholders", ()))
