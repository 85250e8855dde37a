"""Submit `spark-deid detect`: spark-submit [OPTIONS OF SPARK] jobs/detect.py [OPTIONS OF detect]."""

from spark_deid.cli.submission import submit

submit("detect")
