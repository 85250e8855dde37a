"""Submit `spark-deid experiment`: spark-submit [OPTIONS OF SPARK] jobs/experiment.py NAME [OPTIONS OF experiment]."""

import sys

from spark_deid.cli import main

main(["experiment", *sys.argv[1:]])
