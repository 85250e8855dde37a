"""Try a finished release."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import NO_TYPES, TYPES, read_types
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.assessment import assess_table as recount_classes
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.forms import ReadingRules, with_forms
from spark_deid.anonymity.spark.known_persons import read_known_persons
from spark_deid.anonymity.spark.persons import equate_ids, spelling_warning
from spark_deid.anonymity.spark.usable import make_usable, unfold_lists
from spark_deid.app.attacked_release import attack_release
from spark_deid.app.figures import AttackFigures, ReleaseAssessmentFigures, TableAssessmentFigures, VerificationFigures
from spark_deid.app.inputs import (
    Progress,
    annotation_check,
    check_all,
    input_checks,
    no_progress,
    read_labelled,
    reading_check,
    table_checks,
)
from spark_deid.app.options.assessing import (
    AssessOptions,
    AssessReleaseOptions,
    AssessTableOptions,
    AttackOptions,
    VerifyOptions,
)
from spark_deid.app.private_files import write_private_file
from spark_deid.app.sessions import are_spread, open_session, processes_of, read_table, tasks_of
from spark_deid.app.tables import claim_of
from spark_deid.app.verified_release import checked_release, compare_texts, has_keyed_ids, verify_release
from spark_deid.core.document import Document
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window
from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
from spark_deid.greedy.attack.settings import AttackerSettings
from spark_deid.learners.background import uses_of
from spark_deid.learners.registry import LEARNERS
from spark_deid.pipeline.table_folder import TablePlaces
from spark_deid.release.commit import DOCUMENTS
from spark_deid.release.workspace import check_finished
from spark_deid.repeats.recount.pieces import is_star
from spark_deid.repeats.settings import CountedText
from spark_deid.repeats.spark.compared_texts import compare_with_itself, pair_documents
from spark_deid.repeats.spark.recount import MAX_RUNS, RepeatClaim, recount
from spark_deid.report.render import attack_page
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.storage.folder import folder_at
from spark_deid.storage.records import check_held
from spark_deid.storage.table_files import missing_columns
from spark_deid.values.locale import is_day_first


def attack(options: AttackOptions, progress: Progress = no_progress) -> AttackFigures:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn. Attackers learn in ``workers``
    processes of this machine, or as tasks of Spark on ``master``.
    """
    check_all(
        *input_checks(options.release, options.workspace),
        *reading_check(options.gold, options.format, options.options),
        *annotation_check(options.gold, options.format, options.options, options.unlabelled),
        *reading_check(options.public, options.public_format, options.public_options),
        *(partial(LEARNERS.find, name) for name in options.learners),
        partial(uses_of, options.background),
        partial(are_spread, "attack", options.master, options.workers),
    )
    check_finished(options.release, options.workspace)
    documents = read_labelled(options.gold, options.format, options.options, options.unlabelled, progress)
    others: tuple[Document, ...] = ()
    if options.public is not None:
        others = read_labelled(
            options.public, options.public_format or "", options.public_options, options.unlabelled, progress
        )
    config = AttackConfig(**options.of(AttackerSettings), public=public_examples(others, options.labels))
    spread = are_spread("attack", options.master, options.workers)
    with open_session("attack", options.master, options.gold, progress=progress, engine=options.engine) as spark:
        workers = tasks_of(spark) if spread else processes_of(options.workers)
        report = attack_release(spark, options, documents, config, workers=workers, progress=progress)
    if options.page is not None:
        write_private_file(options.page, attack_page(report))
    return AttackFigures(report)


def verify(options: VerifyOptions, progress: Progress = no_progress) -> VerificationFigures:
    """Check that a release is what was committed, and the text that the edits of its workspace make from the originals.

    Raises ReleaseError where there is no release, or one without digests, and ChangedReleaseError where it is another.
    """
    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    return verify_release(options, progress)


def assess(
    options: AssessOptions, progress: Progress = no_progress
) -> ReleaseAssessmentFigures | TableAssessmentFigures:
    """Recount a release or a table with another algorithm than the code that made it.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the recount.
    """
    if options.table is not None:
        return assess_table(AssessTableOptions(**options.given), progress)
    return assess_release(AssessReleaseOptions(**options.given), progress)


