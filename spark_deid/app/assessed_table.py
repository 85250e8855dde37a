"""Recount the privacy models of a table."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import NO_TYPES, TYPES, read_types
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.forms import ReadingRules, with_forms
from spark_deid.anonymity.spark.known_persons import read_known_persons
from spark_deid.anonymity.spark.persons import equate_ids, spelling_warning
from spark_deid.anonymity.spark.usable import make_usable, unfold_lists
from spark_deid.app.figures import TableAssessmentFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.pipeline.table_folder import TablePlaces
from spark_deid.storage.table_files import missing_columns
from spark_deid.values.locale import is_day_first

if TYPE_CHECKING:
    from spark_deid.app.options.assessing import AssessTableOptions


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
    counted = assess_table(seen.table, claim, ReferenceTables(people, known))
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
