"""Submit `spark-deid synthesize`: spark-submit [OPTIONS OF SPARK] jobs/synthesize.py [OPTIONS OF synthesize]."""

import sys

from spark_deid.cli import main

main(["synthesize", *sys.argv[1:]])
