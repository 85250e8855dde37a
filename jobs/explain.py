"""Submit `spark-deid explain`: spark-submit [OPTIONS OF SPARK] jobs/explain.py [OPTIONS OF explain]."""

import sys

from spark_deid.cli import main

main(["explain", *sys.argv[1:]])