def assess_release(options: AssessReleaseOptions, progress: Progress = no_progress) -> ReleaseAssessmentFigures:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release.
    """
    check_all(*input_checks(options.release, options.workspace))
    check_finished(options.release, options.workspace)
    with open_session("assess", options.master, options.release, progress=progress, engine=options.engine) as spark:
        progress("recount")
        return ReleaseAssessmentFigures(*recount_release(spark, options))


def assess_table(options: AssessTableOptions, progress: Progress = no_progress) -> TableAssessmentFigures:
    """Recount the classes of a table by grouping it."""
    given = table_checks(options.table, options.population, dialect=options.dialect)
    check_all(*given, partial(claim_of, options), partial(missing_columns, options.options))
    missing = missing_columns(options.options)
    check_held(options.table, claim_of(options).columns, dialect=options.dialect, missing=missing)
    with open_session("assess", options.master, options.table, progress=progress, engine=options.engine) as spark:
        progress("recount")
        return assess_columns(spark, options, claim_of(options), progress)


# Recount the privacy models of a table.


def assess_columns(
    spark: SparkSession, options: "AssessTableOptions", claim: PrivacyClaim, progress: Progress = no_progress
) -> TableAssessmentFigures:
    """Recount a table's claim, as the step of a run that recodes one does."""
    places = TablePlaces(
        options.table,
        options.population,
        dialect=options.dialect,
        columns=claim.columns,
        quasi=claim.quasi,
        missing=missing_columns(options.options),
    )
    tables = places.read(spark)
    known = None
    if options.workspace is not None and any(
        ModelNeeds.WORKSPACE in each.kind.looked_at for each in claim.models.demands
    ):
        known = read_known_persons(spark, options.workspace, "--workspace")
    table, claim = unfold_lists(tables.table, claim)
    seen = equate_ids(make_usable(table, claim), claim.person)
    if seen.respelled:
        progress(spelling_warning(seen.respelled, claim.person))
    people = tables.population
    if people is not None:
        types = NO_TYPES if options.workspace is None else read_types(Path(options.workspace, TYPES))
        rules = ReadingRules(is_day_first(options.locale), datetime.now(UTC).date(), types, is_shared=True)
        read = with_forms(people, claim, rules)
        people = read.table
        for warning in read.warnings if not types else ():
            progress(f"--population: {warning}. Set --workspace to read the columns as the run that wrote the table")
    counted = recount_classes(seen.table, claim, ReferenceTables(people, known))
    return TableAssessmentFigures(
        table=options.table,
        classes=counted.classes,
        rows=counted.rows if table is tables.table else tables.table.count(),
        persons_in_several_classes=counted.persons_in_several_classes,
        respelled_ids=seen.respelled,
        satisfied=counted.satisfied,
        risk=vars(risk_of(counted.sizes)),
        assessments=tuple(each.assessment._asdict() for each in counted.assessed),
    )


# Recount what a release shows.


def recount_release(spark: SparkSession, options: "AssessReleaseOptions") -> Assessment:
    """Assess a release against its workspace, or without one.

    Without a workspace, the forms in the manifest show the placeholders; else the places of the edits show them. Where
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
    """Return the placeholders that a release lists; older ones counted their edits by them."""
    written = manifest.get("placeholders", manifest.get("edits"))
    return tuple(written) if isinstance(written, list | dict) else ()


def _with_own_ids(texts: DataFrame, rewritten: DataFrame) -> DataFrame:
    """Give released texts the ids of the originals that become the same; of equal ones it does not matter which.

    A text that belongs to no original keeps its keyed id. It is counted whole, without edits.
    """
    copy = F.row_number().over(Window.partitionBy("text").orderBy("doc_id")).alias("copy")
    released = texts.select(F.col("doc_id").alias("keyed"), "text", copy)
    joined = released.join(rewritten.select("doc_id", "text", copy), on=["text", "copy"], how="left")
    return joined.select(F.coalesce("doc_id", F.concat(F.lit("keyed:"), "keyed")).alias("doc_id"), "text")


def _listed_placeholders(workspace: str, spark: SparkSession) -> tuple[str, ...]:
    """Return the words that the plan of a workspace lists as placeholders; a plan of `repeats` only lists nothing."""
    manifest = folder_at(workspace, spark).read("manifest.json")
    plan = json.loads(manifest).get("plan", {}) if manifest is not None else {}
    return tuple(plan.get("placeholders", ()))
