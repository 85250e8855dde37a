"""From edits to a release: check, describe, publish."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.edit import Edit
from spark_deid.core.guarantee import Assessment
from spark_deid.evaluation.score import Scores
from spark_deid.greedy.files import model_summary, read_training_report
from spark_deid.guarantees.gate import COVERAGE, coverage_assessment, require
from spark_deid.plan.config import PlanSettings, RepeatsSettings
from spark_deid.plan.corpus import Corpus
from spark_deid.plan.execute import Clock, Outcome, Progress
from spark_deid.plan.guarantees import assessments_of, certificate_of, expected_guarantees
from spark_deid.plan.recount import recount
from spark_deid.plan.secret import Secret
from spark_deid.release.manifest import InputRecord, Manifest, ModelRecord, Times, Words, release_view, write_json
from spark_deid.release.publish import publish
from spark_deid.release.spark.content import Content, measure
from spark_deid.release.spark.tables import write_absent, write_rows
from spark_deid.release.workspace import Places
from spark_deid.repeats.settings import Counted
from spark_deid.repeats.spark.comparison import compare, compare_decisions
from spark_deid.repeats.spark.recount import GUARANTEE, Claim
from spark_deid.repeats.spark.recount import recount as count_again
from spark_deid.repeats.spark.search import choose_unit
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import excerpt
from spark_deid.report.render import excerpts_page, release_report
from spark_deid.rewriting.spark.identifiers import key_ids
from spark_deid.rewriting.spark.operators import published_of_decisions

FILE_NAMED_FORMATS = ("text", "brat", "i2b2-2014", "hide")


@dataclass(frozen=True)
class Delivery:
    """What a release was made of."""

    manifest: Manifest
    scores: Scores | None


def deliver(
    settings: PlanSettings,
    outcome: Outcome,
    places: Places,
    secret: Secret,
    *,
    plan: Mapping[str, Any],
    fingerprint: str,
    started: datetime,
    progress: Progress,
) -> Delivery:
    """Check the rewritten texts another way, and publish; what is checked is what is published.

    Raises GateRefused where a check fails; then there is no release.
    """
    corpus = outcome.corpus
    clock = Clock(progress)
    published = published_of_decisions(outcome.decisions)
    clock.start("check", "check every document")
    found, content = _count_by_source(corpus.spans), measure(corpus.documents)
    scored = "gold" in found and "gold" not in settings.sources
    faults, scores, agreed = recount(outcome.decisions, corpus, content, sources=settings.sources, scored=scored)
    compared = compare_decisions(outcome.decisions) if agreed else compare(corpus.documents, published, corpus.edits)
    assessments = (coverage_assessment(faults), *assessments_of(settings), *_recounted(settings, corpus, compared))
    write_rows(assessments, places.workspace, "assessments")
    write_absent(places.workspace)
    outcome = replace(outcome, seconds=outcome.seconds | clock.stop())
    manifest = _manifest(settings, outcome, content, found, assessments, plan, fingerprint, started)
    _write_excerpts(settings, outcome, places)
    workspace_manifest = manifest.to_json() | ({"evaluation": scores.to_json()} if scores else {})
    places.workspace.folder.write("manifest.json", write_json(workspace_manifest).encode())
    require(faults, documents=outcome.totals.documents, assessments=assessments, expected=expected_of(settings))
    progress("publish")
    let_out = _columns_let_out(settings, published, secret)
    view = release_view(manifest, secret.key)
    report = ReportData(
        manifest=view,
        evaluation=scores.to_json() if scores else None,
        training=read_training_report(settings.model) if settings.model else None,
    )
    publish(let_out, places.release, view, release_report(report))
    return Delivery(manifest, scores)


def expected_of(settings: PlanSettings) -> tuple[str, ...]:
    """Name the guarantees that a plan's release must be shown to hold."""
    rare = (GUARANTEE,) if "repeats" in settings.sources else ()
    return (COVERAGE, *rare, *expected_guarantees(settings))


def _recounted(settings: PlanSettings, corpus: Corpus, compared: DataFrame) -> tuple[Assessment, ...]:
    if settings.repeats is None or "repeats" not in settings.sources:
        return ()
    unit = choose_unit(corpus.documents, settings.repeats.unit)
    claim = Claim(settings.repeats.k, unit, Counted(settings.repeats.strict), settings.placeholders)
    return (count_again(compared, claim),)


