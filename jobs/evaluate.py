"""Submit `spark-deid evaluate`: spark-submit [OPTIONS OF SPARK] jobs/evaluate.py [OPTIONS OF evaluate]."""

from spark_deid.cli.submission import submit

submit("evaluate")
