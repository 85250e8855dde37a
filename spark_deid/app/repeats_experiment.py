"""Write what an experiment found."""

from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.repeats.experiment.curves import Outcome
from spark_deid.repeats.experiment.settings import Experiment
from spark_deid.repeats.experiment.sizes import Size
from spark_deid.repeats.experiment.tables import edits_tables, figures, results_table, sizes_table
from spark_deid.report.render import repeats_experiment
from spark_deid.storage.folder import folder_at


def write_experiment(
    spark: SparkSession, outcome: Outcome | None, measured: tuple[Size, ...], experiment: Experiment, output: str
) -> dict[str, Any]:
    """Write Delta tables of sizes, results and edits, charts and a page; return the page's figures."""
    told = figures(outcome, measured, experiment)
    tables = {"sizes": sizes_table(measured)}
    if outcome:
        tables |= {"results": results_table(outcome), "edits": pa.concat_tables(edits_tables(outcome))}
    for name, table in tables.items():
        spark.createDataFrame(table).coalesce(1).write.format("delta").save(f"{output.rstrip('/')}/{name}")
    folder = folder_at(output, spark)
    page, files = repeats_experiment(told)
    for name, content in files.items():
        folder.write(name, content)
    folder.write("report.html", page.encode())
    return told
