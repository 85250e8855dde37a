"""Submit `spark-deid convert`: spark-submit [OPTIONS OF SPARK] jobs/convert.py [OPTIONS OF convert]."""

import sys

from spark_deid.cli import main

main(["convert", *sys.argv[1:]])
