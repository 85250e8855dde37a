"""i2b2 2006 de-identification challenge: a file of records with inline ``<PHI TYPE="...">`` tags.

The published training file has a start tag where an end tag belongs. Records whose tags don't balance are therefore
read a second time: there a start tag inside another is the end of it. Spans fixed so carry the source GOLD_MENDED.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import (
    GOLD,
    GOLD_MENDED,
    checked_id,
    checked_record,
    checked_span,
    checked_text,
    decode_records,
)
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.json_values import parse_or_error
from spark_deid.corpus.markup import (
    MarkupTag,
    checked_xml,
    escape_text,
    escaped_attribute,
    malformed_markup,
    name_document,
    pair_tags,
    read_attributes,
    reading_order,
    render_inline,
    split_markup,
    text_of,
)

_RECORD = re.compile(r"<RECORD(?=[\s>])")
_HEAD = re.compile(r"\s*(?:<\?xml[^<>]*\?>\s*)?<ROOT>\s*")
_BODY = re.compile(r"<RECORD([^<>]*)>\s*<TEXT>(.*)</TEXT>\s*</RECORD>\s*(?:</ROOT>\s*)?", re.DOTALL)
_TAIL = re.compile(r"</ROOT>\s*\Z")


def parse_file(data: bytes, source: str) -> Iterator[Document | FormatError]:
    """Read every record; a bad one becomes a FormatError in its place.

    Line ends are kept. Raises FormatError "malformed" if the file has no records, or is cut off.
    """
    content = decode_records(data)
    starts = [match.start() for match in _RECORD.finditer(content)]
    head = content[: starts[0]] if starts else _TAIL.sub("", content)
    if not _HEAD.fullmatch(head):
        raise FormatError("malformed", "expected <ROOT> with <RECORD> elements, and no document type")
    if not _TAIL.search(content):
        raise FormatError("malformed", "expected </ROOT> at the end of the file: it is cut off")
    for number, (start, end) in enumerate(pairwise([*starts, len(content)]), start=1):
        yield parse_or_error(partial(_parse, content[start:end]), f"{source}#{number}")


def render_file(documents: Iterable[Document]) -> bytes:
    """Write documents as records; subject, metadata, scores and the bond of discontinuous pieces are lost.

    Carriage returns become character references, so that parsers of XML keep them. Raises FormatError:
    "bad-annotation" where spans cross, "malformed" where a character can't be in XML.
    """
    records = "".join(_render(document) for document in documents)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<ROOT>\n{records}</ROOT>\n'.encode()


def _parse(record: str, default_id: str) -> Document:
    body = _BODY.fullmatch(checked_record(record))
    if body is None:
        raise FormatError("malformed", 'expected <RECORD ID="..."><TEXT>...</TEXT></RECORD>')
    doc_id = checked_id(read_attributes(body[1], "RECORD").get("ID"), default_id)
    pieces = tuple(split_markup(body[2]))
    text = checked_text(text_of(pieces))
    return Document(doc_id, text, spans=reading_order(_spans(text, _marks(body[2], pieces))))


def _spans(text: str, marks: Iterable[Span]) -> Iterator[Span]:
    for number, mark in enumerate(marks, start=1):
        span = checked_span(text, mark.start, mark.end, None, mark.label, where=f"PHI tag {number}")
        yield span._replace(source=mark.source)


def _marks(markup: str, pieces: tuple[str | MarkupTag, ...]) -> list[Span]:
    """Pair the tags as XML does, nested ones too; where they don't balance, fix them."""
    for piece in pieces:
        if isinstance(piece, MarkupTag) and piece.name != "PHI":
            raise malformed_markup(markup, piece.at, "expected no other tags than PHI")
    try:
        return [Span(start, end, _label(markup, tag), source=GOLD) for start, end, tag in pair_tags(markup, pieces)]
    except FormatError:
        return _mended_marks(markup, pieces)


def _mended_marks(markup: str, pieces: Iterable[str | MarkupTag]) -> list[Span]:
    """Pair the tags without nesting: a start tag inside an element ends it."""
    marks: list[Span] = []
    opened: tuple[int, str] | None = None
    offset = 0
    for piece in pieces:
        if isinstance(piece, str):
            offset += len(piece)
        elif opened is not None:
            start, label = opened
            marks.append(Span(start, offset, label, source=GOLD if piece.ends else GOLD_MENDED))
            opened = None
        elif piece.ends:
            raise malformed_markup(markup, piece.at, "expected </PHI> to have a start tag")
        else:
            opened = (offset, _label(markup, piece))
    if opened is not None:
        raise FormatError("malformed", "expected every <PHI> to have an end tag")
    return marks


def _label(markup: str, tag: MarkupTag) -> str:
    found = read_attributes(tag.attributes, "PHI tag").get("TYPE")
    if found is None:
        raise malformed_markup(markup, tag.at, "expected the PHI tag to have a TYPE")
    return found


def _render(document: Document) -> str:
    with name_document(document.doc_id):
        doc_id = escaped_attribute(checked_xml(document.doc_id, "id"))
        text = checked_xml(document.text, "text")
        markup = render_inline(text, document.spans, _start_tag, "</PHI>".format, escape_text)
    return f'<RECORD ID="{doc_id}">\n<TEXT>{markup}</TEXT>\n</RECORD>\n'


def _start_tag(label: str) -> str:
    return f'<PHI TYPE="{escaped_attribute(checked_xml(label, "label"))}">'


FORMAT = CorpusFormat(
    name="i2b2-2006",
    suffixes=(".xml",),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    options=("encoding",),
)
