"""The type map names each type as Spark and Delta name it, and leaves of nested columns are all visited."""

import pyarrow as pa
import pytest
from pyspark.sql import types as T

from spark_deid.anonymity.spark.usable import is_stored
from spark_deid.core import tables
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.leaves import leaf_texts, leaves_of
from spark_deid.core.tables import names_of
from spark_deid.storage.delta_log import entry_of
from spark_deid.storage.spark.records import arrow_type

STORED = (
    *(T.StringType(), T.BooleanType(), T.ByteType(), T.ShortType(), T.IntegerType(), T.LongType(), T.FloatType()),
    *(T.DoubleType(), T.DecimalType(12, 2), T.DecimalType(38, 0), T.DateType(), T.TimestampType()),
    *(T.TimestampNTZType(), T.BinaryType()),
)
REFUSED = (T.NullType(), T.DayTimeIntervalType(), T.YearMonthIntervalType(), T.CalendarIntervalType(), T.VariantType())


@pytest.mark.parametrize("kind", STORED, ids=str)
def test_each_type_has_the_names_of_spark_and_delta(kind: T.DataType) -> None:
    names = names_of(arrow_type(kind))
    assert is_stored(kind)
    assert names == (kind.simpleString(), kind.typeName() if not isinstance(kind, T.DecimalType) else names[1])


@pytest.mark.parametrize("kind", REFUSED, ids=str)
def test_other_types_are_not_stored_at_any_depth(kind: T.DataType) -> None:
    nested = T.ArrayType(T.StructType([T.StructField("a", T.MapType(T.StringType(), kind))]))
    assert not any(map(is_stored, (kind, nested)))


def test_a_schema_of_another_type_is_an_error() -> None:
    with pytest.raises(SparkDeidError, match=r"duration\[us\]"):
        tables.ddl(pa.schema([("a", pa.list_(pa.duration("us")))]))


def test_times_without_a_zone_need_a_feature_of_delta() -> None:
    plain = entry_of(pa.schema([("a", pa.timestamp("us", tz="UTC"))]), ())
    nested = entry_of(pa.schema([("a", pa.list_(pa.timestamp("us")))]), ())
    assert b'"minReaderVersion": 1' in plain
    assert b'"readerFeatures": ["timestampNtz"]' in nested


@pytest.mark.parametrize("first", [0, 1, 2])
def test_leaves_of_a_slice_know_their_rows(first: int) -> None:
    cells = [
        [("a", {"x": [1.5, 2.0]})],
        None,
        [("b", None), ("c", {"x": [120000000.0, None]})],
    ]
    kind = pa.map_(pa.string(), pa.struct([("x", pa.list_(pa.float64()))]))
    found = {
        leaf.type.path: list(zip(leaf.rows.tolist(), leaf_texts(leaf.values).to_pylist(), strict=True))
        for leaf in leaves_of("m", pa.array(cells, kind).slice(first))
    }
    keys = [(0, "a"), (2, "b"), (2, "c")]
    numbers = [(0, "1.5"), (0, "2"), (2, "120000000"), (2, None)]
    assert found == {
        path: [(row - first, text) for row, text in values if row >= first]
        for path, values in (("m.key", keys), ("m.value.x", numbers))
    }
