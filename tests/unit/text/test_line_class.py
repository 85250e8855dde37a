import numpy as np

from spark_deid.text.column_layout import PAD
from spark_deid.text.token_columns.line_class import LINE_CLASS_COLUMNS, NO_LINE, fill_line_class
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import load_vocabulary

NAMES = [column.name for column in LINE_CLASS_COLUMNS]
CUT = ViewTokenizer(vocabulary=load_vocabulary(("en",)))


def fill(text: str) -> dict[str, list[int]]:
    tokens = CUT(TextView(text))
    out = np.zeros((len(NAMES), len(tokens) + 2 * PAD), np.uint64)
    fill_line_class(tokens.arrays, out)
    return {name: out[row, PAD:-PAD].tolist() for row, name in enumerate(NAMES)}


def kind(opener: int, length: int, mark: int) -> int:
    return (opener * 4 + length) * 8 + mark + 1


def test_lines_are_reported_by_opener_length_and_last_mark() -> None:
    rows = fill("Dear Ann,\nthis is what you asked for.\nThanks,\nBob")
    firsts = [0, 3, 10, 12]
    assert [rows["line.class"][t] for t in firsts] == [kind(2, 1, 2), kind(0, 3, 1), kind(1, 1, 2), kind(0, 0, 0)]


def test_each_line_knows_the_lines_around_it() -> None:
    rows = fill("Dear Ann,\nBye")
    assert rows["line.previous"] == [NO_LINE + 1] * 3 + [kind(2, 1, 2)]
    assert rows["line.next"] == [kind(0, 0, 0)] * 3 + [NO_LINE + 1]


def test_headers_and_lines_of_uppercase_are_reported() -> None:
    rows = fill("From Ann\nSubject: none\nfrom here")
    assert rows["line.header"] == [1, 1, 1, 1, 1, 0, 0]
    assert rows["line.capitals"] == [2, 2, 0, 0, 0, 0, 0]
    assert rows["line.short"] == [2, 2, 3, 3, 3, 2, 2]
