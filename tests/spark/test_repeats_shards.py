from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.repeats.rare import RarityGrid
from spark_deid.repeats.settings import CountedText, CountingUnit, RaritySettings
from spark_deid.repeats.spark.search import find_in_one_task, sweep
from spark_deid.repeats.spark.shard_assignment import ShardedDocuments, ShardingPlan
from spark_deid.repeats.spark.shards import find_in_shards, find_rare_text, sweep_in_shards

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "doc_id string, subject_id string, text string, edits array<struct<start:int,end:int>>"

UNITS = [
    unit if unit is CountingUnit.DOCUMENT else pytest.param(unit, marks=pytest.mark.thorough) for unit in CountingUnit
]
"""What is counted: documents in every run, the others in thorough ones."""


@pytest.fixture(scope="module")
def documents(spark: SparkSession) -> DataFrame:
    random = np.random.default_rng(1)
    rows = []
    for number in range(60):
        text = "".join(random.choice(list("ab 日😀★"), int(random.integers(0, 80))))
        rows.append((f"d{number}", f"p{number % 23}" if number % 7 else None, text * int(random.integers(1, 3)), None))
    return spark.createDataFrame([(*row[:3], [(1, 3)] if len(row[2]) > 5 else None) for row in rows], SCHEMA)


def rows_of(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(map(tuple, frame.collect()))


@pytest.mark.parametrize(
    ("unit", "shards", "ranges"),
    [(CountingUnit.SUBJECT, 3, 2), pytest.param(CountingUnit.OCCURRENCE, 5, 3, marks=pytest.mark.thorough)],
)
def test_shards_find_what_one_task_finds(
    documents: DataFrame, tmp_path: Path, unit: CountingUnit, shards: int, ranges: int
) -> None:
    rarity = RaritySettings(k=4, min_length=2, unit=unit, cap=40)
    found = find_in_shards(documents, rarity, ShardingPlan(shards, ranges, str(tmp_path)), placeholders=("ab",))
    assert rows_of(found) == rows_of(find_in_one_task(documents, rarity, placeholders=("ab",)))


@pytest.mark.parametrize("unit", UNITS)
def test_shards_count_the_published_text_and_cut_large_documents(
    spark: SparkSession, tmp_path: Path, unit: CountingUnit
) -> None:
    rows: list[tuple[str, str | None, str]] = [
        ("a", "p", "abc1def"),
        ("b", "q", "abc2def"),
        ("c", "r", "3abcdef4"),
        ("d", "r", "3abcdef4"),
    ]
    rows += [("e", None, "ab日abc2def" * 9), ("f", "s", "ab日abc2def" * 9), ("g", "q", "ab日abc2def")]
    documents = spark.createDataFrame([(*row, [(1, 2)] if row[0] in "ef" else None) for row in rows], SCHEMA)
    rarity = RaritySettings(k=3, min_length=2, unit=unit, cap=8, counted=CountedText.PUBLISHED, whole_tokens=0.5)
    found = find_in_shards(documents, rarity, ShardingPlan(2, 2, str(tmp_path), 70), placeholders=("2d",))
    assert rows_of(found) == rows_of(find_in_one_task(documents, rarity, placeholders=("2d",)))


def test_documents_that_are_cut_are_distinguished_by_their_whole_ids(spark: SparkSession, tmp_path: Path) -> None:
    folder = "a/folder/of/a/name/that/is/long/" * 5
    rows = [(f"{folder}{name}", None, f"{name}1 this is common " * 9, None) for name in ("x", "yyyy")]
    documents = spark.createDataFrame([*rows, ("z", None, "this is common", None)], SCHEMA)
    rarity = RaritySettings(k=3, min_length=2, unit=CountingUnit.DOCUMENT, cap=8)
    found = find_in_shards(documents, rarity, ShardingPlan(2, 2, str(tmp_path), 70))
    assert rows_of(found) == rows_of(find_in_one_task(documents, rarity))


def test_more_shards_than_can_be_numbered_are_refused(documents: DataFrame) -> None:
    assert ShardedDocuments(documents, 65_536, {}).shards == 65_536
    with pytest.raises(SparkDeidError, match="65537 shards are necessary, more than the limit of 65536"):
        ShardedDocuments(documents, 65_537, {})


def test_shards_can_be_asked_for_and_are_not_needed_for_little_text(documents: DataFrame, tmp_path: Path) -> None:
    rarity = RaritySettings(k=4, min_length=2, cap=6)
    one = find_rare_text(documents, rarity, shards=0, folder="s3a://bucket/state")
    asked = find_rare_text(documents, rarity, shards=2, folder=str(tmp_path / "state"))
    assert rows_of(asked) == rows_of(one)
    assert (tmp_path / "state").is_dir()
    with pytest.raises(UsageError, match="a disk that all workers see"):
        find_rare_text(documents, rarity, shards=2, folder="s3a://bucket/state")


def test_a_sweep_in_shards_counts_what_one_task_counts(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(f"d{i}", None, "this is common " * (9 if i == 3 else 1) + "abc"[i % 3]) for i in range(7)]
    documents = spark.createDataFrame([(*row, None) for row in rows], SCHEMA)
    rarity, grid = RaritySettings(cap=30), RarityGrid(k=(2, 3), min_length=(1, 5))
    found = sweep_in_shards(documents, rarity, grid, ShardingPlan(2, 2, str(tmp_path), 60))
    assert rows_of(found) == rows_of(sweep(documents, rarity, grid=grid))
