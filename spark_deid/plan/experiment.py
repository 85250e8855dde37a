"""Write what an experiment found."""

from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.release.folder import folder_at
from spark_deid.repeats.experiment.curves import Experiment, Outcome
from spark_deid.repeats.experiment.tables import edits_tables, figures, results_table
from spark_deid.report.render import repeats_experiment


def write_experiment(spark: SparkSession, outcome: Outcome, experiment: Experiment, output: str) -> dict[str, Any]:
    """Write Delta tables of results and edits, a chart and a page; return the page's figures."""
    told = figures(outcome, experiment)
    for name, table in (("results", results_table(outcome)), ("edits", pa.concat_tables(edits_tables(outcome)))):
        spark.createDataFrame(table).coalesce(1).write.format("delta").save(f"{output.rstrip('/')}/{name}")
    folder = folder_at(output, spark)
    page, chart = repeats_experiment(told)
    folder.write("curves.svg", chart.encode())
    folder.write("report.html", page.encode())
    return told
