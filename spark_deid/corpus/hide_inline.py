"""HIDE inline: ``<Type>text</Type>`` around spans, no other markup; ``&``, ``<`` and ``>`` are escaped."""

import re
from collections.abc import Mapping

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import checked_span, checked_text, decode
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.markup import (
    MarkupTag,
    escaped_plainly,
    malformed_markup,
    name_document,
    pair_tags,
    reading_order,
    render_inline,
    split_markup,
    text_of,
)

_NAME = re.compile(r"[^\W\d][\w.:-]*")
_BOM = "\ufeff"


def parse_document(data: bytes, companion: bytes | None, source: str, doc_id: str) -> Document:
    """Read a text with inline tags; every tag's name is a label, tags may nest.

    Raises FormatError: "malformed" for tags that don't match, have attributes, or for unescaped ``<`` and ``&``.
    """
    markup = decode(data)
    pieces = tuple(split_markup(markup))
    text = checked_text(text_of(pieces))
    spans = [_span(markup, text, *pair) for pair in pair_tags(markup, pieces)]
    return Document(doc_id, text, spans=reading_order(spans))


def render_document(document: Document) -> Mapping[str, bytes]:
    """Write a text with inline tags; subject, metadata, scores and the bond of discontinuous pieces are lost.

    Raises FormatError "bad-annotation" where spans cross or a label is not the name of a tag.
    """
    with name_document(document.doc_id):
        for span in document.spans:
            _check_name(span)
        markup = render_inline(document.text, document.spans, "<{}>".format, "</{}>".format, escaped_plainly)
    mark = _BOM if markup.startswith(_BOM) else ""  # the reader takes one for a byte-order mark
    return {".hide": (mark + markup).encode("utf-8")}


def _span(markup: str, text: str, start: int, end: int, tag: MarkupTag) -> Span:
    if tag.attributes.strip():
        raise malformed_markup(markup, tag.at, "expected tags without attributes")
    return checked_span(text, start, end, None, tag.name, where="a tag")


def _check_name(span: Span) -> None:
    if not _NAME.fullmatch(span.label):
        raise FormatError(
            "bad-annotation",
            f"the span at {span.start}: its label becomes a tag, so expected letters, digits and '_.:-', "
            "beginning with a letter. Rename the label, or write jsonl",
        )


FORMAT = CorpusFormat(
    name="hide",
    suffixes=(".hide", ".sgml", ".txt"),
    unit=ParserUnit.DOCUMENT,
    parse_document=parse_document,
    render_document=render_document,
    options=("encoding",),
)
