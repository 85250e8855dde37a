"""Submit `spark-deid convert`: spark-submit [OPTIONS OF SPARK] jobs/convert.py [OPTIONS OF convert]."""

from spark_deid.cli.submission import submit

submit("convert")
