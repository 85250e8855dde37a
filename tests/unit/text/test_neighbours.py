import numpy as np
from numpy.typing import NDArray

from spark_deid.text.column_layout import PAD
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import FeatureSet
from spark_deid.text.token_columns.neighbours import LINE_START, LINE_STOP, NEIGHBOUR_COLUMNS
from spark_deid.text.token_columns.table import nothing_known
from spark_deid.text.view import TextView

SET = FeatureSet(name="beside", templates=tuple(column.name for column in NEIGHBOUR_COLUMNS), merged=False)


def fill(text: str) -> dict[str, NDArray[np.uint64]]:
    extractor = FeatureExtractor(SET, b"key")
    view = TextView(text)
    [window] = extractor.windows(view, extractor.tokenizer(view), nothing_known())
    names = [column.name for column in extractor.columns]
    return {name: window.columns[row, PAD:-PAD] for row, name in enumerate(names)}


def test_neighbours_are_those_of_the_line() -> None:
    rows = fill("one Two 3 four\nfive")
    words, shorts = rows["lower"], rows["short"]
    assert rows["left"].tolist() == [LINE_START, *words[:3], LINE_START]
    assert rows["left2"].tolist() == [LINE_START, LINE_START, *words[:2], LINE_START]
    assert rows["right"].tolist() == [*words[1:4], LINE_STOP, LINE_STOP]
    assert rows["right2"].tolist() == [*words[2:4], LINE_STOP, LINE_STOP, LINE_STOP]
    assert rows["left.short"].tolist() == [LINE_START, *shorts[:3], LINE_START]
    assert rows["right.shape"].tolist() == [*rows["shape"][1:4], LINE_STOP, LINE_STOP]


def test_only_words_of_neighbours_are_secret() -> None:
    assert [column.name for column in NEIGHBOUR_COLUMNS if column.secret] == ["left", "left2", "right", "right2"]


def test_a_text_of_one_token_has_no_neighbours() -> None:
    rows = fill("alone")
    assert {name: int(rows[name][0]) for name in ("left", "right", "left2", "right2")} == {
        "left": int(LINE_START),
        "left2": int(LINE_START),
        "right": int(LINE_STOP),
        "right2": int(LINE_STOP),
    }
    assert np.array_equal(rows["left.shape"], [LINE_START])
