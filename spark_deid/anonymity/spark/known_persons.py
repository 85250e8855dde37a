"""Who is who in a release, and what classes persons were released in before: for a private workspace alone."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark import classes
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.persons import hash_persons
from spark_deid.core.errors import UsageError
from spark_deid.engine import functions as F
from spark_deid.engine.tables import read_files
from spark_deid.storage.delta_log import added_files
from spark_deid.storage.folder import LocalFolder

KNOWN = "persons"
"""The folder of a workspace that has the table of them."""
PERSON, PUBLISHED, BEFORE, SIGNATURE = "person", "published", "before", "signature"
COLUMNS = f"{PERSON} string, {PUBLISHED} string, {BEFORE} array<string>, {SIGNATURE} array<string>"
"""A person as the input names it; the id in the release, null where it has no row of the person; the values of the
person's class in earlier releases, and in the latest with a row of the person. A made-up id has no person."""


def known_persons(
    table: DataFrame,
    rows: DataFrame,
    claim: PrivacyClaim,
    release_key: bytes,
    previous: DataFrame | None = None,
    *,
    signed: bool = False,
) -> DataFrame:
    """Tell who is who (COLUMNS): the persons of a table and of earlier releases, and the ids of the rows as published.

    ``rows`` are those of the release, ``claim`` is theirs; ``signed`` tells that the values of classes are to be kept.
    """
    named = table.select(column(claim.person or "").cast("string").alias(PERSON)).dropna().distinct()
    ids = hash_persons(named.withColumn(PUBLISHED, F.col(PERSON)), PUBLISHED, release_key)
    here = _signed(rows, claim) if signed else _unsigned(rows, claim)
    both = ids.join(here, on=PUBLISHED, how="full_outer")
    both = both.withColumn(PUBLISHED, F.when(F.col("is_there"), F.col(PUBLISHED))).drop("is_there")
    if previous is None:
        joined = both.withColumn(BEFORE, F.lit(None).cast("array<string>"))
    else:
        earlier = previous.where(F.col(PERSON).isNotNull()).select(PERSON, F.col(SIGNATURE).alias(BEFORE))
        joined = both.join(earlier, on=PERSON, how="full_outer")
    return joined.select(PERSON, PUBLISHED, BEFORE, F.coalesce(BEFORE, SIGNATURE).alias(SIGNATURE))


def _signed(rows: DataFrame, claim: PrivacyClaim) -> DataFrame:
    values = classes.find_signatures(classes.rows_of(rows, claim), "sensitive_0", SIGNATURE)
    texts = F.transform(SIGNATURE, lambda each: each[classes.VALUE]).alias(SIGNATURE)
    return values.select(F.col(classes.PERSON).alias(PUBLISHED), texts, F.lit(True).alias("is_there"))


def _unsigned(rows: DataFrame, claim: PrivacyClaim) -> DataFrame:
    ids = rows.select(column(claim.person or "").alias(PUBLISHED)).distinct()
    return ids.select(PUBLISHED, F.lit(None).cast("array<string>").alias(SIGNATURE), F.lit(True).alias("is_there"))


def read_known_persons(spark: SparkSession, workspace: str, option: str) -> DataFrame:
    """Read who is who (COLUMNS) from the workspace of a run; raises UsageError, by the option, where it has none."""
    folder = LocalFolder(Path(workspace) / KNOWN)
    check_known_persons(workspace, option)
    paths = [f"{folder.path}/{name}" for name in added_files(folder)]
    return read_files(spark, paths, COLUMNS) if paths else spark.createDataFrame([], COLUMNS)


def check_known_persons(workspace: str, option: str) -> None:
    """Raise UsageError where a folder is not the workspace of a run that says who is who."""
    if not (Path(workspace) / KNOWN / "_delta_log").is_dir():
        raise UsageError(
            f"{option}: {workspace}: expected the workspace of an earlier release, because it has the people"
        )
