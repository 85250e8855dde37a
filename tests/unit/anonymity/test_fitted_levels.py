"""Levels of a fitted table apply to the values of a batch that its labels cover."""

import json
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import UNKNOWN, attribute_of
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import ColumnKind, ColumnType
from spark_deid.anonymity.fitted_levels import LEVELS, FittedLevels, read_levels, save_levels
from spark_deid.anonymity.models import read_models
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.ontology.hierarchy import ValueHierarchy

CITIES = ValueHierarchy((("Paris", "France", "*"), ("Lyon", "France", "*"), ("Rome", "Italy", "*")), "city")


def shown(
    fitted: pa.Array,
    batch: pa.Array,
    level: int,
    kind: ColumnKind = ColumnKind.TEXT,
    hierarchy: ValueHierarchy | None = None,
) -> list[str | None]:
    """Return the labels of a batch's values, ``outside`` for values that do not fit."""
    trees = {} if hierarchy is None else {"a": hierarchy}
    types = {} if kind is ColumnKind.TEXT else {"a": ColumnType(kind)}
    attribute, levels = FittedLevels(("a",), (fitted,), trees, (level,), types).extended(0, batch)
    codes = attribute.encode(batch)
    return ["outside" if code == UNKNOWN else levels.labels[level][levels.codes[level, code]] for code in codes]


def test_numbers_between_fitted_ones_get_the_label_of_their_range() -> None:
    fitted = pa.array([20, 23, 31])
    assert shown(fitted, pa.array([22, 24, 33, 35, 26, None]), 1) == [
        *("[20-24]", "[20-24]", "[30-34]", "outside", "outside", None)
    ]
    assert shown(fitted, pa.array([20, 22]), 0) == ["20", "outside"]
    assert shown(fitted, pa.array([999]), 3) == ["*"]
    assert shown(fitted, pa.array(["22", "24.5", "90+", "33"]), 1, ColumnKind.NUMBER) == [
        *("[20-24]", "outside", "outside", "[30-34]")
    ]


def test_categories_among_numbers_fit_if_they_were_fitted() -> None:
    fitted = pa.array(["20", "21", "90+"])
    assert shown(fitted, pa.array(["22", "90+", "none"]), 1, ColumnKind.NUMBER) == ["[20-24]", "90+", "outside"]


def test_dates_codes_and_categories_fit_by_their_labels() -> None:
    days = pa.array([date(2010, 6, 22)])
    assert shown(days, pa.array(["2010-06-01", "2010-07-01"]), 1, ColumnKind.DATE) == ["2010-06", "outside"]
    zips = pa.array(["02138", "02139"])
    assert shown(zips, pa.array(["02130", "02200"]), 1, ColumnKind.CODE) == ["0213*", "outside"]
    assert shown(pa.array(["a"]), pa.array(["a", "b"]), 0) == ["a", "outside"]
    assert shown(pa.array(["a"]), pa.array(["a", "b"]), 1) == ["*", "*"]
    assert shown(pa.array([], pa.string()), pa.array(["a", None]), 0) == ["outside", None]


def test_values_that_a_hierarchy_lacks_do_not_fit() -> None:
    fitted = pa.array(["Paris"])
    assert shown(fitted, pa.array(["Lyon", "Bonn"]), 1, hierarchy=CITIES) == ["France", "outside"]


def test_values_of_another_kind_are_refused() -> None:
    with pytest.raises(SparkDeidError, match=r"column a: expected .* type int64"):
        shown(pa.array([1]), pa.array(["x"]), 1)


def test_levels_are_private_and_read_again(tmp_path: Path) -> None:
    claim = PrivacyClaim(("a", "city"), read_models("k=2"), hierarchies={"city": CITIES.rows})
    attributes = attribute_of("a", pa.array([2, 1])), attribute_of("city", pa.array(["Rome"]), CITIES)
    save_levels(tmp_path, claim, attributes, (1, 2))
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    found = read_levels(tmp_path, ("a", "city"))
    assert found.node == (1, 2)
    assert found.values[0].to_pylist() == [1, 2]
    assert found.hierarchies["city"].rows == CITIES.rows
    with pytest.raises(UsageError, match=r"--quasi: expected .* in this order: a,city"):
        read_levels(tmp_path, ("city", "a"))
    (tmp_path / LEVELS).write_text(json.dumps({"quasi": []}))
    with pytest.raises(UsageError, match=r"expected .* --algorithm incognito"):
        read_levels(tmp_path, ("a",))
