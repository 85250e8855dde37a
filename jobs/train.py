"""Submit `spark-deid train`: spark-submit [OPTIONS OF SPARK] jobs/train.py [OPTIONS OF train]."""

import sys

from spark_deid.cli import main

main(["train", *sys.argv[1:]])
