from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import attribute_of
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import ColumnType
from spark_deid.anonymity.constraint import free_constraint
from spark_deid.anonymity.fitted import (
    are_within_classes,
    double_cuts,
    doubled_codes,
    read_fitted,
    save_fitted,
    save_part,
)
from spark_deid.anonymity.kernels.classes import place_units
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.partition import cut_part
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.space import last_codes
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.ontology.hierarchy import parse_hierarchy
from tests.unit.anonymity.tables import CITIES, random_table


def test_values_between_fitted_ones_have_odd_codes_and_those_outside_none() -> None:
    fitted = attribute_of("age", pa.array([20, 30, 40]))
    batch = attribute_of("age", pa.array([10, 20, 25, 40, 41]))
    assert doubled_codes(fitted, batch).tolist() == [0, -1, 2, 3, 6, -1]
    words = attribute_of("city", pa.array(["a", "c"]))
    assert doubled_codes(words, attribute_of("city", pa.array(["a", "b", "c"]))).tolist() == [0, 2, -1, 4]


def test_a_batch_of_another_kind_is_named() -> None:
    with pytest.raises(SparkDeidError, match=r"column age: expected .* number"):
        doubled_codes(attribute_of("age", pa.array([20])), attribute_of("age", pa.array(["old"])))


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_units_of_the_fitted_table_come_to_their_classes_again(is_relaxed: bool, tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    for number in range(60):
        table = random_table(random)
        modes = {each.name: random.choice([*RecodingMode]) for each in table.attributes}
        classes = cut_part(
            table.part, table.attributes, read_models("k=2").tighten(free_constraint()), modes, is_relaxed=is_relaxed
        )
        folder = tmp_path / str(number)
        folder.mkdir()
        save_part(folder, 0, classes)
        rows = parse_hierarchy(CITIES, "cities").rows
        trees = {each.name: rows for each in table.attributes if each.tree is not None}
        names = tuple(each.name for each in table.attributes)
        save_fitted(folder, PrivacyClaim(names, read_models("k=2"), hierarchies=trees), table.attributes, classes.cuts)
        types = {each.name: ColumnType(each.column) for each in table.attributes if each.tree is None}
        fitted = read_fitted(folder, names, types)
        assert all(
            one.values.equals(other.values) for one, other in zip(fitted.attributes, table.attributes, strict=True)
        )
        part = fitted.part(0)
        codes = np.array(table.units, np.int32) * 2
        ties = np.array(table.ties, np.uint64)
        assert (place_units(double_cuts(classes.cuts), codes, ties) == place_units(part.cuts, codes, ties)).all()
        found = part.classes[place_units(part.cuts, codes, ties)]
        expected = np.empty(len(codes), np.int64)
        expected[classes.order] = np.repeat(np.arange(classes.number), np.diff(classes.starts))
        assert found.tolist() == expected.tolist()
        assert are_within_classes(part, codes, expected, last_codes(fitted.attributes)).all()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04torn", b"none"], ids=["empty", "torn", "none"])
def test_a_torn_recoding_is_no_recoding(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "recipe.json").write_text('{"quasi": [], "hierarchies": {}}')
    (tmp_path / "top.npz").write_bytes(content)
    with pytest.raises(UsageError, match="contains no fitted recoding"):
        read_fitted(tmp_path, ())
