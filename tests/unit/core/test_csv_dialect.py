import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.csv_dialect import CsvDialect, likely_dialect
from spark_deid.core.errors import UsageError

BACKSLASH = CsvDialect(escape="\\")
CELLS = st.lists(
    st.lists(st.text(alphabet='ab,;"\\\r\n é', max_size=8), min_size=2, max_size=2), min_size=1, max_size=5
)


def written_by_spark(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as Spark does: cells with a delimiter, a quote or a line end are quoted, their escapes are escaped."""

    def cell(value: str) -> str:
        if not value or any(sign in value for sign in ',"\r\n'):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return value

    return "".join(",".join(map(cell, row)) + "\n" for row in rows)


@given(CELLS)
def test_rows_of_spark_come_back(rows: list[list[str]]) -> None:
    assert list(BACKSLASH.rows(written_by_spark(rows))) == rows


@pytest.mark.parametrize("block", [1, 2, 3, 7])
@given(CELLS)
def test_rows_come_back_from_blocks_of_any_size(block: int, rows: list[list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spark_deid.core.csv_dialect._BLOCK", block)
        text = written_by_spark(rows)
        assert list(BACKSLASH.rows(text)) == rows
        assert list(BACKSLASH.rows_of_stream(io.StringIO(text[3:], newline=""), text[:3])) == rows


@given(CELLS, st.sampled_from(["\n", "\r\n"]))
def test_rows_with_doubled_quotes_come_back(rows: list[list[str]], end: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end, delimiter=";", quotechar="'", quoting=csv.QUOTE_ALL).writerows(rows)
    assert list(CsvDialect(";", "'", "'").rows(stream.getvalue())) == rows


@pytest.mark.parametrize("text", ['"a"b,c\n', 'x,"abc\n', '"abc\\"', '"a""b"\n'])
def test_quotes_that_do_not_fit_are_errors(text: str) -> None:
    with pytest.raises(csv.Error):
        list(BACKSLASH.rows(text))


def test_a_long_row_takes_linear_time() -> None:
    text = '"' + "a\\" * 200_000
    with pytest.raises(csv.Error):
        list(BACKSLASH.rows(text))


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ('note,n\n"a \\"b\\"",1\n', BACKSLASH),
        ('note,n\n"a \\", b\\"",1\n', BACKSLASH),
        ("note;n\n'a; b';1\n", CsvDialect(";", "'", "'")),
        ("n\tnote\n1\ta, b\n", CsvDialect("\t")),
        ("note,n\na,1\n", None),
        ('note,n\n"a,1\n', None),
        ("a;b\n1;2\n", None),
    ],
)
def test_the_dialect_that_fits_is_guessed(text: str, likely: CsvDialect | None) -> None:
    assert likely_dialect(text, CsvDialect(), "note") == likely
    if likely is not None:
        assert likely_dialect(text, likely, "note") is None


@pytest.mark.parametrize("options", [{"quote": ""}, {"escape": "ab"}, {"delimiter": "\n"}, {"quote": ","}])
def test_wrong_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        CsvDialect.of_options(options)


def test_a_quote_is_doubled_unless_an_escape_is_named() -> None:
    assert CsvDialect.of_options({"quote": "'", "delimiter": "\\t"}) == CsvDialect("\t", "'", "'")
    assert CsvDialect.of_options({"escape": "\\"}) == BACKSLASH
