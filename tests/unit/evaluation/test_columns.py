"""Scores by columns are those of documents that are gone through one by one."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.columns import CodedNames, JoinedTexts, MarkedColumns, join_texts
from spark_deid.core.span import Span
from spark_deid.evaluation import columns
from spark_deid.evaluation.columns import count_columns
from spark_deid.evaluation.counts import count_documents

LABELS = ("X", "Y", "Z")
NAMES = st.sampled_from(LABELS)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[Span], list[Span]]:
    text = draw(st.text(alphabet="aAé1_ .\n😀", max_size=16))
    place = st.integers(0, len(text))
    span = st.builds(lambda one, other, label: Span(min(one, other), max(one, other), label), place, place, NAMES)
    spans = st.lists(span, max_size=8)
    return text, list(set(draw(spans))), draw(spans)


def marked(texts: JoinedTexts, spans: Sequence[Sequence[Span]]) -> MarkedColumns:
    rows = [(n, s.start, s.end, LABELS.index(s.label)) for n, found in enumerate(spans) for s in found]
    number, starts, ends, labels = np.array(rows, np.int64).reshape(-1, 4).T
    return MarkedColumns(number, starts + texts.begins[number], ends + texts.begins[number], CodedNames(labels, LABELS))


@given(st.lists(documents(), max_size=4))
def test_columns_count_what_documents_do_one_by_one(cases: list[tuple[str, list[Span], list[Span]]]) -> None:
    texts = join_texts([text for text, _, _ in cases])
    gold, predicted = marked(texts, [case[1] for case in cases]), marked(texts, [case[2] for case in cases])
    assert count_columns(texts, gold, predicted).cells == count_documents(cases).cells


def test_labels_are_counted_some_at_a_time_where_there_are_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [("a b c d", [Span(0, 1, "X"), Span(2, 5, "Z")], [Span(0, 3, "Y"), Span(4, 7, "Z")])]
    texts = join_texts([cases[0][0]])
    gold, predicted = marked(texts, [cases[0][1]]), marked(texts, [cases[0][2]])
    monkeypatch.setattr(columns, "_FLAGS", 4)
    assert count_columns(texts, gold, predicted).cells == count_documents(cases).cells
