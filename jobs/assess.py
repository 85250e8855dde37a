"""Submit `spark-deid assess`: spark-submit [OPTIONS OF SPARK] jobs/assess.py [OPTIONS OF assess]."""

from spark_deid.cli.submission import submit

submit("assess")
