"""What a session knows of S3, for files that its driver and its workers open by pyarrow."""

from pyspark.sql import SparkSession

from spark_deid.engine.hadoop import s3_properties
from spark_deid.storage.s3 import NO_S3_SETTINGS, S3Settings, is_s3


def s3_settings_of(spark: SparkSession, path: str) -> S3Settings:
    """Return Hadoop's settings ``fs.s3a.*`` of a session for a path of S3, and none for another.

    Keys that Hadoop keeps in stores of credentials (``hadoop.security.credential.provider.path``) are read as well.
    """
    if not is_s3(path):
        return NO_S3_SETTINGS
    bucket = path.partition("://")[2].partition("/")[0]
    return S3Settings(tuple(sorted(s3_properties(spark, bucket).items())))
