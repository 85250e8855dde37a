import re
from collections.abc import Callable
from functools import partial
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_deid.release.kernels.matching import ANOTHER_CASE, MOST_WORDS, SAME_CASE
from spark_deid.release.piece_search import cut_out_pieces, digest_texts, needles_of
from spark_deid.text.base_letters import base_letters, same_letters

LETTERS = "ab -_.é中\U0001d7d8½\n\u00a0AEeİıIŁlßsSS\u00ad\u0301\u0338ﬁfi\u200bΣσς"
MANY_WORDS = " ".join(["a", "b"] * MOST_WORDS)
WORD = re.compile(r"[^\W_]+")


def obviously_found(pieces: list[str], texts: list[str], spell: Callable[[str], str] = same_letters) -> set[int]:
    return {
        number for number, piece in enumerate(pieces) if any(map(partial(stands_in, spell(core(piece)), spell), texts))
    }


def core(piece: str) -> str:
    """Cut the marks off: what comes before the first letter and behind the last."""
    words = list(WORD.finditer(piece))
    return piece[words[0].start() : words[-1].end()] if words else ""


def stands_in(core: str, spell: Callable[[str], str], text: str) -> bool:
    """Write a text letter by letter, and look whether a piece is between places where letters of it do not meet."""
    letters = [spell(letter) for letter in text]
    is_word = [WORD.fullmatch(letter) is not None for letter in text]
    seen = [place for place, letter in enumerate(letters) if letter]
    for begin in range(len(seen)):
        for end in range(begin, len(seen)):
            if core and "".join(letters[at] for at in seen[begin : end + 1]) == core:
                before = begin and is_word[seen[begin - 1]]
                after = end + 1 < len(seen) and is_word[seen[end + 1]]
                if is_word[seen[begin]] and not before and not after:
                    return True
    return False


@given(st.lists(st.text(LETTERS, max_size=6), max_size=8), st.lists(st.text(LETTERS, max_size=30), max_size=3))
@example(["ﬁ a", "Aß", "ass", "\u0301a"], ["FI A", "A\u0338SS", "as-s"])
@example(["as", "ba"], ["aß", "ﬁba", "b\u00ada\u00ad"])
@example(["a b", "(a b)", "b a"], ["a", "b a-b"])
def test_needles_are_found_as_words_where_they_occur(pieces: list[str], texts: list[str]) -> None:
    needles = needles_of(pieces)
    assert needles.find(texts) == obviously_found(pieces, texts)
    found = needles.nothing()
    needles.search(texts, found)
    assert set(np.flatnonzero(found == SAME_CASE).tolist()) == obviously_found(pieces, texts, base_letters)
    for least, spell in ((ANOTHER_CASE, same_letters), (SAME_CASE, base_letters)):
        holding = needles.texts_holding(texts, np.full(len(pieces), least, np.uint8)).tolist()
        assert holding == [bool(obviously_found(pieces, [text], spell)) for text in texts]
    assert not needles.texts_holding(texts, np.full(len(pieces), SAME_CASE + 1, np.uint8)).any()


@pytest.mark.parametrize("text", [f"_{MANY_WORDS}", f"é{MANY_WORDS}"], ids=["a mark before", "a letter before"])
def test_of_many_words_all_are_compared(text: str) -> None:
    pieces = [MANY_WORDS, MANY_WORDS + "b", MANY_WORDS[:-1], f"-{MANY_WORDS} a", MANY_WORDS.upper()]
    assert needles_of(pieces).find([text]) == ({0, 2, 4} if text[0] == "_" else set())


def test_of_many_words_the_last_one_ends_where_the_text_has_an_end() -> None:
    pieces = [MANY_WORDS, f"{MANY_WORDS}b", f"{MANY_WORDS} f", f"{MANY_WORDS} FI"]
    assert needles_of(pieces).find([f"{MANY_WORDS}b"]) == {1}
    assert needles_of(pieces).find([f"{MANY_WORDS} ﬁ"]) == {0, 3}


@given(st.data(), st.text(LETTERS, min_size=1, max_size=40))
def test_parts_of_a_text_are_found_as_they_are_there(data: st.DataObject, text: str) -> None:
    starts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    pieces = [text[start : start + 5] for start in starts]
    assert needles_of(pieces).find([text]) == obviously_found(pieces, [text])


def test_needles_are_looked_for_in_a_part_of_a_column() -> None:
    texts = pa.array(["of Ann", None, "of Lee", "of Bob"]).slice(1, 2)
    assert needles_of(["Ann", "Lee", "Bob"]).find(texts) == {1}


@given(st.data())
def test_pieces_are_cut_out_of_texts_by_characters(data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text(LETTERS, max_size=12), max_size=3))
    lists = [
        [sorted(each) for each in data.draw(st.lists(st.tuples(*[st.integers(0, len(text))] * 2), max_size=4))]
        for text in texts
    ]
    pieces = [text[start:end].strip() for text, each in zip(texts, lists, strict=True) for start, end in each]
    borders = np.array([border for each in lists for border in each], np.int32).reshape(-1, 2)
    numbers = np.array([*accumulate(map(len, lists), initial=0)], np.int64)
    found, kept = cut_out_pieces(pa.array(texts, pa.string()), numbers, *borders.T.copy(), least=2)
    expected = [(number, piece) for number, piece in enumerate(pieces) if len(piece) >= 2]
    assert list(zip(kept.tolist(), found.to_pylist(), strict=True)) == expected


@pytest.mark.parametrize("every", [2, 3, 7])
def test_digests_choose_one_of_so_many(every: int) -> None:
    pieces = [f"piece number {number}" for number in range(3000)]
    chosen = np.flatnonzero(digest_texts(pieces) % every == 0)
    assert 0.9 < len(chosen) * every / len(pieces) < 1.1
    assert digest_texts(pieces[::-1]).tolist() == digest_texts(pieces).tolist()[::-1]
