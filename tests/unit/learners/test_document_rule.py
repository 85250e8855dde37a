import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.learners.document_rule import SHARE, SURE, RuleProbabilities, apply_rule
from spark_deid.text.tokenizer import TokenBorder, ViewTokenizer
from spark_deid.text.view import TextView

CUT = ViewTokenizer(TokenBorder.MARK, merged=False)


def spread_out(words: list[str], chances: list[float]) -> RuleProbabilities:
    tokens = CUT(TextView(" ".join(words)))
    return apply_rule(tokens, np.array(chances, float))


def obvious(words: list[str], chances: list[float]) -> list[float]:
    result = []
    for word, chance in zip(words, chances, strict=True):
        best = max(c for w, c in zip(words, chances, strict=True) if w == word)
        is_form = word[0].isupper() and len(word) > 1 and word.lower() not in words
        result.append(max(chance, SHARE * best) if is_form and best >= SURE else chance)
    return result


def test_a_sure_name_spreads_to_its_other_places() -> None:
    after = spread_out(["Ann", "saw", "Ann", "Bob"], [0.8, 0.0, 0.1, 0.6])
    assert after.chances.tolist() == [0.8, 0.0, 0.4, 0.6]
    assert after.origins.tolist() == [0, 1, 0, 3]


def test_a_form_that_is_also_an_ordinary_word_does_not_spread() -> None:
    assert spread_out(["May", "may", "May"], [0.9, 0.0, 0.1]).chances.tolist() == [0.9, 0.0, 0.1]


def test_single_letters_and_unsure_names_do_not_spread() -> None:
    assert spread_out(["A", "A", "Ann", "Ann"], [0.9, 0.1, 0.69, 0.1]).chances.tolist() == [0.9, 0.1, 0.69, 0.1]


WORDS = st.lists(st.tuples(st.sampled_from(["Ann", "ann", "ANN", "Bob", "A", "a", "x1"]), st.floats(0, 1)), max_size=12)


@given(WORDS)
def test_it_is_what_obvious_code_states(drawn: list[tuple[str, float]]) -> None:
    words, chances = [word for word, _ in drawn], [chance for _, chance in drawn]
    found = spread_out(words, chances).chances.tolist() if words else []
    assert found == obvious(words, chances)
