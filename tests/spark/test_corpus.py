import gzip
import json
import re
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.app.corpora import convert, rejects_table
from spark_deid.app.options.corpora import ConvertOptions
from spark_deid.app.sessions import tell_rejects
from spark_deid.core import tables
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.items import RANGE_BYTES
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.spark.parse import open_input
from spark_deid.corpus.spark.read import CorpusReading, read_corpus, write_corpus

GOOD = [("a", "I am Ann."), ("sub/b", "Grüße, 😀 Bo!\r\n"), ("c", " ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One good document and one of each bad kind, each named for its reason."""
    files = {
        "good.txt": "I am 😀 Ann.\r\n".encode(),
        "good.ann": b"T1\tNAME 7 10\tAnn\n",
        "again.txt": b"first",
        "again.txt.gz": gzip.compress(b"second"),
        "bytes.txt": b"a\xff",
        "nul.txt": b"a\0",
        "empty.txt": b"",
        "range.txt": b"Ann",
        "range.ann": b"T1\tNAME 0 4\tAnn\n",
        "surface.txt": b"Ann",
        "surface.ann": b"T1\tNAME 0 3\tBob\n",
        "torn.txt.gz": gzip.compress(b"text " * 100)[:-9],
        "alone.ann": b"T1\tNAME 0 3\tBob\n",
        "other.pdf": b"x",
        "_hidden.txt": b"x",
    }
    for name, data in files.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "in"


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(map(tuple, frame.collect()), key=repr)


def everything(reading: CorpusReading) -> tuple[object, ...]:
    return rows(reading.documents), rows(reading.spans), rows(reading.rejects), reading.inventory


def test_the_good_are_read_and_the_rest_is_rejected(spark: SparkSession, folder: Path) -> None:
    reading = read_corpus(spark, str(folder), "brat")
    assert rows(reading.documents) == [("again", None, "first", {}), ("good", None, "I am 😀 Ann.\r\n", {})]
    assert rows(reading.spans) == [("good", 7, 10, "NAME", None, "gold", None)]
    assert {row["source"]: row["reason"] for row in reading.rejects.collect()} == {
        "again.txt.gz": "duplicate-id",
        "alone.ann": "no-text",
        "bytes.txt": "invalid-utf8",
        "empty.txt": "empty",
        "nul.txt": "nul",
        "range.txt": "bad-annotation",
        "surface.txt": "bad-annotation",
        "torn.txt.gz": "unreadable",
    }
    told: list[str] = []
    tell_rejects(reading, told.append)
    assert [line.split(": ")[1] for line in told[:3]] == ["again.txt.gz", "alone.ann", "bytes.txt"]
    assert told[3] == "rejected: and 5 more"
    assert told[2].startswith("rejected: bytes.txt: expected UTF-8, byte ")
    assert reading.inventory.documents == 2
    assert reading.inventory.ignored == {".pdf": 1}
    assert reading.inventory.hidden == 1
    assert reading.inventory.rejects["duplicate-id"] == 1
    for frame, schema in ((reading.documents, tables.DOCUMENTS), (reading.spans, tables.SPANS)):
        assert frame.columns == schema.names


def test_spark_and_local_readers_agree(spark: SparkSession, folder: Path) -> None:
    reading, local = read_corpus(spark, str(folder), "brat"), read_documents(str(folder), "brat")
    assert rows(reading.rejects) == sorted(map(tuple, local.rejects), key=repr)
    assert reading.inventory == local.inventory


def test_partitions_and_stages_do_not_matter(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    def stage(parsed: DataFrame) -> DataFrame:
        parsed.write.parquet(str(tmp_path / "staged"))
        return spark.read.parquet(str(tmp_path / "staged"))

    whole = everything(read_corpus(spark, str(folder), "brat"))
    assert everything(read_corpus(spark, str(folder), "brat", stage=lambda parsed: parsed.repartition(7))) == whole
    assert everything(read_corpus(spark, str(folder), "brat", stage=lambda parsed: parsed.coalesce(1))) == whole
    assert everything(read_corpus(spark, str(folder), "brat", stage=stage)) == whole


def test_ranges_of_lines_give_what_the_local_reader_gives(spark: SparkSession, tmp_path: Path) -> None:
    lines = [json.dumps({"text": "é" * n, **({"doc_id": "x"} if n % 5 == 0 else {})}) for n in range(12)]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines[:6], "", "{", *lines[6:]]))
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    reading, local = read_corpus(spark, str(tmp_path), "jsonl", range_bytes=10), read_documents(str(tmp_path), "jsonl")
    assert [(row[0], row[2]) for row in rows(reading.documents)] == sorted((d.doc_id, d.text) for d in local.documents)
    assert rows(reading.rejects) == sorted(map(tuple, local.rejects), key=repr)
    assert reading.inventory == local.inventory


