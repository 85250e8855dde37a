"""Documents for round trips."""

from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD

ALPHABET = st.sampled_from("aB7 .,-#*\t\r\n\u00a0\u2028éß中😀👩‍🚀\ufeff\x1c") | st.characters(
    exclude_characters="\0", categories=None, exclude_categories=["Cs"]
)
LABELS = st.sampled_from(["NAME", "DATE", "B-X"])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(ALPHABET, min_size=1, max_size=40).filter(lambda t: not t.startswith("\ufeff")))
    offsets = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(offsets, offsets, LABELS), max_size=4))
    spans = {Span(min(a, b), max(a, b), label, None, GOLD) for a, b, label in pairs if a != b}
    return Document(draw(st.sampled_from(["x", "a/b", "naïve-1"])), text, spans=tuple(sorted(spans)))
