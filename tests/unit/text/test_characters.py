import unicodedata

import numpy as np
import pytest

from spark_deid.text.kernels.characters import (
    COMBINING,
    DIGIT,
    HAN,
    HIRAGANA,
    KATAKANA,
    LETTER,
    LOWER,
    MARK,
    NEWLINE,
    SPACE,
    UNSPACED,
    UPPER,
    characters,
)

EXAMPLES = {
    LOWER: "aª",
    UPPER: "Á𝒜",
    DIGIT: "7٣",
    MARK: "_😀\U0010ffff",
    SPACE: " \u00a0\t",
    NEWLINE: "\n\r\u2028",
    LETTER: "한א",
    COMBINING: "\u0301\u200d\U000e0100",
    HAN: "漢𠀀々",
    HIRAGANA: "か",
    KATAKANA: "ナー",
    UNSPACED: "ก",
}


@pytest.mark.parametrize(("char", "expected"), [(char, kind) for kind, chars in EXAMPLES.items() for char in chars])
def test_class_of_a_character(char: str, expected: int) -> None:
    assert characters().classes[ord(char)] == expected


def test_classes_agree_with_python_in_the_blocks_that_are_not_looked_at() -> None:
    tables = characters()
    for code in (*range(0x3400, 0x3500), *range(0x20000, 0x20100), 0xE000, 0xF8FF, 0x10FFFD):
        assert (tables.classes[code] == HAN) == (unicodedata.category(chr(code)) == "Lo")
        assert tables.lower[code] == code


def test_lower_case_is_pythons_where_it_is_one_code_point() -> None:
    tables = characters()
    for code in range(0x3000):
        lower = chr(code).lower()
        assert tables.lower[code] == (ord(lower) if len(lower) == 1 else code)
    assert tables.lower.dtype == np.uint32
