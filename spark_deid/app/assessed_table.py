"""Recount the privacy models of a table."""

from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.persons import spelling_warning
from spark_deid.app.figures import TableAssessmentFigures
from spark_deid.app.inputs import Progress, silent
from spark_deid.pipeline.table_folder import TablePlaces
from spark_deid.pipeline.table_steps import recount, with_persons_alike

if TYPE_CHECKING:
    from spark_deid.app.assessing import AssessTableOptions


def assess_columns(
    spark: SparkSession, options: "AssessTableOptions", claim: PrivacyClaim, progress: Progress = silent
) -> TableAssessmentFigures:
    """Recount a table's claim, as the steps of a run that recodes one do."""
    places = TablePlaces(options.table, options.population, options.previous, options.delimiter)
    tables, respelled = with_persons_alike(places.read(spark), claim.person)
    if respelled:
        progress(spelling_warning(respelled, claim.person))
    counted = recount(tables.table, claim, tables)
    return TableAssessmentFigures(
        table=options.table,
        classes=counted.classes,
        rows=counted.rows,
        persons_in_several_classes=counted.persons_in_several_classes,
        respelled_ids=respelled,
        satisfied=counted.satisfied,
        risk=vars(risk_of(counted.sizes)),
        assessments=tuple(each.assessment._asdict() for each in counted.assessed),
    )
