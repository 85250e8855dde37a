"""Recount the privacy models of a table."""

from functools import partial

from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import Claim
from spark_deid.anonymity.risk import risk_of
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.figures import Beside
from spark_deid.anonymity.spark.reading import read_table
from spark_deid.app.assessing import AssessTableOptions
from spark_deid.app.figures import AssessedTable


def assess_columns(spark: SparkSession, options: AssessTableOptions, claim: Claim) -> AssessedTable:
    """Recount a table's claim."""
    read = partial(read_table, spark, delimiter=options.delimiter)
    population, previous = (None if place is None else read(place) for place in (options.population, options.previous))
    recount = assess_table(read(options.table), claim, Beside(population, previous))
    return AssessedTable(
        table=options.table,
        classes=recount.classes,
        rows=recount.rows,
        persons_in_several_classes=recount.persons_in_several_classes,
        satisfied=recount.satisfied,
        risk=vars(risk_of(recount.sizes)),
        assessments=tuple(each.assessment._asdict() for each in recount.assessed),
    )
