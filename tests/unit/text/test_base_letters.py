import unicodedata

import numpy as np
import pytest

from spark_deid.text.base_letters import SKIPPED, base_letters, same_letters, units


@pytest.mark.parametrize(
    "spellings",
    [
        ("İZMİR", "Izmir", "ızmir", "i\u0307zmir", "IZMI\u0338R"),
        ("Łódź", "LODZ", "lo\u0301dz\u0301", "\uff2c\u00f3dz"),
        ("Weißenhorn", "WEISSENHORN", "WEIẞENHORN"),
        ("Sørensen", "SORENSEN", "So\u0338rensen"),
        ("ﬁnn ﬂy", "Finn FLY"),
        ("Ærø Œuvre Þórr Đặng", "AERO OEUVRE THORR DANG"),
        ("Ελένη", "ΕΛΕΝΗ"),
        ("Семён", "СЕМЕН"),
        ("P\u00ad\u00e9\u200brez", "perez"),
    ],
    ids=lambda spellings: spellings[-1],
)
def test_spellings_of_one_word_are_equal(spellings: tuple[str, ...]) -> None:
    assert len(set(map(same_letters, spellings))) == 1


@pytest.mark.parametrize("other", ["Müller Mueller", "o 0", "が か", "½ 12", "² 2", "1\u20442 12"])
def test_other_words_are_not(other: str) -> None:
    one, two = other.split()
    assert same_letters(one) != same_letters(two)


def test_case_remains_and_what_is_no_letter_too() -> None:
    assert base_letters("İ ı ẞ ß € ½ ² ™ 中 Ⅷ") == "I i SS ss € ½ ² ™ 中 Ⅷ"


@pytest.mark.parametrize("is_cased", [True, False])
def test_compiled_code_compares_as_texts_are_written(*, is_cased: bool) -> None:
    table = units(is_cased=is_cased)
    spell = base_letters if is_cased else same_letters
    for code in (*range(1, 0x3000), *range(0xF900, 0x10000), *range(0x1D400, 0x1D800)):
        if unicodedata.category(chr(code)) != "Cn":
            written = spell(chr(code)).encode()
            unit = int(table[code])
            told = chr(code).encode() if not unit else unit.to_bytes(8, "little").rstrip(b"\0")
            assert (b"" if unit == SKIPPED else told) == written, hex(code)
    assert np.count_nonzero(table == SKIPPED)