def _write_excerpts(settings: PlanSettings, outcome: Outcome, places: Places) -> None:
    """Show originals beside what became of them, in the workspace alone; the first documents by id that have edits."""
    if not settings.report.excerpts:
        return
    documents, edits = outcome.corpus.documents, outcome.corpus.edits
    nested = edits.groupBy("doc_id").agg(F.collect_list(F.struct(*Edit._fields)).alias("edits"))
    chosen = documents.join(nested, on="doc_id", how="inner").orderBy("doc_id").limit(settings.report.excerpts)
    rows = chosen.select("doc_id", "text", "edits").collect()
    excerpts = [excerpt(row["doc_id"], row["text"], [Edit(*edit) for edit in row["edits"]]) for row in rows]
    places.workspace.folder.write("excerpts.html", excerpts_page(excerpts).encode())


def _columns_let_out(settings: PlanSettings, published: DataFrame, secret: Secret) -> DataFrame:
    """Select what the release holds: ids, text, and the metadata that the plan names."""
    named = [
        F.col("subject_id") if name == "subject_id" else F.col("meta").getItem(name).alias(name)
        for name in settings.metadata
    ]
    chosen = published.select("doc_id", "text", *named)
    return key_ids(chosen, key=secret.key) if settings.release_ids == "keyed" else chosen


def _manifest(
    settings: PlanSettings,
    outcome: Outcome,
    content: Content,
    found: Mapping[str, Mapping[str, int]],
    assessments: tuple[Assessment, ...],
    plan: Mapping[str, Any],
    fingerprint: str,
    started: datetime,
) -> Manifest:
    corpus, totals = outcome.corpus, outcome.totals
    certificate = certificate_of(settings)
    return Manifest(
        plan=plan,
        fingerprint=fingerprint,
        inputs=(
            InputRecord(
                path=settings.input.path,
                format=settings.input.format,
                documents=content.documents,
                characters=content.characters,
                content=content.digest,
                inventory=outcome.reading.inventory.counts(),
                delta_version=outcome.reading.delta_version,
            ),
        ),
        times=Times(_iso(started), _iso(datetime.now(UTC)), tuple(outcome.seconds.items())),
        words=Words(totals.words, totals.published_words),
        documents=totals.documents,
        rejects=_count(corpus.rejects, "reason"),
        spans=found,
        edits=_count(corpus.edits, "replacement"),
        counts_by="subject" if content.subjects else "document",
        models=_models(settings),
        assessments=assessments,
        warnings=warnings_of(settings, outcome),
        passed_over=outcome.reading.inventory.passed_over,
        gold_unedited=0 if "gold" in settings.sources else totals.gold_unedited,
        public_plan=public_plan(settings),
        residual_risk=certificate.to_json() if certificate else {},
    )


def public_plan(settings: PlanSettings) -> dict[str, Any]:
    """Return what of a plan may leave the house: no paths, term lists or secrets."""
    kinds = settings.patterns.kinds if settings.patterns else ()
    return {
        "format": settings.input.format,
        "sources": list(settings.sources),
        "patterns": kinds if isinstance(kinds, str) else list(kinds),
        "custom_patterns": len(settings.patterns.custom) if settings.patterns else 0,
        "context": {label: each.model_dump() for label, each in settings.context.items()},
        "repeats": _in_words(settings.repeats),
        "decoding": settings.decoding,
        "release_ids": settings.release_ids,
        "metadata": list(settings.metadata),
        "listed_placeholders": len(settings.placeholders),
    }


def _in_words(repeats: RepeatsSettings | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in repeats.model_dump(mode="json").items()) if repeats else ""


def warnings_of(settings: PlanSettings, outcome: Outcome) -> tuple[str, ...]:
    """Say what the user should know about a run that went well."""
    found = []
    if outcome.totals.gold_unedited and "gold" not in settings.sources:
        found.append(
            f"{outcome.totals.gold_unedited} imported annotations keep an unedited word: sources does not name gold"
        )
    is_named_by_file = settings.input.format in FILE_NAMED_FORMATS or outcome.totals.named_by_file
    if settings.release_ids == "keep" and is_named_by_file:
        found.append("document ids hold file names, which may name persons: release_ids: keyed replaces them by hashes")
    if passed_over := outcome.reading.inventory.passed_over:
        found.append(
            f"{passed_over} files were passed over, for their suffixes or hidden names: the workspace's manifest has "
            "the counts"
        )
    return tuple(found)


def _models(settings: PlanSettings) -> tuple[ModelRecord, ...]:
    if settings.model is None:
        return ()
    summary = model_summary(settings.model)
    return (ModelRecord(str(settings.model), summary.hash, summary.labels, summary.rounds),)


def _count(rows: DataFrame, column: str) -> dict[str, int]:
    return {row[column]: row["count"] for row in rows.groupBy(column).count().orderBy(column).collect()}


def _count_by_source(spans: DataFrame) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in spans.groupBy("source", "label").count().orderBy("source", "label").collect():
        found.setdefault(row["source"], {})[row["label"]] = row["count"]
    return found


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
