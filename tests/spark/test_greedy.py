from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.sanitizer import load_sanitizer, model_hash
from spark_deid.greedy.spark import detect, finder
from spark_deid.greedy.train import train

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Flo", "Gus", "Hal")


def document(number: int) -> Document:
    one, two = NAMES[number % 8], NAMES[(number * 3 + 1) % 8]
    text = f"Patient: {one}\nToday {one} saw Dr. {two} in the ward.\n"
    spans = [(9, one), (text.index("Today") + 6, one), (text.index("Dr.") + 4, two)]
    return Document(f"d{number}", text, None, tuple(Span(at, at + len(name), "NAME") for at, name in spans))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("greedy") / "model"
    config = TrainConfig(key=b"k" * 32, folds=2, workers=1, features="hide", min_train_remaining=0)
    train([document(i) for i in range(8)], config).save(folder)
    return folder


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    rows = [(f"d{i}", document(i).text if i else "") for i in range(20)]
    return spark.createDataFrame(rows, "doc_id string, text string")


def rows_of(frame: DataFrame) -> list[tuple[float | str | None, ...]]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.parametrize(("partitions", "ship"), [(1, "auto"), (7, "auto"), (2, "always")])
def test_spark_finds_what_the_model_finds(documents: DataFrame, model: Path, partitions: int, ship: Any) -> None:
    found = detect(
        documents.repartition(partitions), finder(documents.sparkSession, str(model), model_hash(model), ship=ship)
    )
    sanitizer = load_sanitizer(model)
    expected = [(row.doc_id, *span) for row in documents.collect() for span in sanitizer.detect(row.text)]
    assert found.columns == tables.SPANS.names
    assert rows_of(found) == sorted(expected)
    assert len(expected) > 20


def test_a_changed_model_is_refused(documents: DataFrame, model: Path) -> None:
    with pytest.raises(Exception, match="its hash is another"):
        detect(documents, finder(documents.sparkSession, str(model), "0" * 64)).collect()


def test_placeholders_and_decoding_reach_the_workers(documents: DataFrame, model: Path) -> None:
    find = finder(documents.sparkSession, str(model), model_hash(model), decoding="cost", placeholders=("Today",))
    found = detect(documents, find)
    sanitizer = load_sanitizer(model).listing(("Today",)).decoding_as("cost")
    expected = [(row.doc_id, *span) for row in documents.collect() for span in sanitizer.detect(row.text)]
    assert rows_of(found) == sorted(expected)
