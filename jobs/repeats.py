"""Submit `spark-deid repeats`: spark-submit [OPTIONS OF SPARK] jobs/repeats.py [OPTIONS OF repeats]."""

import sys

from spark_deid.cli import main

main(["repeats", *sys.argv[1:]])