def test_one_file_is_shared_by_all_cores(spark: SparkSession, tmp_path: Path) -> None:
    cores = spark.sparkContext.defaultParallelism
    text = "x" * (1 << 20)
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps({'text': f'{n} {text}'})}\n" for n in range(3 * cores)))
    (tmp_path / "small.jsonl").write_text("".join(f"{json.dumps({'text': str(n)})}\n" for n in range(9)))
    jsonl = find_format("jsonl")
    for name, groups in (("a", cores), ("small", 1)):
        given = open_input(spark, str(tmp_path / f"{name}.jsonl"), jsonl, {}, RANGE_BYTES)
        assert len(given.groups) == groups
    stored = read_corpus(spark, str(tmp_path / "a.jsonl"), "jsonl").documents
    assert sorted(row[0] for row in stored.select("doc_id").collect()) == sorted(
        f"a.jsonl#{n}" for n in range(1, 3 * cores + 1)
    )


def test_ranges_of_mail_give_what_the_local_reader_gives(spark: SparkSession, tmp_path: Path) -> None:
    begin = "From a@b.c Mon Jan  1 10:30:00 2024\nFrom: a@b.c\n\n"
    (tmp_path / "a.mbox").write_text("".join(f"{begin}mail {n}\n{'x' * n * 9}\n\n" for n in range(8)))
    reading, local = read_corpus(spark, str(tmp_path), "mbox", range_bytes=60), read_documents(str(tmp_path), "mbox")
    assert [(row[0], row[2]) for row in rows(reading.documents)] == sorted((d.doc_id, d.text) for d in local.documents)
    assert reading.inventory == local.inventory


def documents_of(spark: SparkSession) -> DataFrame:
    values = [(doc_id, "p", text, {"k": "v"}) for doc_id, text in GOOD]
    return spark.createDataFrame(values, tables.ddl(tables.DOCUMENTS)).repartition(2, "doc_id")


def spans_of(spark: SparkSession) -> DataFrame:
    values = [("a", 5, 8, "NAME", None, "gold", None), ("sub/b", 9, 11, "NAME", None, "gold", None)]
    return spark.createDataFrame(values, tables.ddl(tables.SPANS))


@pytest.mark.parametrize(
    ("format", "keeps_spans", "keeps_rest"),
    [
        ("text", False, False),
        ("brat", True, False),
        ("jsonl", True, True),
        ("csv", False, True),
        ("conll", True, False),
        ("parquet", True, True),
        ("delta", True, True),
    ],
)
def test_what_was_written_is_read(
    spark: SparkSession, tmp_path: Path, format: str, keeps_spans: bool, keeps_rest: bool
) -> None:
    path = str(tmp_path / "out")
    write_corpus(documents_of(spark), spans_of(spark), path, format)
    reading = read_corpus(spark, path, format)
    rest = ("p", {"k": "v"}) if keeps_rest else (None, {})
    assert rows(reading.documents) == sorted(((i, rest[0], t, rest[1]) for i, t in GOOD), key=repr)
    assert rows(reading.spans) == (rows(spans_of(spark)) if keeps_spans else [])
    assert rows(reading.rejects) == []


@pytest.fixture
def bad_table(spark: SparkSession) -> DataFrame:
    values = [(1, "a", 7), (2, None, 8), (1, "b", 9), (3, "", None), (4, "\0", 1)]
    return spark.createDataFrame(values, "doc_id int, text string, year int").coalesce(1)


@pytest.mark.parametrize("format", ["parquet", "delta"])
def test_rows_of_tables_are_checked(spark: SparkSession, tmp_path: Path, bad_table: DataFrame, format: str) -> None:
    bad_table.write.format(format).save(str(tmp_path / "t"))
    reading = read_corpus(spark, str(tmp_path / "t"), format)
    assert rows(reading.documents) == [("1", None, "a", {"year": "7"})]
    found = {row["source"].split("#")[1]: row["reason"] for row in reading.rejects.collect()}
    assert found == {"2": "no-text", "3": "duplicate-id", "4": "empty", "5": "nul"}


