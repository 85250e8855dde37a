"""Operator: the identifier view as a table that is released beside the texts: in the same classes, a row a person."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_deid.anonymity.spark.columns import column
from spark_deid.identity.settings import RolesSettings


def view_table(view: DataFrame, roles: RolesSettings) -> DataFrame:
    """Return what persons show of quasi-identifiers, and lists of their sensitive values (columns of the attributes).

    ``view`` has columns of IDENTIFIERS. Nothing names a person: rows are in the order of what they say.
    """
    shown = [F.max(_of(name, "generalized")).alias(name) for name in roles.quasi]
    held = [F.sort_array(F.collect_set(_of(name, "value"))).alias(name) for name in roles.sensitive]
    names = (*roles.quasi, *roles.sensitive)
    return view.groupBy("subject_id").agg(*shown, *held).select(*map(column, names)).orderBy(*map(column, names))


def _of(attribute: str, part: str) -> Column:
    return F.when(F.col("attribute") == attribute, F.col(part))
