"""Writing CoNLL: two columns, IOB2, with ``# newdoc id`` and ``# text``, so that the text comes back as it was."""

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.corpus.tags import OUTSIDE

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SPACE = re.compile(r"\s+")


def render_file(documents: Iterable[Document]) -> bytes:
    r"""Write documents, a sentence a line of the text.

    Texts and ids come back exactly. Lost are subject, metadata, scores, what joins discontinuous pieces, and white
    space at the ends of spans; overlapping spans are made disjoint; a span over a line break becomes two; white space
    in labels becomes ``_``. Raises FormatError "unsafe-id" for an id that does not fit on a line.

    >>> render_file([Document("x", "Ann!", spans=(Span(0, 3, "NAME"),))]).decode()
    '# newdoc id = x\n# text = Ann!\nAnn\tB-NAME\n!\tO\n\n'
    """
    return "".join(part for document in documents for part in _render(document)).encode("utf-8")


def _render(document: Document) -> Iterator[str]:
    if not document.doc_id.isprintable() or document.doc_id != document.doc_id.strip():
        raise FormatError("unsafe-id", "expected an id of printable characters without outer spaces")
    yield f"# newdoc id = {document.doc_id}\n"
    spans = sorted(resolve_overlaps(document.text, document.spans), key=attrgetter("start"))
    start = 0
    for line in document.text.split("\n"):
        yield f"# text = {line}\n"
        end = start + len(line)
        yield from _token_lines(document.text, start, end, [s for s in spans if s.start < end and s.end > start])
        yield "\n"
        start = end + 1


def _token_lines(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[str]:
    position = start
    for span in spans:
        yield from _tagged(text, position, max(position, span.start), None)
        yield from _tagged(text, max(start, span.start), min(end, span.end), _SPACE.sub("_", span.label))
        position = min(end, span.end)
    yield from _tagged(text, position, end, None)


def _tagged(text: str, start: int, end: int, label: str | None) -> Iterator[str]:
    prefix = "B"
    for match in _TOKEN.finditer(text, start, end):
        yield f"{match[0]}\t{OUTSIDE if label is None else f'{prefix}-{label}'}\n"
        prefix = "I"
