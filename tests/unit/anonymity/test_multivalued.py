"""Sensitive columns of lists: a row holds each value of its list, and none if it is missing."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import CodedTable, coder_of, constraint_for
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.multivalued import RowValues, flatten_column, with_values

Lists = list[list[str | None] | None]


def drawn(seed: int) -> tuple[Lists, Lists]:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 30))
    return tuple(  # type: ignore[return-value]
        [
            None if random.random() < 0.2 else [*{*random.choice([*letters], int(random.integers(0, 4))).tolist()}]
            for _ in range(n)
        ]
        for letters in ("uvw", "uxyz")
    )


@pytest.mark.parametrize("seed", range(10))
def test_rows_hold_the_values_of_their_lists_and_of_two_columns_none_is_confused(seed: int) -> None:
    lists = drawn(seed)
    rows = len(lists[0])
    claim = PrivacyClaim(("age",), read_models("k=2,frequency-l=2"), ("a", "b"))
    columns = {"age": pa.array(range(rows))}
    columns |= {name: pa.array(each, pa.list_(pa.string())) for name, each in zip("ab", lists, strict=True)}
    coder = coder_of(claim, {name: flatten_column(each)[0] for name, each in columns.items()})
    texts = [(each.name, text) for each in coder.sensitive for text in [None, *each.texts()]]
    expected = [
        sorted((name, value) for name, each in zip("ab", lists, strict=True) for value in each[at] or ())
        for at in range(rows)
    ]
    coded = CodedTable(coder.quasi, coder.sensitive)
    by_rows = coder.part(columns, np.arange(rows + 1), np.empty(0, np.uint64))
    for part in (by_rows, coded.part(pa.table(columns))):
        held = [
            sorted(texts[code] for code in part.held[start:end].tolist())
            for start, end in zip(part.offsets, part.offsets[1:], strict=False)
        ]
        assert held == expected


def test_missing_values_of_a_list_are_held_by_no_one() -> None:
    values, offsets = flatten_column(pa.array([["a", None], None, [None], ["b"], []], pa.list_(pa.string())).slice(1))
    assert values.to_pylist() == ["b"]
    assert offsets is not None
    assert offsets.tolist() == [0, 0, 0, 1, 1]
    assert with_values(values, offsets).to_pylist() == [[], [], ["b"], []]
    assert flatten_column(pa.array(["a", None]))[1] is None


def test_rows_are_taken_with_their_values() -> None:
    held = RowValues(np.array([5, 6, 7]), np.array([0, 2, 2, 3]))
    assert held.rows.tolist() == [0, 0, 2]
    codes, offsets = held.take(np.array([2, 1, 0, 2]))
    assert (codes.tolist(), offsets.tolist() if offsets is not None else None) == ([7, 5, 6, 7], [0, 1, 1, 3, 4])
    assert RowValues(np.array([5, 6])).take(np.array([1, 0])).codes.tolist() == [6, 5]


@pytest.mark.parametrize(("models", "distinct"), [("k=2,frequency-l=2", 0), ("k=2,l=2", 2)])
def test_of_lists_only_l_needs_a_value(models: str, distinct: int) -> None:
    claim = PrivacyClaim(("age",), read_models(models), ("ill",))
    coder = replace(coder_of(claim, {"age": pa.array([1]), "ill": pa.array(["x"])}), of_lists=True)
    assert constraint_for(claim, coder, np.array([0, 1])).distinct == distinct
