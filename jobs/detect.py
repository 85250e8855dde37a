"""Submit `spark-deid detect`: spark-submit [OPTIONS OF SPARK] jobs/detect.py [OPTIONS OF detect]."""

import sys

from spark_deid.cli import main

main(["detect", *sys.argv[1:]])
