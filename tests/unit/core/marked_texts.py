"""Texts with spans of any kind, for properties."""

from collections.abc import Iterable

from hypothesis import strategies as st

from spark_deid.core.span import Span

TEXTS = st.text(alphabet="ab1 _.,-\n😀é", min_size=1, max_size=24)


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(TEXTS)
    spans = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        score = draw(st.sampled_from([None, 0.5, 0.9]))
        spans.append(Span(start, end, draw(st.sampled_from("XYZ")), score, draw(st.sampled_from(["p", "q"]))))
    return text, spans


def marked(spans: Iterable[Span]) -> set[int]:
    return {i for s in spans for i in range(s.start, s.end)}
