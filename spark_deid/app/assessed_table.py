"""Recount the privacy models of a table."""

from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.figures import ReferenceTables
from spark_deid.anonymity.spark.persons import alike, spelling_warning
from spark_deid.anonymity.spark.reading import read_table
from spark_deid.app.figures import TableAssessmentFigures
from spark_deid.app.inputs import Progress, silent

if TYPE_CHECKING:
    from spark_deid.app.assessing import AssessTableOptions


def assess_columns(
    spark: SparkSession, options: "AssessTableOptions", claim: PrivacyClaim, progress: Progress = silent
) -> TableAssessmentFigures:
    """Recount a table's claim."""
    read = partial(read_table, spark, delimiter=options.delimiter)
    population, previous = (None if place is None else read(place) for place in (options.population, options.previous))
    seen = alike(read(options.table), claim.person)
    if seen.respelled:
        progress(spelling_warning(seen.respelled, claim.person))
    before = None if previous is None else alike(previous, claim.person).table
    recount = assess_table(seen.table, claim, ReferenceTables(population, before))
    return TableAssessmentFigures(
        table=options.table,
        classes=recount.classes,
        rows=recount.rows,
        persons_in_several_classes=recount.persons_in_several_classes,
        respelled_ids=seen.respelled,
        satisfied=recount.satisfied,
        risk=vars(risk_of(recount.sizes)),
        assessments=tuple(each.assessment._asdict() for each in recount.assessed),
    )
