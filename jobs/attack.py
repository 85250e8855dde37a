"""Submit `spark-deid attack`: spark-submit [OPTIONS OF SPARK] jobs/attack.py [OPTIONS OF attack]."""

from spark_deid.cli.submission import submit

submit("attack")
