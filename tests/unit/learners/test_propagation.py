import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.learners.propagation import add_kinds, copy_spans, learn_kinds, mean_scores
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.tokenizer import ViewTokenizer
from spark_deid.text.view import TextView

PLAIN = ViewTokenizer(merged=False)
DATE, AGE = KINDS.index("date"), KINDS.index("age")


def copied(text: str, spans: list[Span], removed: tuple[Span, ...] = (), least: int = 4) -> list[tuple[str, int, str]]:
    view = TextView(text, removed)
    return [(text[s.start : s.end], s.start, s.label) for s in copy_spans(view, PLAIN(view), spans, least)]


def test_a_text_is_copied_to_its_other_places() -> None:
    assert copied("Paula came. Paula left.", [Span(0, 5, "NAME")]) == [("Paula", 0, "NAME"), ("Paula", 12, "NAME")]


def test_parts_of_words_short_texts_and_texts_of_two_labels_are_not_copied() -> None:
    assert len(copied("Paula Paulas xPaula Paula_ paula", [Span(0, 5, "NAME")])) == 1
    assert len(copied("Ann Ann", [Span(0, 3, "NAME")])) == 1
    assert len(copied("Paula Paula Paula", [Span(0, 5, "NAME"), Span(6, 11, "PLACE")])) == 2


def test_longer_texts_come_first_and_found_or_removed_places_remain() -> None:
    spans = [Span(0, 9, "NAME"), Span(10, 14, "PLACE")]
    assert copied("Mary Lane Mary Mary Lane", spans)[2:] == [("Mary Lane", 15, "NAME")]
    assert copied("Mary Mary", [Span(0, 4, "NAME")], removed=(Span(5, 9, "NAME"),)) == [("Mary", 0, "NAME")]


def test_a_common_word_is_copied_only_to_places_after_a_title() -> None:
    found = copied("Dr. White came. White count is 12. Mrs. White left.", [Span(4, 9, "NAME")])
    assert found == [("White", 4, "NAME"), ("White", 40, "NAME")]
    assert len(copied("Mark White came. Mark White left.", [Span(0, 10, "NAME")])) == 2


@given(st.lists(st.sampled_from(["Mary", "Lane", " ", "\n", "x", ","]), max_size=12).map("".join), st.data())
def test_copies_are_disjoint_and_equal_to_something_found(text: str, data: st.DataObject) -> None:
    tokens = PLAIN(TextView(text))
    spans = [
        Span(int(start), int(end), data.draw(st.sampled_from("AB")))
        for start, end in zip(tokens.starts, tokens.ends, strict=True)
        if data.draw(st.booleans())
    ]
    found = copied(text, spans)
    surfaces = {(text[span.start : span.end], span.label) for span in spans}
    assert {(surface, label) for surface, _, label in found} == surfaces
    ends = [start + len(surface) for surface, start, _ in found]
    assert all(end <= start for end, (_, start, _) in zip(ends, found[1:], strict=False))


def test_a_kind_that_nearly_always_carries_a_label_is_learned() -> None:
    kinds = np.array([DATE] * 40 + [AGE] * 40 + [0] * 10, np.uint8)
    tags = np.array([3] * 39 + [0] + [1] * 20 + [0] * 20 + [1] * 10, np.int32)
    assert learn_kinds(kinds, tags, ("A", "B")) == {"date": "B"}
    assert learn_kinds(kinds[:9], tags[:9], ("A", "B")) == {}


def test_untagged_tokens_of_a_learned_kind_are_tagged() -> None:
    tags = np.array([0, 1, 0], np.int32)
    add_kinds(tags, np.array([DATE, DATE, AGE], np.uint8), {"date": "B"}, ("A", "B"))
    assert tags.tolist() == [3, 1, 0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.sets(st.integers(0, 40)))
def test_a_span_has_the_mean_of_its_tokens_probabilities(chances: list[float], cuts: set[int]) -> None:
    tokens = PLAIN(TextView("ab " * len(chances)))
    borders = sorted(cut for cut in cuts if cut <= len(chances))
    spans = tuple(Span(3 * a, 3 * b - 1, "A", None, "x", "1") for a, b in itertools.pairwise(borders))
    found = mean_scores(spans, tokens, np.array(chances))
    means = [float(np.mean(chances[a:b])) for a, b in itertools.pairwise(borders)]
    assert found == tuple(span._replace(score=mean) for span, mean in zip(spans, means, strict=True))
