"""A format: rounds, a note a line, as in ``n7 | p1 | {NAME Ann Lee} slept well``.

In a plan: ``input: {path: monday.rounds, format: rounds}``; in commands: ``--from rounds``.
"""

import re
from collections.abc import Iterator

from spark_deid.extending import CorpusFormat, Document, FormatError, ParserUnit, Span

_PARTS = 3  # note, person, text
_SEPARATOR = " | "
_MARK = re.compile(r"\{(?P<label>[A-Z]+) (?P<marked>[^{}]+)\}")


def parse_line(line: bytes, source: str, default_id: str) -> Document | None:
    """Read one line; None for a blank one. Raises FormatError, whose words repeat nothing of the line."""
    try:
        written = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("invalid-utf8", f"expected UTF-8, byte {error.start} of the line is not") from None
    if not written.strip():
        return None
    parts = written.split(_SEPARATOR, maxsplit=_PARTS - 1)
    if len(parts) < _PARTS:
        raise FormatError("malformed", f"expected a note's id, a person and a text, with {_SEPARATOR!r} between")
    doc_id, person, marked = parts
    text, spans = _without_marks(marked)
    return Document(doc_id or default_id, text, person or None, spans)


def render_line(document: Document) -> str:
    """Write one line; metadata is lost. Raises FormatError where a document does not fit into one."""
    fields = document.doc_id, document.subject_id or ""
    if any(_SEPARATOR in field for field in fields) or not set("{}\n").isdisjoint("".join((*fields, document.text))):
        raise FormatError("malformed", f"{document.doc_id!r}: expected no line breaks, braces or bars in its fields")
    return _SEPARATOR.join((*fields, "".join(_marked(document))))


def _without_marks(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Return a text without its marks, and the spans that they make."""
    text, spans, end = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[end : match.start()]
        spans.append(Span(len(text), len(text) + len(match["marked"]), match["label"]))
        text += match["marked"]
        end = match.end()
    text += marked[end:]
    if not set("{}").isdisjoint(text):
        raise FormatError("malformed", "expected marks such as {NAME Ann Lee}, and no other braces")
    return text, tuple(spans)


def _marked(document: Document) -> Iterator[str]:
    """Yield a text piece by piece, with marks for spans, of which none may overlap another."""
    end = 0
    for span in sorted(document.spans, key=lambda span: span.start):
        if span.start < end or not re.fullmatch("[A-Z]+", span.label):
            raise FormatError("bad-annotation", f"the span at {span.start}: expected a label of A-Z and no overlaps")
        yield document.text[end : span.start]
        yield f"{{{span.label} {document.text[span.start : span.end]}}}"
        end = span.end
    yield document.text[end:]


FORMAT = CorpusFormat(
    name="rounds",
    suffixes=(".rounds",),
    unit=ParserUnit.LINE,
    parse_line=parse_line,
    render_line=render_line,
    options=("encoding",),
)
