import numpy as np

from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, exclude_characters, lay_out
from spark_deid.repeats.tokens import hidden_share, hide_whole, show_always, word_tokens, yield_documents
from tests.unit.repeats.obvious import hide_agreed, hide_rare_words


def shown(text: TextLayout, hidden: np.ndarray) -> list[str]:
    flags = [hidden[a : b - 1] for a, b in zip(text.characters, text.characters[1:], strict=False)]
    return [
        "".join("★" if hide else c for c, hide in zip(document, here, strict=True))
        for document, here in zip(yield_documents(text), flags, strict=True)
    ]


def test_rare_words_are_hidden_by_what_k_counts() -> None:
    text = lay_out(["Ann saw Bob, Bob", "Ann saw 日本"])
    assert shown(text, hide_rare_words(text, k=2, unit=CountingUnit.DOCUMENT)) == ["Ann saw ★★★, ★★★", "Ann saw ★★"]
    assert shown(text, hide_rare_words(text, k=2, unit=CountingUnit.OCCURRENCE)) == ["Ann saw Bob, Bob", "Ann saw ★★"]


def test_a_consensus_hides_what_both_hide() -> None:
    text = lay_out(["Ann saw Bob"])
    one = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0], bool)
    other = np.array([1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0], bool)
    assert shown(text, hide_agreed(text, one, other, share=0.2)) == ["★★★ saw ★★★"]
    assert shown(text, hide_agreed(text, one, other, share=0.5)) == ["★★★ saw Bob"]


def test_tokens_end_where_text_is_excluded() -> None:
    text = lay_out(["ab日cd★e", "x"])
    exclude_characters(text, [(0, [(2, 3)])])
    assert list(yield_documents(text)) == ["ab cd e", "x"]
    assert word_tokens(text).tolist() == [[0, 2], [3, 5], [6, 7], [8, 9]]


def test_shares_of_tokens() -> None:
    text = lay_out(["ab cd"])
    hidden = np.array([1, 0, 1, 1, 1, 0], bool)
    tokens = word_tokens(text)
    assert hidden_share(tokens, hidden).tolist() == [0.5, 1.0]
    assert hide_whole(tokens, hidden, 0.5).tolist() == hidden.tolist()
    assert hide_whole(tokens, hidden, 0.4).tolist() == [True] * 5 + [False]


def test_some_characters_can_be_shown_for_evaluation() -> None:
    text = lay_out(["a-b c"])
    assert shown(text, show_always(text, np.array([1, 1, 1, 1, 1, 0], bool))) == ["★-★ ★"]
