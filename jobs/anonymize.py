"""Submit `spark-deid anonymize`: spark-submit [OPTIONS OF SPARK] jobs/anonymize.py [OPTIONS OF anonymize]."""

from spark_deid.cli.submission import submit

submit("anonymize")
