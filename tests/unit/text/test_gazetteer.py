import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.span import Span
from spark_deid.text.column_layout import PAD
from spark_deid.text.gazetteer import WordFacts, gazetteer, gazetteer_hash, pack
from spark_deid.text.token_columns.gazetteer import (
    BORDER,
    FIRST_KEY,
    GAZETTEER_COLUMNS,
    NO_WORD,
    REMOVED,
    fill_gazetteer,
)
from spark_deid.text.tokenizer import TokenBorder, ViewTokenizer
from spark_deid.text.view import TextView

NAMES = [column.name for column in GAZETTEER_COLUMNS]
CUT = ViewTokenizer(TokenBorder.MARK, merged=False)


def fill(view: TextView, table: NDArray[np.uint64]) -> dict[str, list[int]]:
    tokens = CUT(view)
    out = np.empty((len(NAMES), len(tokens) + 2 * PAD), np.uint64)
    fill_gazetteer(tokens.lower, tokens.classes, tokens.arrays, table, out)
    return {name: out[row, PAD:-PAD].tolist() for row, name in enumerate(NAMES)}


def obvious(word: str, facts: dict[str, WordFacts]) -> int:
    about = facts.get(word.lower(), WordFacts())
    case = 2 if word.isupper() and len(word) > 1 else int(word[0].isupper())
    lists = about.given | about.surname << 2 | about.place << 3
    common = about.packed() >> 14
    return FIRST_KEY + (lists * 3 + case) * 4 + common


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=4),
        st.builds(
            WordFacts,
            given=st.integers(0, 2),
            surname=st.booleans(),
            place=st.booleans(),
            lemma=st.booleans(),
            small=st.integers(0, 200),
            large=st.integers(0, 200),
        ),
        max_size=12,
    ),
    st.lists(st.text("abcABC", min_size=1, max_size=4), max_size=8),
)
def test_words_get_what_obvious_code_states(facts: dict[str, WordFacts], words: list[str]) -> None:
    table = pack(facts)
    assert fill(TextView(" ".join(words)), table)["gaz"] == [obvious(word, facts) for word in words]


def test_each_fact_has_its_column() -> None:
    about = WordFacts(given=2, place=True, small=4, large=12)
    row = fill(TextView("Paris"), pack({"paris": about}))
    found = {name: values[0] for name, values in row.items() if name not in ("gaz", "gaz.left", "gaz.right")}
    assert found == {
        "gaz.case": 2,
        "gaz.given": 3,
        "gaz.surname": 1,
        "gaz.place": 2,
        "gaz.lemma": 1,
        "gaz.common": 2,
        "gaz.small": 3,
        "gaz.large": 4,
        "gaz.share": 5,
    }


def test_neighbours_end_at_the_borders_of_lines() -> None:
    row = fill(TextView("Ann, Bob\nsaw").remove([Span(0, 3, "NAME")]), pack({}))
    assert row["gaz"][:2] == [REMOVED, NO_WORD]
    assert row["gaz.left"] == [BORDER, REMOVED, NO_WORD, BORDER]
    assert row["gaz.right"][2:] == [BORDER, BORDER]


def test_equal_facts_give_equal_tables_whatever_their_order() -> None:
    facts = {f"w{number}": WordFacts(small=number) for number in range(50)}
    assert np.array_equal(pack(facts), pack(dict(reversed(facts.items()))))


@pytest.mark.parametrize(
    ("word", "bit"), [("susan", 1), ("kaminski", 2), ("houston", 3), ("forward", 4)], ids=lambda value: str(value)
)
def test_the_packed_table_knows_names_places_and_words(word: str, bit: int) -> None:
    table = gazetteer()
    key = gazetteer_hash(word.upper())
    [entry] = table[table >> np.uint64(16) == np.uint64(key >> 16)]
    assert int(entry) >> bit & 1
