"""Originals in frames that keep every column: in column metadata, types, axes, and values that no detector reads."""

import pickle
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.ml.linalg import Vectors
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_deid as sd

PLAN = {"patterns": {"kinds": "all"}}
MAIL = "ann@example.org"
PHOTO = b"\x89PNG of " + MAIL.encode()


def of_spark(spark: SparkSession, value: str = "'north'") -> DataFrame:
    return spark.createDataFrame([(1, "Call 212-555-0147."), (2, "Fine.")], "doc_id int, text string").withColumn(
        "ward", F.expr(value)
    )


def test_metadata_of_columns_of_spark_is_not_published(spark: SparkSession) -> None:
    told = {"ml_attr": {"vals": [MAIL]}, "comment": MAIL}
    nested = F.struct(F.lit("north").alias("name", metadata=told)).alias("ward", metadata=told)
    frame = of_spark(spark).select(F.col("doc_id").alias("doc_id", metadata=told), "text", nested)
    done: Any = sd.sanitize(frame, PLAN, keep="all")
    assert MAIL in frame.schema.json()
    assert MAIL not in done.frame.schema.json()
    assert {tuple(row) for row in done.frame.collect()} == {(1, "Call [PHONE].", ("north",)), (2, "Fine.", ("north",))}


def test_pandas_publishes_values_and_types_only(spark: SparkSession) -> None:
    wards = pd.Categorical(["north", "south"], pd.Index(["north", MAIL, "south"], name=MAIL))
    words = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["a", MAIL]))
    beds = pd.arrays.IntegerArray(pd.array([7, 2125550147]).to_numpy("int64"), pd.array([False, True]).to_numpy(bool))
    frame = pd.DataFrame(
        {
            "text": ["Call 212-555-0147.", "Fine."],
            "ward": wards,
            "words": pd.arrays.ArrowExtensionArray(words),
            "beds": beds,
        },
        index=pd.Index([2125550147, 2125550199], name=MAIL),
    )
    frame.columns.name, frame.attrs["source"] = MAIL, MAIL
    done: Any = sd.sanitize(frame, PLAN, keep="all")
    assert done.frame.index.equals(pd.RangeIndex(2))
    assert (done.frame.attrs, done.frame.index.name, done.frame.columns.name) == ({}, None, None)
    assert list(done.frame["ward"].cat.categories) == ["north", "south"]
    assert list(done.frame.dtypes[2:]) == list(frame.dtypes[2:])
    published = pickle.dumps(done.frame)
    assert MAIL.encode() not in published
    assert all((number).to_bytes(8, "little") not in published for number in (2125550147, 2125550199))
    assert done.frame.astype(object).where(done.frame.notna(), None).to_numpy().tolist() == [
        ["Call [PHONE].", "north", "a", 7],
        ["Fine.", "south", "a", None],
    ]


UNREADABLE = [
    "unhex('89504E47FF')",
    "encode('ann@example.org', 'UTF-16LE')",
    "named_struct('photo', cast('ann@example.org' as binary))",
    "array(cast(unhex('FF') as string))",
]


@pytest.mark.parametrize(
    "value", [UNREADABLE[1], *(pytest.param(each, marks=pytest.mark.thorough) for each in UNREADABLE)]
)
def test_columns_of_spark_that_no_detector_reads_are_refused_by_name(spark: SparkSession, value: str) -> None:
    frame = of_spark(spark, value)
    for ways in ({}, {"ward": "detect"}):
        with pytest.raises(sd.GateRefused, match="column ward: detectors cannot read the values"):
            sd.sanitize(frame, PLAN, keep="all", metadata=ways)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [PHOTO, MAIL.encode("utf-16-le"), {"a": MAIL.encode()}, [{MAIL}], object()])
def test_columns_of_pandas_that_no_detector_reads_are_refused_by_name(value: object) -> None:
    frame = pd.DataFrame({"text": ["Fine.", "Fine."], "ward": pd.Series([None, value], dtype=object)})
    with pytest.raises(sd.GateRefused, match="column ward: detectors cannot read the values"):
        sd.sanitize(frame, PLAN, keep="all")


def test_a_column_that_no_detector_reads_is_kept_by_name(spark: SparkSession) -> None:
    done: Any = sd.sanitize(of_spark(spark, UNREADABLE[0]), PLAN, keep="all", metadata={"ward": "keep"})
    assert [bytes(row["ward"]) for row in done.frame.collect()] == [b"\x89PNG\xff"] * 2


def test_a_vector_of_spark_ml_is_kept_by_name(spark: SparkSession) -> None:
    vector = Vectors.dense([1.0, 2.0])
    frame = spark.createDataFrame([(1, "Fine.", vector)], ["doc_id", "text", "vector"])
    done: Any = sd.sanitize(frame, PLAN, keep="all", metadata={"vector": "keep"})
    assert [row["vector"] for row in done.frame.collect()] == [vector]


def test_helper_columns_replace_no_column_of_the_user(spark: SparkSession) -> None:
    row = ("Call 212-555-0147.", "a", "b", "c", "d", "e")
    names = ["note", "DOC_ID", "(ROW)", "(0)", "Text", "own text"]
    frame = spark.createDataFrame([row], ", ".join(f"`{name}` string" for name in names))
    done: Any = sd.sanitize(frame, PLAN, text="note", keep="all")
    assert done.frame.columns == names
    assert [tuple(each) for each in done.frame.collect()] == [("Call [PHONE].", *row[1:])]
    hidden = pd.DataFrame([["Fine.", "a", MAIL]], columns=["note", "text", "own text"])
    with pytest.raises(sd.GateRefused, match=r"column own text: .*EMAIL in up to 1 "):
        sd.sanitize(hidden, PLAN, text="note", keep="all")


def test_names_that_spark_cannot_distinguish_are_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, "Fine.", "a", "b")], "doc_id int, text string, ward string, WARD string")
    with pytest.raises(sd.UsageError, match=r"column 3 \(.*from 0\) has the name of an earlier column"):
        sd.sanitize(frame, PLAN, keep="all")
