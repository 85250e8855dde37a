import re
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_deid.release.kernels.matching import MOST_WORDS
from spark_deid.release.needles import cut, digests, needles_of

LETTERS = "ab -_.é中\U0001d7d8½\n\u00a0"
MANY_WORDS = " ".join(["a", "b"] * MOST_WORDS)
WORD = re.compile(r"[^\W_]+")


def obviously_found(pieces: list[str], texts: list[str]) -> set[int]:
    found = set()
    for number, piece in enumerate(pieces):
        words = list(WORD.finditer(piece))
        core = piece[words[0].start() : words[-1].end()] if words else ""
        found |= {number for text in texts for at in range(len(text)) if core and stands(core, text, at)}
    return found


def stands(core: str, text: str, at: int) -> bool:
    before, after = text[max(0, at - 1) : at], text[at + len(core) : at + len(core) + 1]
    return text.startswith(core, at) and not before.isalnum() and not after.isalnum()


@given(st.lists(st.text(LETTERS, max_size=6), max_size=8), st.lists(st.text(LETTERS, max_size=30), max_size=3))
@example([MANY_WORDS, MANY_WORDS + "b", MANY_WORDS[:-1], f"-{MANY_WORDS} a"], [f"_{MANY_WORDS}"])
@example(["a b", "(a b)", "b a"], ["a", "b a-b"])
def test_needles_are_found_as_words_where_they_stand(pieces: list[str], texts: list[str]) -> None:
    assert needles_of(pieces).found(texts) == obviously_found(pieces, texts)


@given(st.data(), st.text(LETTERS, min_size=1, max_size=40))
def test_parts_of_a_text_are_found_as_they_stand_there(data: st.DataObject, text: str) -> None:
    starts = data.draw(st.lists(st.integers(0, len(text)), max_size=8))
    pieces = [text[start : start + 5] for start in starts]
    assert needles_of(pieces).found([text]) == obviously_found(pieces, [text])


def test_needles_are_looked_for_in_a_part_of_a_column() -> None:
    texts = pa.array(["of Ann", None, "of Lee", "of Bob"]).slice(1, 2)
    assert needles_of(["Ann", "Lee", "Bob"]).found(texts) == {1}


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
    found, kept = cut(pa.array(texts, pa.string()), numbers, *borders.T.copy(), least=2)
    expected = [(number, piece) for number, piece in enumerate(pieces) if len(piece) >= 2]
    assert list(zip(kept.tolist(), found.to_pylist(), strict=True)) == expected


@pytest.mark.parametrize("every", [2, 3, 7])
def test_digests_choose_one_of_so_many(every: int) -> None:
    pieces = [f"piece number {number}" for number in range(3000)]
    chosen = np.flatnonzero(digests(pieces) % every == 0)
    assert 0.9 < len(chosen) * every / len(pieces) < 1.1
    assert digests(pieces[::-1]).tolist() == digests(pieces).tolist()[::-1]
