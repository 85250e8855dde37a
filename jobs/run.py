"""Submit `spark-deid run`: spark-submit [OPTIONS OF SPARK] jobs/run.py [OPTIONS OF run]."""

from spark_deid.cli.submission import submit

submit("run")
