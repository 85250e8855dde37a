from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import SparkDeidError
from spark_deid.repeats.recount.pieces import TextPieces, edits_in, evidence_pieces, is_star, published_runs
from tests.unit.repeats import obvious

Cells = Sequence[Sequence[Edit] | None]


def strings(pieces: TextPieces, texts: int) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in range(texts)]
    for start, end, text in zip(*(column.tolist() for column in pieces[1:]), strict=True):
        found[text].append(pieces.data[start:end].tobytes().decode())
    return found


def batch_of(cells: Cells) -> pa.RecordBatch:
    """Write edits as the columns that are compared."""
    columns = {
        "starts": pa.array(
            [None if cell is None else [edit.start for edit in cell] for cell in cells], pa.list_(pa.int32())
        ),
        "ends": pa.array(
            [None if cell is None else [edit.end for edit in cell] for cell in cells], pa.list_(pa.int32())
        ),
        "replaced": pa.array(
            [None if cell is None else [len(edit.replacement) for edit in cell] for cell in cells], pa.list_(pa.int32())
        ),
        "hides": pa.array(
            [None if cell is None else [is_star(edit.replacement) for edit in cell] for cell in cells],
            pa.list_(pa.bool_()),
        ),
    }
    return pa.RecordBatch.from_pydict(columns)


def shown(texts: Sequence[str | None], cells: Cells, excluded: Sequence[str] = ()) -> list[list[str]]:
    return strings(published_runs(pa.array(texts, pa.string()), edits_in(batch_of(cells)), excluded), len(texts))


def counted(texts: Sequence[str | None], cells: Cells, excluded: Sequence[str] = ()) -> list[list[str]]:
    return strings(evidence_pieces(pa.array(texts, pa.string()), edits_in(batch_of(cells)), excluded), len(texts))


def test_runs_are_what_is_between_replacements_wherever_they_look_equal() -> None:
    original = "see Quu at Anna [X] ★ end"
    edits = [Edit(11, 15, "suppress", "[NAME]"), Edit(4, 7, "suppress", "★")]
    assert shown([apply_edits(original, edits)], [edits], ("[X]",)) == [["see ", " at ", " ", " ", " end"]]
    assert counted([original], [edits], ("[X]",)) == [["see Quu at ", " ", " ", " end"]]


def test_a_changed_release_is_cut_where_its_edits_are() -> None:
    edits = [Edit(4, 7, "suppress", "★")]
    assert shown(["see ★ but", "see Quu now", "se", None, "é★"], [edits, edits, edits, edits, []]) == [
        ["see ", " but"],
        ["see Quu now"],
        ["se"],
        [],
        ["é"],
    ]


def test_what_was_to_be_hidden_and_is_not_is_shown() -> None:
    original, hidden = "see Quux now", [Edit(4, 8, "suppress", "★★★★")]
    assert shown([original, "see ★uux now", "see ★★★★ now"], [hidden] * 3) == [
        [original],
        ["see ", "uux now"],
        ["see ", " now"],
    ]
    one = [Edit(0, 3, "suppress", "[X]"), Edit(4, 8, "suppress", "★")]
    assert shown(["[X] Q now"], [one]) == [[" Q now"]]


def test_overlapping_edits_show_no_character_twice() -> None:
    text, start = "★a" * 60, 0
    edits = []
    for _ in range(8):
        # By its place the one ends at the first character again, and the other begins behind the last.
        after = start + 1 + len(text)
        edits += [Edit(start, start + 1, "suppress", ""), Edit(after, after + 1 + len(text), "suppress", "")]
        start = after + 1
    assert sum(map(len, shown([text], [edits])[0])) <= 60


def test_what_overlapping_edits_replace_is_no_evidence() -> None:
    edits = [Edit(1, 6, "suppress", "[X]"), Edit(2, 4, "suppress", "[Y]")]
    assert counted(["abcdefgh"], [edits]) == [["a", "gh"]]


def test_stars_only_are_stars() -> None:
    texts = ["★", "★★", "", "[NAME]", "★a", "é★"]
    assert [is_star(text) for text in texts] == [True, True, False, False, False, False]


def test_null_cells_and_parts_of_columns_are_read() -> None:
    batch = batch_of([None, [Edit(0, 1, "a", "x")], None, [Edit(1, 2, "a", "y"), Edit(0, 1, "a", "★")]])[1:]
    assert edits_in(batch).before.tolist() == [0, 1, 1, 3]
    assert edits_in(batch).starts.tolist() == [0, 0, 1]
    assert edits_in(batch).hides.tolist() == [False, True, False]
    texts = pa.array(["no", "éab", None, "日bc"])
    assert strings(published_runs(texts[1:], edits_in(batch), ()), 3) == [["ab"], [], ["日", "c"]]


def test_columns_that_do_not_fit_are_refused() -> None:
    batch = batch_of([[Edit(0, 1, "a", "x")]])
    with pytest.raises(SparkDeidError, match="as many"):
        edits_in(batch.set_column(1, "ends", pa.array([[]], pa.list_(pa.int32()))))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit], str]:
    """Draw a text, disjoint edits of it, and what is published, which need not be what they make of it."""
    text = draw(st.text("ab★é日😀[]", max_size=20))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    replacements = st.sampled_from(["★", "★★", "", "[a]", "日", "★a"])
    edits = [Edit(a, b, "suppress", draw(replacements)) for a, b in zip(borders[::2], borders[1::2], strict=False)]
    return text, edits, draw(st.sampled_from([apply_edits(text, edits), text, text[:5]]))


@given(st.lists(edited(), max_size=4), st.sampled_from([(), ("[a]",), ("a", "ab"), ("[★", "日")]))
def test_pieces_are_those_of_plain_cutting(rows: Any, excluded: Any) -> None:
    texts, cells, published = ([row[i] for row in rows] for i in range(3))
    pairs = zip(published, cells, strict=True)
    expected = [list(obvious.published_runs(text, edits, excluded)) for text, edits in pairs]
    assert shown(published, cells, excluded) == expected
    expected = [list(obvious.evidence(text, edits, excluded)) for text, edits in zip(texts, cells, strict=True)]
    assert counted(texts, cells, excluded) == expected
