"""Submit `spark-deid experiment`: spark-submit [OPTIONS OF SPARK] jobs/experiment.py NAME [OPTIONS OF experiment]."""

from spark_deid.cli.submission import submit

submit("experiment")
