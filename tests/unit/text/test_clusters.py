import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.text.column_layout import PAD
from spark_deid.text.gazetteer import gazetteer_hash, pack_values
from spark_deid.text.token_columns.cluster import BORDER, CLUSTER_COLUMNS, FIRST, NO_WORD, UNKNOWN, fill_clusters
from spark_deid.text.tokenizer import TokenBorder, ViewTokenizer
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import NARROW_BITS, clusters, packed_clusters

NAMES = [column.name for column in CLUSTER_COLUMNS]
CUT = ViewTokenizer(TokenBorder.MARK, merged=False)
Numbers = tuple[int, int]


def fill(text: str, known: dict[str, Numbers]) -> dict[str, list[int]]:
    tokens = CUT(TextView(text))
    out = np.empty((len(NAMES), len(tokens) + 2 * PAD), np.uint64)
    table: NDArray[np.uint64] = pack_values({word: packed_clusters(*numbers) for word, numbers in known.items()})
    fill_clusters(tokens.lower, tokens.arrays, table, out)
    assert (out[:, :PAD] == BORDER).all()
    assert (out[:, -PAD:] == BORDER).all()
    return {name: out[row, PAD:-PAD].tolist() for row, name in enumerate(NAMES)}


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=4), st.tuples(st.integers(0, 999), st.integers(0, 59)), max_size=12
    ),
    st.lists(st.text("abcABC", min_size=1, max_size=4), min_size=1, max_size=8),
)
def test_words_get_what_obvious_code_states(known: dict[str, Numbers], words: list[str]) -> None:
    found = fill(" ".join(words), known)
    for place, name in enumerate(("cluster", "cluster.wide")):
        values = [FIRST + known[w][place] + (place == 0) if (w := word.lower()) in known else UNKNOWN for word in words]
        assert found[name] == values
        assert found[f"{name}.left"] == [BORDER, *values[:-1]]
        assert found[f"{name}.right"] == [*values[1:], BORDER]


def test_neighbours_end_at_the_borders_of_lines_and_marks_are_no_words() -> None:
    found = fill("Ann, 7\nsaw", {"ann": (3, 1), "saw": (5, 2)})
    assert found["cluster"] == [FIRST + 4, NO_WORD, NO_WORD, FIRST + 6]
    assert found["cluster.wide"] == [FIRST + 1, NO_WORD, NO_WORD, FIRST + 2]
    assert found["cluster.left"] == [BORDER, FIRST + 4, NO_WORD, BORDER]
    assert found["cluster.wide.right"] == [NO_WORD, NO_WORD, BORDER, BORDER]


def bits(word: str) -> tuple[int, int]:
    table, key = clusters(), gazetteer_hash(word)
    [entry] = table[table >> np.uint64(16) == np.uint64(key >> 16)]
    return int(entry) & (1 << NARROW_BITS) - 1, int(entry) >> NARROW_BITS & 63


@pytest.mark.parametrize(
    ("one", "other", "strange"), [("susan", "linda", "aspirin"), ("monday", "tuesday", "walked"), ("kg", "cm", "she")]
)
def test_the_packed_table_puts_like_words_together(one: str, other: str, strange: str) -> None:
    assert bits(one) == bits(other)
    assert bits(one)[0] != bits(strange)[0]
