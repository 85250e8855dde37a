"""Submit `spark-deid explain`: spark-submit [OPTIONS OF SPARK] jobs/explain.py [OPTIONS OF explain]."""

from spark_deid.cli.submission import submit

submit("explain")
