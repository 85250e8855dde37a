from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark_deid.core.errors import CorpusError
from spark_deid.corpus.spark.read import read_corpus
from spark_deid.corpus.spark.store import store_corpus
from spark_deid.corpus.spark.write import write_corpus
from spark_deid.storage.spark.records import s3_settings_of
from tests.conftest import S3Server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOTES = "s3a://hospital/notes"


def _session(spark: SparkSession, s3: S3Server, **changes: str) -> SparkSession:
    session = spark.newSession()
    for name, value in (s3.settings | changes).items():
        session.conf.set(name, value)
    return session


def test_workers_read_and_write_s3_with_the_settings_of_the_session(
    spark: SparkSession, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "another")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    session = _session(spark, s3)

    reading = read_corpus(session, NOTES, "jsonl", range_bytes=30_000)
    texts = {row.text for row in reading.documents.select("text").collect()}
    write_corpus(reading.documents, None, "s3a://hospital/texts", "text")
    folders = {name: str(tmp_path / name) for name in ("documents", "imported", "rejects")}
    for folder in folders.values():
        Path(folder).mkdir()
    stored = store_corpus(session, "s3a://hospital/texts", "text", folders)

    assert len(texts) == 40
    assert stored.inventory.documents == 40
    assert not reading.inventory.rejects
    with pytest.raises(CorpusError, match="expected a new or an empty folder"):
        write_corpus(reading.documents, None, "s3a://hospital/texts", "text")


def test_another_secret_is_refused_and_not_shown(spark: SparkSession, s3: S3Server) -> None:
    session = _session(spark, s3, **{"fs.s3a.secret.key": "unheard-of"})
    with pytest.raises(CorpusError, match=r"s3a://hospital/notes: can't be listed \(S3: ACCESS_DENIED\)") as refused:
        read_corpus(session, NOTES, "jsonl")
    assert "unheard" not in str(refused.value)


def test_a_store_of_credentials_and_settings_of_a_bucket_are_read(spark: SparkSession, tmp_path: Path) -> None:
    store = f"localjceks://file{tmp_path}/keys.jceks"
    session = spark.newSession()
    session.conf.set("hadoop.security.credential.provider.path", store)
    session.conf.set("fs.s3a.bucket.hospital.endpoint", "http://near")
    hadoop = session._jsparkSession.sessionState().newHadoopConf()
    factory = spark._jvm.org.apache.hadoop.security.alias.CredentialProviderFactory
    provider = factory.getProviders(hadoop).get(0)
    letters = spark.sparkContext._gateway.new_array(spark._jvm.char, 4)
    letters[0], letters[1], letters[2], letters[3] = "kept"
    provider.createCredentialEntry("fs.s3a.secret.key", letters)
    provider.flush()

    found = s3_settings_of(session, NOTES).of_bucket("hospital")

    assert (found["secret.key"], found["endpoint"]) == ("kept", "http://near")
    assert not s3_settings_of(session, "/data/notes").pairs