@pytest.mark.parametrize("format", ["parquet", "delta"])
def test_days_far_away_refuse_their_rows(spark: SparkSession, tmp_path: Path, format: str) -> None:
    days = spark.range(2).selectExpr("'a' AS text", "make_date(2020 + int(id) * 20000, 1, 1) AS day").coalesce(1)
    days.write.format(format).save(str(tmp_path / "t"))
    reading = read_corpus(spark, str(tmp_path / "t"), format)
    assert [row["meta"] for row in reading.documents.collect()] == [{"day": "2020-01-01"}]
    assert [row["reason"] for row in reading.rejects.collect()] == ["malformed"]


def test_the_version_that_was_read_is_reported(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    for text in ("a", "b"):
        frame = spark.createDataFrame([(text, text)], "doc_id string, text string")
        frame.write.format("delta").mode("overwrite").save(path)
    for options, found in (({"version": "0"}, ("a", 0)), ({}, ("b", 1))):
        reading = read_corpus(spark, path, "delta", options=options)
        assert ([row["doc_id"] for row in reading.documents.collect()], reading.delta_version) == ([found[0]], found[1])
    with pytest.raises(CorpusError, match="VERSION"):
        read_corpus(spark, path, "delta", options={"version": "2"})
    with pytest.raises(UsageError, match="version"):
        read_corpus(spark, path, "delta", options={"version": "Ann"})


def test_files_of_one_name_in_two_folders_of_a_delta_table_remain_separate(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "my table%20#"
    frame = spark.createDataFrame([("one", "a b"), ("two", "c/d"), ("", "e")], "text string, y string").coalesce(1)
    frame.write.format("delta").partitionBy("y").save(str(path))
    log = path / "_delta_log" / "00000000000000000000.json"
    actions = re.sub(r"part-00000-[^\"]*?\.parquet", "part-0.parquet", log.read_text())
    log.write_text(actions)
    for crc in path.rglob(".*.crc"):
        crc.unlink()
    (log.parent / "00000000000000000000.crc").unlink()
    for file in path.glob("*/*.parquet"):
        file.rename(file.with_name("part-0.parquet"))
    reading = read_corpus(spark, str(path), "delta")
    assert [(row[0], row[2]) for row in rows(reading.documents)] == [
        ("y=a b/part-0.parquet#1", "one"),
        ("y=c%2Fd/part-0.parquet#1", "two"),
    ]
    assert [row[0] for row in rows(reading.rejects)] == ["y=e/part-0.parquet#1"]
    (path / "y=e").rename(tmp_path / "elsewhere")
    (path / "y=e").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CorpusError, match="1 links lead out of it"):
        read_corpus(spark, str(path), "delta")


def test_nothing_readable_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    for format in ("text", "delta"):
        with pytest.raises(CorpusError, match="absent"):
            read_corpus(spark, str(tmp_path / "absent"), format)
    (tmp_path / "a.txt").write_bytes(b"\xff")
    with pytest.raises(CorpusError, match="1 invalid-utf8"):
        read_corpus(spark, str(tmp_path), "text")


def test_unsafe_ids_and_full_folders_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    unsafe = spark.createDataFrame([("../x", "t")], "doc_id string, text string")
    with pytest.raises(FormatError, match="unsafe-id"):
        write_corpus(unsafe, None, str(tmp_path / "out"), "text")
    assert not (tmp_path / "x.txt").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(CorpusError, match="empty folder"):
        write_corpus(documents_of(spark), None, str(tmp_path / "full"), "text")


def test_a_workspaces_rejects_are_converted_for_who_corrects_the_input(spark: SparkSession, tmp_path: Path) -> None:
    row = {"source": "a.txt", "reason": "nul", "detail": "expected no NUL", "records": 1}
    place = tmp_path / "workspace" / "rejects"
    spark.createDataFrame([row], tables.ddl(tables.REJECTS)).write.format("delta").save(str(place))
    options = ConvertOptions(
        source=str(place), target=str(tmp_path / "shown"), source_format="delta", target_format="jsonl"
    )
    convert(options)
    (shown,) = (tmp_path / "shown").glob("*.json")
    assert json.loads(shown.read_text()) == row
    with pytest.raises(UsageError, match=r"output \(.*/workspace/shown\).*separate"):
        convert(options.model_copy(update={"target": str(tmp_path / "workspace" / "shown")}))
    place.rename(tmp_path / "notes")
    assert rejects_table(str(tmp_path / "notes")) is None
