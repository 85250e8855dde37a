from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.tokenizer import ViewTokenizer, cut_tokens
from spark_deid.text.view import TextView

PLAIN = ViewTokenizer(merged=False)


@given(st.lists(st.sampled_from(["a", ".", " ", "\n"]), max_size=40).map("".join), st.integers(2, 9))
def test_pieces_follow_one_another_and_are_short(text: str, longest: int) -> None:
    tokens = PLAIN(TextView(text))
    pieces = list(cut_tokens(tokens, longest))
    assert [token for first, end in pieces for token in range(first, end)] == list(range(len(tokens)))
    assert all(0 < end - first <= longest for first, end in pieces)


def test_a_piece_ends_at_a_line_then_at_a_sentence_then_anywhere() -> None:
    assert list(cut_tokens(PLAIN(TextView("a b c\nd e f g h")), 5)) == [(0, 3), (3, 8)]
    assert list(cut_tokens(PLAIN(TextView("a b c. d e f g h")), 5)) == [(0, 4), (4, 9)]
    assert list(cut_tokens(PLAIN(TextView("a b c d e f g h")), 5)) == [(0, 5), (5, 8)]
