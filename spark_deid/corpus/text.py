"""Plain text: one file per document, without annotations."""

from collections.abc import Mapping

from spark_deid.core.document import Document
from spark_deid.corpus.checks import decode
from spark_deid.corpus.format import CorpusFormat, ParserUnit


def parse_document(data: bytes, companion: bytes | None, source: str, doc_id: str) -> Document:
    """Read a text file. Raises FormatError."""
    return Document(doc_id, decode(data))


def render_document(document: Document) -> Mapping[str, bytes]:
    """Write the text; spans, subject and metadata are lost."""
    return {".txt": document.text.encode("utf-8")}


FORMAT = CorpusFormat(
    name="text",
    suffixes=(".txt",),
    unit=ParserUnit.DOCUMENT,
    parse_document=parse_document,
    render_document=render_document,
    options=("encoding", "content"),
    holds_spans=False,
)
