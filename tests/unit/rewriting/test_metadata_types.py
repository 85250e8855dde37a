from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from spark_deid.corpus.checks import checked_meta
from spark_deid.rewriting.metadata import TYPES, name_of, typed_column

NOON = datetime(2024, 2, 29, 12, 0, 0, 5, tzinfo=UTC)
VALUES: dict[str, list[object]] = {
    "byte": [-128, 127],
    "short": [-1, 300],
    "integer": [2**31 - 1],
    "long": [-(2**63), 0],
    "float": [0.5, float("inf")],
    "double": [0.1, -1e300],
    "boolean": [True, False],
    "date": [date(1899, 12, 31)],
    "timestamp": [NOON, NOON.replace(microsecond=0)],
}


@pytest.mark.parametrize("name", sorted(TYPES))
def test_values_come_back_from_what_readers_write(name: str) -> None:
    written = [checked_meta({"v": value})["v"] for value in VALUES[name]]
    assert typed_column([*written, None], name) == pa.array([*VALUES[name], None], TYPES[name])
    assert name_of(TYPES[name]) == name


def test_moments_without_a_zone_are_utc() -> None:
    written = checked_meta({"v": NOON.replace(tzinfo=None)})["v"]
    assert typed_column([written], "timestamp").to_pylist() == [NOON]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("x", "long"),
        ("1.5", "long"),
        ("300", "byte"),
        ("true", "long"),
        ("1", "boolean"),
        ("2024", "date"),
        ("x", "timestamp"),
    ],
)
def test_values_of_other_types_are_refused(value: str, name: str) -> None:
    with pytest.raises(ValueError):
        typed_column([value], name)


def test_unsigned_integers_keep_their_values_and_texts_remain_texts() -> None:
    assert [name_of(kind) for kind in (pa.uint32(), pa.uint64(), pa.string(), pa.decimal128(5, 2))] == [
        "long",
        *[None] * 3,
    ]
