"""Parts that no longer parse are counted by other parsers than those that edits are cut with."""

import pyarrow as pa
import pytest

from spark_deid.guarantees.coverage import CheckedEdit
from spark_deid.guarantees.syntax import count_broken, hides_whole, may_break

JSON = '{"name": "Ann Lee", "tel": 3025550142, "seen": [1, "x"]}'
HL7 = "MSH|^~\\&|LAB\rPID|1||77||LEE^ANN||19640502"
CSV = "name,age,ward\nAnn Lee,44,B2\n"


def edit(text: str, piece: str, new: str = "[NAME]", technique: str = "suppress") -> CheckedEdit:
    start = text.index(piece)
    return CheckedEdit(start, start + len(piece), technique, new, "NAME")


@pytest.mark.parametrize(
    ("text", "piece", "new", "broken"),
    [
        (JSON, "Ann Lee", "[NAME]", 0),
        (JSON, "Ann Lee", 'A"B', 1),
        (JSON, "3025550142", "[PHONE]", 1),
        (JSON, "3025550142", "17", 0),
        (JSON, '1, "x"', '"y"', 1),
        (JSON, '"Ann Lee"', "[1]", 1),
        (JSON, JSON, "[NAME]", 0),
        (f"log {JSON}", 'log {"name', "[NAME]", 1),
        (f'{JSON}\n{{"a": 1}}', "1}", "1", 1),
        (HL7, "LEE^ANN", "[NAME]", 0),
        (HL7, "77||LEE", "[NAME]", 1),
        (HL7, "PID", "[NAME]", 1),
        (HL7, "77", "a|b", 1),
        (CSV, "Ann Lee", "[NAME]", 0),
        (CSV, "Ann Lee,44", "[NAME]", 1),
        (CSV, "Ann Lee,44,B2", "[NAME]", 0),
        (CSV, "Ann Lee", '"Lee, Ann"', 0),
        ("We met Ann, Tom, Eve\nand Max, Pat, Sue.", "Ann, Tom", "[NAME]", 0),
        ('{"a": [', "a", 'b"', 0),
    ],
)
def test_parts_that_no_longer_parse_are_counted(text: str, piece: str, new: str, broken: int) -> None:
    assert count_broken(text, [edit(text, piece, new)]) == broken
    if broken:
        assert may_break(pa.array([text]))[0]


def test_masks_do_not_count() -> None:
    assert count_broken(JSON, [edit(JSON, 'Lee"', "★", "mask")]) == 0


def test_a_place_is_whole_lines_or_a_value() -> None:
    start = HL7.index("PID")
    assert hides_whole(HL7, start, len(HL7))
    assert not hides_whole(HL7, start, len(HL7) - 1)
    assert not hides_whole("Ann\nLee", 0, 7)
    assert hides_whole(f"see {JSON}", 4, 4 + len(JSON))


def test_deep_nesting_and_many_brackets_are_no_exception() -> None:
    bomb = '{"a":' * 20_000
    assert count_broken(bomb, [CheckedEdit(2, 3, "suppress", "[X]", "X")]) == 0
    assert count_broken('["' * 50_000, [CheckedEdit(2, 3, "suppress", "[X]", "X")]) == 0
