"""Submit `spark-deid run`: spark-submit [OPTIONS OF SPARK] jobs/run.py [OPTIONS OF run]."""

import sys

from spark_deid.cli import main

main(["run", *sys.argv[1:]])
