"""Submit `spark-deid repeats`: spark-submit [OPTIONS OF SPARK] jobs/repeats.py [OPTIONS OF repeats]."""

from spark_deid.cli.submission import submit

submit("repeats")
