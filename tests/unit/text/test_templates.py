from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.errors import UsageError
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import feature_set, feature_sets
from spark_deid.text.kernels.expansion import expand, reduce
from spark_deid.text.templates import FeatureTemplate, TemplateTable, compile_templates, parse_template, parse_templates
from spark_deid.text.token_columns.table import COLUMNS

NAMES = columns_of("a b c d e")


def expanded(
    templates: Sequence[FeatureTemplate], columns: NDArray[np.uint64]
) -> tuple[TemplateTable, NDArray[np.uint64]]:
    table = compile_templates(templates, NAMES)
    n = columns.shape[1] - 2 * PAD
    out = np.empty((len(templates), n), np.uint64)
    expand(columns, 0, n, table.cells, table.sizes, table.seeds, out)
    return table, out


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.uint64] | None:
    """Small integers, as columns have them, so that tuples repeat and sums or exclusive ors of cells coincide."""
    n = draw(st.integers(1, 6))
    cells = draw(st.lists(st.integers(0, 3), min_size=5 * n, max_size=5 * n))
    columns = np.zeros((5, n + 2 * PAD), np.uint64)
    columns[:, PAD : PAD + n] = np.array(cells, np.uint64).reshape(5, n)
    return columns


TEMPLATES = st.lists(
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(-PAD, PAD)), min_size=1, max_size=5).map(
        lambda cells: parse_template(" ".join(f"{name}[{offset:+d}]" if offset else name for name, offset in cells))
    ),
    min_size=1,
    max_size=4,
    unique=True,
)


@given(TEMPLATES, tables())
def test_hashes_are_equal_exactly_where_template_and_values_are(
    templates: list[FeatureTemplate], columns: NDArray[np.uint64]
) -> None:
    _, out = expanded(templates, columns)
    seen: dict[int, object] = {}
    for f, template in enumerate(templates):
        for i in range(out.shape[1]):
            values = tuple(int(columns["abcde".index(name), i + offset + PAD]) for name, offset in template.cells)
            if 0 in values:
                assert out[f, i] == 0
            else:
                assert seen.setdefault(int(out[f, i]), (f, values)) == (f, values)
                assert out[f, i]


@given(TEMPLATES, tables())
def test_a_part_of_the_tokens_has_the_same_hashes(
    templates: list[FeatureTemplate], columns: NDArray[np.uint64]
) -> None:
    table, out = expanded(templates, columns)
    for first in range(out.shape[1]):
        part = np.empty((len(templates), out.shape[1] - first), np.uint64)
        expand(columns, first, out.shape[1], table.cells, table.sizes, table.seeds, part)
        assert (part == out[:, first:]).all()


def test_the_hash_of_a_template_does_not_depend_on_the_others() -> None:
    columns = np.ones((5, 1 + 2 * PAD), np.uint64)
    _, together = expanded(parse_templates(["a", "b[-1] c"]), columns)
    _, alone = expanded(parse_templates(["b[-1] c !"]), columns)
    assert together[1, 0] == alone[0, 0]


def test_reduced_tokens_keep_the_templates_marked_for_them() -> None:
    out = np.ones((2, 3), np.uint64)
    reduce(np.array([False, True, False]), np.array([True, False]), out)
    assert out.tolist() == [[1, 1, 1], [1, 0, 1]]


@pytest.mark.parametrize("line", ["", "!", "A", "a[1]", "a[+10]", "a b c d e a", "a[-1"])
def test_a_malformed_template_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="columns"):
        parse_template(line)


@pytest.mark.parametrize("line", ["nothing", "a[+5]"])
def test_an_unknown_column_or_distance_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="known columns"):
        compile_templates([parse_template(line)], NAMES)


@pytest.mark.parametrize("name", feature_sets())
def test_bundled_sets_are_readable_and_without_repeats(name: str) -> None:
    templates = feature_set(name).parsed()
    assert len(set(templates)) == len(templates)
    assert len(FeatureExtractor(feature_set(name), b"").templates.sizes) == len(templates)
    assert parse_templates(map(str, templates)) == templates


def test_templates_that_carry_words_are_known_as_secret() -> None:
    table = compile_templates(parse_templates(["shape", "lower", "shape label[-1]", "known"]), COLUMNS)
    assert table.secret.tolist() == [False, True, True, True]


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(UsageError, match="hide"):
        feature_set("none")
