"""Submit `spark-deid train`: spark-submit [OPTIONS OF SPARK] jobs/train.py [OPTIONS OF train]."""

from spark_deid.cli.submission import submit

submit("train")
