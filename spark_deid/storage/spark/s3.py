"""What a session knows of S3, for files that its driver and its workers open by pyarrow."""

from typing import Any

from pyspark.sql import SparkSession

from spark_deid.storage.s3 import NO_S3_SETTINGS, S3Settings, is_s3

_PREFIX = "fs.s3a."
_SECRETS = ("access.key", "secret.key", "session.token")


def s3_settings_of(spark: SparkSession, path: str) -> S3Settings:
    """Return Hadoop's settings ``fs.s3a.*`` of a session for a path of S3, and none for another.

    Keys that Hadoop keeps in stores of credentials (``hadoop.security.credential.provider.path``) are read as well.
    """
    if not is_s3(path):
        return NO_S3_SETTINGS
    session: Any = spark
    hadoop = session._jsparkSession.sessionState().newHadoopConf()
    found = {str(name): str(value) for name, value in dict(hadoop.getPropsWithPrefix(_PREFIX)).items()}
    bucket = path.partition("://")[2].partition("/")[0]
    for name in (each for secret in _SECRETS for each in (secret, f"bucket.{bucket}.{secret}")):
        secret = hadoop.getPassword(_PREFIX + name)
        if secret is not None:
            found[name] = "".join(secret)
    return S3Settings(tuple(sorted(found.items())))
