"""Submit `spark-deid assess`: spark-submit [OPTIONS OF SPARK] jobs/assess.py [OPTIONS OF assess]."""

import sys

from spark_deid.cli import main

main(["assess", *sys.argv[1:]])
