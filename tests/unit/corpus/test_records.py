"""Annotations of plain rows are read at once: as those that are checked closely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus import records
from spark_deid.corpus.records import spans_of_rows

TEXT = "Ann \U0001f600 Lee"
OFFSETS = st.sampled_from([0, 3, 4, 6, 9, 10, -1, True, False, None, 3.0, "3"])
VALUES = {
    "start": OFFSETS,
    "end": OFFSETS,
    "label": st.sampled_from(["NAME", "", "a b", None, 7]),
    "text": st.sampled_from([None, "Ann", "Ann ", "Lee", 7, TEXT]),
    "annotation_id": st.sampled_from([None, "T1", "\ud800", 7]),
    "score": st.sampled_from([None, 0.5, 1, True, float("nan"), "1"]),
}
PLAIN: dict[str, object] = {"start": 0, "end": 3, "label": "NAME"}
ROWS = st.one_of(
    st.builds(lambda start, end: PLAIN | {"start": start, "end": end}, OFFSETS, OFFSETS),
    *(st.fixed_dictionaries({name: values}).map(PLAIN.__or__) for name, values in VALUES.items()),
    st.fixed_dictionaries({}, optional=VALUES),
    st.sampled_from([None, [], "NAME"]),
)


def read(rows: list[object]) -> tuple[Span, ...] | str:
    try:
        return spans_of_rows(TEXT, rows)
    except FormatError as error:
        return f"{error.reason}: {error.detail}"


@given(st.lists(ROWS, max_size=3))
def test_rows_are_read_as_without_a_short_way(rows: list[object]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "_plain_span", lambda text, row: None)
        expected = read(rows)
    assert read(rows) == expected


def test_plain_rows_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_span_of_row", None)
    rows = [{"start": 0, "end": 3, "label": "NAME"}, {"start": 6, "end": 9, "label": "NAME", "text": "Lee"}]
    assert spans_of_rows(TEXT, rows) == (Span(0, 3, "NAME", source="gold"), Span(6, 9, "NAME", source="gold"))
