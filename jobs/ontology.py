"""Submit `spark-deid ontology`: spark-submit [OPTIONS OF SPARK] jobs/ontology.py [OPTIONS OF ontology]."""

from spark_deid.cli.submission import submit

submit("ontology")
