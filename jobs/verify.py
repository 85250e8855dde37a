"""Submit `spark-deid verify`: spark-submit [OPTIONS OF SPARK] jobs/verify.py [OPTIONS OF verify]."""

from spark_deid.cli.submission import submit

submit("verify")
