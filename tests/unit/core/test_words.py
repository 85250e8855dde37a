from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.words import WORD, count_words, word_borders

TEXTS = st.lists(
    st.sampled_from(["ab", "_", " ", "é\u0301", "٣", "漢", "😀", "𝒜", "\ud800", "-", "\n"]) | st.text()
).map("".join)


@given(TEXTS)
def test_borders_are_those_of_the_expression(text: str) -> None:
    starts, ends = word_borders(text)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [match.span() for match in WORD.finditer(text)]


@given(TEXTS, st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=5))
def test_words_that_share_no_character_with_an_interval_are_untouched(text: str, places: list[tuple[int, int]]) -> None:
    intervals = [(start, start + length) for start, length in places]
    words = [match.span() for match in WORD.finditer(text)]
    untouched = [w for w in words if not any(start < w[1] and w[0] < end for start, end in intervals)]
    assert count_words(text, intervals) == (len(words), len(untouched))
