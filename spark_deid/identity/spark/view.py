"""Operators: the identifier view, a row a person and attribute, from mentions and a table of the same persons."""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.errors import CorpusError
from spark_deid.identity.settings import IdentitySettings, TableSettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.structured import structured_values

VALUES = ("person", "attribute", "value")


def view_of(
    mentions: DataFrame, structured: DataFrame | None, identity: IdentitySettings, staying: Collection[str] = ()
) -> DataFrame:
    """Return what is known of persons (columns of VALUES): one value of an attribute, all values of a sensitive one.

    Of several values the table's wins, then a whole date, then the one that most documents tell, then the one with most
    mentions, then the least. Of sensitive attributes that are ``staying`` in the texts values of the table are not
    counted, since nothing shows them.
    """
    result = mentions.where(F.col("value").isNotNull()).groupBy(*VALUES)
    counted = result.agg(F.countDistinct("doc_id").alias("documents"), F.count(F.lit(1)).alias("mentions"))
    counted = counted.withColumn("given", F.lit(0))
    if structured is not None:
        known = structured.where(~F.col("attribute").isin(*staying)) if staying else structured
        counted = counted.unionByName(
            known.withColumns({name: F.lit(1) for name in ("documents", "mentions", "given")})
        )
    is_sensitive = F.col("attribute").isin(*identity.roles.sensitive)
    single = counted.where(~is_sensitive).groupBy(PERSON, "attribute").agg(F.min(_order(identity)).alias("first"))
    several = counted.where(is_sensitive).select(*VALUES).distinct()
    return single.select(PERSON, "attribute", F.col("first.value").alias("value")).unionByName(several)


def _order(identity: IdentitySettings) -> Column:
    dates = [name for name in {*identity.attributes.values()} if identity.kind(name) == "date"]
    partial = F.col("attribute").isin(*dates) & (F.length("value") != len("2001-06-22"))
    partial = F.coalesce(partial | F.col("value").startswith("-"), F.lit(False))
    return F.struct(
        (-F.col("given")).alias("given"),
        partial.alias("partial"),
        (-F.col("documents")).alias("documents"),
        (-F.col("mentions")).alias("mentions"),
        "value",
    )


def known_of_table(spark: SparkSession, identity: IdentitySettings, persons: DataFrame) -> DataFrame | None:
    """Return the values of the plan's table for persons that have documents (columns of VALUES); None without a table.

    Raises CorpusError where the table can't be read or lacks its columns.
    """
    table: TableSettings | None = identity.table
    if table is None:
        return None
    if identity.link == "document":
        raise CorpusError("identity.table: its key is a subject: it needs link: subject or splink")
    return structured_values(spark, table, identity).join(persons.select(PERSON), on=PERSON, how="left_semi")
