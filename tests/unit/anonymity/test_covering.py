"""What published labels stand for, read from the labels alone."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.attribute import attribute_of, default_hierarchy
from spark_deid.anonymity.covering import ColumnValues
from spark_deid.anonymity.labels import name_ranges
from spark_deid.anonymity.lattice import levels_of

TREE = (("Paris", "France", "*"), ("Lyon", "France", "*"), ("Rome", "Italy", "*"))


@pytest.mark.parametrize(
    ("texts", "label", "covered"),
    [
        (["19", "20", "29", "30"], "[20-29]", "20 29"),
        (["19.5", "20", "29.9", "30"], "[20-30)", "20 29.9"),
        (["-3", "2", "4"], "[-3..2]", "-3 2"),
        (["a", "b", "c, d"], "{a, c, d}", "a|c, d"),
        (["a", "b"], "{missing, b}", "b|-"),
        (["20", "31"], "{missing, [20-29]}", "20|-"),
        (["2010-06-22", "2010-07-01", "2019-01-01"], "2010-06", "2010-06-22"),
        (["2010-06-22", "2010-07-01", "2020-01-01"], "[2010-2019]", "2010-06-22 2010-07-01"),
        (["2010-06-22", "2010-07-01"], "[2010-06-01..2010-06-30]", "2010-06-22"),
        (["53710", "53711", "53812"], "5371*", "53710 53711"),
        (["53710", "5371"], "5371*", "53710"),
        (["Paris", "Lyon", "Rome"], "France", "Paris Lyon"),
        (["Paris", "x"], "*", "Paris x|-"),
        (["Paris", "x"], "x", "x"),
    ],
)
def test_a_label_represents(texts: Sequence[str], label: str, covered: str) -> None:
    values = ColumnValues.of([*texts, None], TREE)
    words = covered.split("|") if "|" in covered else covered.split()
    expected = [text in words or text in covered.split("|")[0].split() for text in texts]
    assert values.covered(label).tolist() == [*expected, "-" in words]


def test_a_missing_label_represents_missing_values_only() -> None:
    assert ColumnValues.of(["a", None]).covered(None).tolist() == [False, True]


@pytest.mark.parametrize("seed", range(8))
def test_labels_cover_the_values_that_they_were_made_of(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns = (
        pa.array(random.integers(-40, 90, 30).tolist()),
        pa.array((random.integers(0, 900, 30) / 4).tolist()),
        pa.array([f"{n:05d}" for n in random.integers(0, 99999, 30)]),
        pa.array(np.datetime64("1999-01-01") + random.integers(0, 9000, 30)),
        pa.array(random.choice(["a, b", "b", "{c}", "d e", "f-g"], 30).tolist()),
    )
    for column in columns:
        attribute = attribute_of("x", column)
        values = ColumnValues.of([None, *attribute.texts()])
        low, high = np.sort(random.integers(1, attribute.size, (2, 20)), axis=0).astype(np.int32)
        missing = random.random(20) < 0.3
        named = name_ranges(attribute, low, high, missing.astype(np.int64)).to_pylist()
        for label, first, last, gone in zip(named, low, high, missing, strict=True):
            expected = [gone, *(first <= code <= last for code in range(1, attribute.size))]
            assert values.covered(label).tolist() == expected, label
        levels = levels_of(attribute, default_hierarchy(attribute))
        for codes, names in zip(levels.codes, levels.labels, strict=True):
            for number, name in enumerate(names):
                assert values.covered(name).tolist() == (codes == number).tolist(), name
