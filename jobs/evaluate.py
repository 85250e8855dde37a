"""Submit `spark-deid evaluate`: spark-submit [OPTIONS OF SPARK] jobs/evaluate.py [OPTIONS OF evaluate]."""

import sys

from spark_deid.cli import main

main(["evaluate", *sys.argv[1:]])
