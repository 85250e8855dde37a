"""Submit `spark-deid synthesize`: spark-submit [OPTIONS OF SPARK] jobs/synthesize.py [OPTIONS OF synthesize]."""

from spark_deid.cli.submission import submit

submit("synthesize")
