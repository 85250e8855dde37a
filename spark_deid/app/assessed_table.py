"""Recount the privacy models of a table."""

from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import Claim
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.reading import read_table
from spark_deid.app.assessing import AssessTableOptions
from spark_deid.app.figures import AssessedTable


def assess_columns(spark: SparkSession, options: AssessTableOptions, claim: Claim) -> AssessedTable:
    """Recount a table's claim."""
    recount = assess_table(read_table(spark, options.table, delimiter=options.delimiter), claim)
    return AssessedTable(
        table=options.table,
        classes=recount.classes,
        rows=recount.rows,
        persons_in_several_classes=recount.persons_in_several_classes,
        satisfied=recount.satisfied,
        assessments=tuple(each.assessment._asdict() for each in recount.assessed),
    )
