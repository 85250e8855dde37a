"""Words and letters that show a gender: what is found, near misses, and a recount with a separate list."""

import pytest

from spark_deid.identity.gendered import gendered_spans
from spark_deid.identity.recount import reading as recount
from spark_deid.identity.recount.reading import gendered_places


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in gendered_spans(text, [])]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Yes, sir.", ["sir"]),
        ("No, ma'am, no MA’AM", ["ma'am", "MA’AM"]),
        ("mr smith, mrs. Lee, miss Fox, ms [NAME]", ["mr", "mrs", "miss", "ms"]),
        ("her fiancée's goddaughters", ["her", "fiancée", "goddaughters"]),
        ("two waitresses, policemen and a spokeswoman", ["waitresses", "policemen", "spokeswoman"]),
        ("A 54M, a 61 y/o F, 70 yo m, 33F.", ["M", "F", "m", "F"]),
        ("Sex: M; gender F; (F), M/54", ["M", "F", "F", "M"]),
        ("54 year old F; 54-year-old, M", ["F", "M"]),
    ],
)
def test_words_and_letters_show_a_gender(text: str, told: list[str]) -> None:
    assert found(text) == told


@pytest.mark.parametrize(
    "text",
    ["missed a dose, do not miss it", "QRS 40 ms", "T 98.6 F", "T 98F", "temp: 101 F", "54 MRI", "vitamin F, M.D."],
)
def test_other_words_and_letters_are_left(text: str) -> None:
    assert found(text) == []
    assert gendered_places(text) == []


def test_all_that_the_recount_counts_is_found() -> None:
    for word in sorted({*recount._ALWAYS, *recount._CAPITAL}):
        for written in (word, word.capitalize(), word.upper()):
            if gendered_places(f"so {written}, that"):
                assert found(f"so {written}, that") == [written]
    for short in ("54M", "54 yo F", "54 y/o, M", "54 year-old F", "Sex: f", "sex:M", "ma'am"):
        text = f"so {short}, that"
        assert gendered_places(text)
        assert found(text)
