"""Parts that workers finish: what they write in pieces, and which classes of a fitted recoding stay."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.anonymity import labels
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import coder_of, constraint_for
from spark_deid.anonymity.constraint import free_constraint, sensitive_of
from spark_deid.anonymity.fitted import FittedRecoding
from spark_deid.anonymity.frequency import SensitiveValues
from spark_deid.anonymity.kernels.cuts import LAST, CutTree
from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.spark import finishing
from spark_deid.anonymity.spark.applying import PartClassCounts, RecodingApplier
from spark_deid.anonymity.spark.chunks import layout_of
from spark_deid.anonymity.spark.finishing import PartFinisher
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int64s
from tests.unit.anonymity.brute import VALUES, holds

CITIES = [f"city {number:02}" for number in range(40)]


def finisher(folder: Path, models: str = "k=20") -> tuple[PartFinisher, pa.RecordBatch]:
    """Return what finishes a part of 200 rows with a city and a note, and the part."""
    claim = PrivacyClaim(("city",), read_models(models))
    random = np.random.default_rng(3)
    cities = pa.array(random.choice(CITIES, 200))
    coder = coder_of(claim, {"city": cities})
    rows = {
        "part": pa.array([0] * 200, pa.int32()),
        "q0": coder.quasi[0].encode(cities),
        "c1": pa.array([f"note {number}" for number in range(200)]),
    }
    made = PartFinisher(
        coder=coder,
        constraint=constraint_for(claim, coder, np.empty(0, np.int64)),
        recoding={"city": RecodingMode.TIGHT},
        is_relaxed=False,
        boxes=(np.zeros((1, 1), np.int32), np.full((1, 1), LAST, np.int32)),
        layout=layout_of(claim, ("city", "note"), tied=False),
        schema=pa.schema([("city", pa.string()), ("note", pa.string())]),
        folder=str(folder),
        key=b"k" * 32,
    )
    return made, pa.RecordBatch.from_pydict(rows)


def test_rows_in_many_pieces_are_those_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finish, batch = finisher(tmp_path)
    whole = finish(iter([batch]))
    monkeypatch.setattr(finishing, "PIECE_BYTES", 2000)
    pieces = finish(iter([batch.slice(0, 70), batch.slice(70)]))
    assert whole is not None
    assert pieces is not None
    assert pq.ParquetFile(whole.file.path).num_row_groups == 1
    assert pq.ParquetFile(pieces.file.path).num_row_groups > 5
    assert pq.read_table(pieces.file.path).equals(pq.read_table(whole.file.path))
    assert len({*pq.read_table(whole.file.path).column("note").to_pylist()}) == 200


def test_sets_that_are_too_long_are_refused_by_their_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finish, batch = finisher(tmp_path)
    monkeypatch.setattr(labels, "SET_BYTES", 100)
    with pytest.raises(SparkDeidError, match=r"column city: .* need more than"):
        finish(iter([batch]))
    monkeypatch.setattr(labels, "SET_BYTES", 10_000)
    monkeypatch.setattr(finishing, "MOST_COLUMN_BYTES", 2000)
    with pytest.raises(SparkDeidError, match=r"column city: .* need more than"):
        finish(iter([batch]))


def test_classes_of_a_batch_are_left_out_until_those_left_are_near_each_other(tmp_path: Path) -> None:
    finish, _ = finisher(tmp_path)
    nothing = FittedRecoding(tmp_path, (), CutTree(*(np.empty(0, np.int64) for _ in CutTree._fields)))  # type: ignore[arg-type]
    random = np.random.default_rng(8)
    shares = [0.5, *[0.5 / (VALUES - 1)] * (VALUES - 1)]
    models, later = read_models("k=2,t=0.4"), 0
    for _ in range(100):
        classes = [random.choice(VALUES, random.integers(1, 9), p=shares) for _ in range(8)]
        held = np.bincount(np.concatenate(classes), minlength=VALUES).astype(np.int64)
        constraint = models.tighten(free_constraint([sensitive_of(held, SensitiveDistance.EQUAL)]))
        parts = [counts(number, classes[first:end]) for number, (first, end) in enumerate(pairwise([0, 3, 8]))]
        found = RecodingApplier(nothing, replace(finish, constraint=constraint)).without(parts).failed
        left, rounds = set(range(8)), 0
        while out := {each for each in left if not holds(models, people(classes, [each]), rows(classes, left), 0)}:
            left, rounds = left - out, rounds + 1
        assert {*np.flatnonzero(~np.concatenate([found[0], found[1]])).tolist()} == left
        later += rounds > 1
    assert later > 5


def counts(number: int, classes: list[Int64s]) -> PartClassCounts:
    """Count a part whose classes' persons hold a value each."""
    pairs = [(at, *each) for at, held in enumerate(classes) for each in sorted(Counter(held.tolist()).items())]
    return PartClassCounts(number, np.array([len(held) for held in classes]), SensitiveValues(*np.array(pairs).T))


def people(classes: list[Int64s], chosen: Iterable[int]) -> list[tuple[int, int]]:
    return [(100 * each + person, value) for each in chosen for person, value in enumerate(classes[each].tolist())]


def rows(classes: list[Int64s], chosen: Iterable[int]) -> list[tuple[object, int, int]]:
    return [((), *each) for each in people(classes, chosen)]


def test_the_key_only_decides_the_order_of_the_rows_of_a_class(tmp_path: Path) -> None:
    finish, batch = finisher(tmp_path)

    def orders(key: bytes) -> dict[str, list[str]]:
        done = replace(finish, key=key)(iter([batch]))
        assert done is not None
        found: dict[str, list[str]] = {}
        for row in pq.read_table(done.file.path).to_pylist():
            found.setdefault(row["city"], []).append(row["note"])
        return found

    one, other = orders(b"k" * 32), orders(b"o" * 32)
    assert orders(b"k" * 32) == one
    assert {city: sorted(notes) for city, notes in one.items()} == {c: sorted(notes) for c, notes in other.items()}
    assert all(one[city] != other[city] for city in one)
