from pathlib import Path

import pytest

from spark_deid.anonymity.generalization import number_ranges, tree_of, widths_over
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.ontology.hierarchy import parse_hierarchy, read_hierarchies, read_hierarchy


def test_a_hierarchy_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "city.csv"
    path.write_text('"a;b";A;*\n"q""";A;*\n')
    assert read_hierarchy(path).rows == (("a;b", "A", "*"), ('q"', "A", "*"))


def test_without_one_label_for_all_a_level_is_added() -> None:
    assert parse_hierarchy("a;A\nb;B\n", "x").rows == (("a", "A", "*"), ("b", "B", "*"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a;A;*\nb;*\n", "line 2: expected 3 labels, found 2"),
        ("a;A;X;*\nb;A;Y;*\n", "line 2: the label of level 1 has two parents"),
        ("a;A;*\na;B;*\n", "line 2: the label of level 0 has two parents"),
        ("", "expected at least one row"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(SparkDeidError, match=told):
        parse_hierarchy(text, "x")


def test_a_folder_without_a_file_of_a_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"age\.csv"):
        read_hierarchies(tmp_path, ["age"])


def test_a_tree_has_leaves_of_a_node_side_by_side() -> None:
    tree = tree_of(parse_hierarchy("a;A;*\nc;B;*\nb;A;*\n", "x"))
    assert tree.leaves == ("a", "b", "c")
    assert tree.labels[tree.lowest(1, 2)] == "A"
    assert tree.labels[tree.lowest(1, 3)] == "*"
    assert tree.labels[tree.lowest(3, 3)] == "c"


def test_a_missing_value_is_below_the_root_only() -> None:
    tree = tree_of(parse_hierarchy("a;A;*\nb;A;*\n", "x"))
    assert tree.lowest(0, 1) == 0
    assert tree.labels[tree.lowest(1, 2)] == "A"
    assert tree.parent[tree.nodes[0]] == 0


def test_ranges_of_numbers_below_zero_begin_at_multiples() -> None:
    assert number_ranges(["-3", "-5", "4"], (5, 10)).rows[0] == ("-3", "[-5..-1]", "[-10..-1]", "*")


def test_ranges_of_fractions_end_where_the_next_begins() -> None:
    rows = number_ranges(["-0.5", "4.5"], (5, 10)).rows
    assert rows == (("-0.5", "[-5..0)", "[-10..0)", "*"), ("4.5", "[0-5)", "[0-10)", "*"))
    assert widths_over(3) == (5,)


def test_ranges_of_numbers_beyond_all_digits_of_decimals() -> None:
    row = number_ranges(["1e300", "0.5"], (5, 10)).rows[0]
    assert row[2] == f"[{10**300}-{10**300 + 10})"


def test_a_cell_too_long_is_reported_by_name() -> None:
    with pytest.raises(SparkDeidError, match="town: expected CSV, with cells of at most 131,072"):
        parse_hierarchy("x" * 200_000 + ";*\n", "town")
