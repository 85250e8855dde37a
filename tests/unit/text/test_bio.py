import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.core.span import Span
from spark_deid.text.bio import decode, encode, tag_names

LABELS = ("A", "B")
TOGETHER = np.zeros(40, np.bool_)


def offsets(count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    starts = np.arange(count, dtype=np.int32) * 3
    return starts, starts + np.int32(2)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from(LABELS)), max_size=6))
def test_spans_of_whole_tokens_survive(parts: list[tuple[int, int, str]]) -> None:
    spans, token = [], 0
    for gap, size, label in parts:
        spans.append(Span((token + gap) * 3, (token + gap + size - 1) * 3 + 2, label))
        token += gap + size
    starts, ends = offsets(token)
    tags = encode(starts, ends, np.zeros(token, np.bool_), spans, LABELS)
    assert decode(starts, ends, TOGETHER[:token], tags, LABELS) == tuple(spans)


@given(st.lists(st.integers(0, 4), max_size=12))
def test_any_tags_give_disjoint_spans_that_encode_to_themselves_with_borders_repaired(numbers: list[int]) -> None:
    starts, ends = offsets(len(numbers))
    tags = np.array(numbers, np.int32)
    spans = decode(starts, ends, TOGETHER[: len(tags)], tags, LABELS)
    again = encode(starts, ends, np.zeros(len(numbers), np.bool_), spans, LABELS)
    assert (np.asarray((again + 1) // 2) == (tags + 1) // 2).all()
    assert decode(starts, ends, TOGETHER[: len(tags)], again, LABELS) == spans


def test_an_inner_tag_after_nothing_begins_a_span() -> None:
    starts, ends = offsets(4)
    spans = decode(starts, ends, TOGETHER[:4], np.array([2, 4, 0, 2], np.int32), LABELS)
    assert [span[:3] for span in spans] == [(0, 2, "A"), (3, 5, "B"), (9, 11, "A")]


def test_a_token_in_a_field_of_its_own_begins_a_span() -> None:
    starts, ends = offsets(3)
    spans = decode(starts, ends, np.array([False, False, True]), np.array([1, 2, 2], np.int32), LABELS)
    assert [span[:2] for span in spans] == [(0, 5), (6, 8)]


def test_a_closed_token_parts_a_span() -> None:
    starts, ends = offsets(3)
    tags = encode(starts, ends, np.array([False, True, False]), [Span(0, 8, "A")], LABELS)
    assert tags.tolist() == [1, 0, 1]


def test_the_longest_of_overlapping_spans_has_the_token() -> None:
    starts, ends = offsets(3)
    tags = encode(starts, ends, np.zeros(3, np.bool_), [Span(0, 2, "B"), Span(0, 5, "A"), Span(6, 8, "B")], LABELS)
    assert tags.tolist() == [1, 2, 3]


def test_a_span_that_touches_a_token_in_part_takes_it() -> None:
    starts, ends = offsets(2)
    assert encode(starts, ends, np.zeros(2, np.bool_), [Span(1, 4, "A")], LABELS).tolist() == [1, 2]
    assert tag_names(LABELS) == ("O", "B-A", "I-A", "B-B", "I-B")


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=12))
def test_spans_are_those_of_tags_read_one_after_the_other(tokens: list[tuple[int, bool]]) -> None:
    starts, ends = offsets(len(tokens))
    expected: list[Span] = []
    before = 0
    for place, (tag, is_apart) in enumerate(tokens):
        label = LABELS[(tag - 1) // 2] if tag else ""
        if tag and tag % 2 == 0 and before in (tag, tag - 1) and not is_apart:
            expected[-1] = expected[-1]._replace(end=3 * place + 2)
        elif tag:
            expected.append(Span(3 * place, 3 * place + 2, label))
        before = tag
    apart, tags = np.array([each for _, each in tokens], np.bool_), np.array([tag for tag, _ in tokens], np.int32)
    assert decode(starts, ends, apart, tags, LABELS) == tuple(expected)
