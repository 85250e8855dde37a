"""Submit `spark-deid attack`: spark-submit [OPTIONS OF SPARK] jobs/attack.py [OPTIONS OF attack]."""

import sys

from spark_deid.cli import main

main(["attack", *sys.argv[1:]])
