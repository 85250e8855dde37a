"""Documents to write and read back: line ends of every kind, markup, astral characters, nested spans, pieces."""

from collections.abc import Iterable

from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.span import Span

PIECES = [
    "a",
    "B",
    "é",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "<",
    ">",
    "&",
    '"',
    "'",
    "]]>",
    "😀",
    "\u2028",
    "\u0085",
    "&amp;",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)
LABELS = ("NAME", "DATE", "CITY")


@st.composite
def documents(draw: st.DrawFn, labels: tuple[str, ...] = LABELS) -> Document:
    """Any spans, crossing ones and pieces that share an id too."""
    text = draw(TEXTS)
    spans = {draw(_span(len(text), labels)) for _ in range(draw(st.integers(0, 4)))}
    first = {span: draw(_span(len(text), (span.label,))) for span in spans if draw(st.integers(0, 4)) == 0}
    pieces = {
        piece._replace(annotation_id=f"T{number}")
        for number, pair in enumerate(first.items())
        for piece in pair
        if len(set(pair)) == 2
    }
    return Document("a/b", text, None, ordered(spans | pieces))


@st.composite
def nested_documents(draw: st.DrawFn, labels: tuple[str, ...] = LABELS) -> Document:
    """Spans that nest and never cross."""
    document = draw(documents(labels))
    kept: list[Span] = []
    for span in document.spans:
        if not any(crosses(span, other) for other in kept):
            kept.append(span._replace(annotation_id=None))
    return document._replace(spans=ordered(set(kept)))


def crosses(one: Span, other: Span) -> bool:
    return one.start < other.start < one.end < other.end or other.start < one.start < other.end < one.end


def ordered(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(spans, key=lambda s: (s.start, -s.end, s.label, s.annotation_id or "")))


def _span(length: int, labels: tuple[str, ...]) -> st.SearchStrategy[Span]:
    return st.tuples(st.integers(0, length - 1), st.integers(1, length), st.sampled_from(labels)).map(
        lambda drawn: Span(drawn[0], max(drawn[0] + 1, drawn[1]), drawn[2], None, "gold")
    )
