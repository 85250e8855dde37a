"""doccano: lines of JSON, with ``label`` (older: ``labels``) triples or with ``entities``.

``{"text", "label": [[start, end, "NAME"]]}`` or ``{"text", "entities": [{"id", "label", "start_offset",
"end_offset"}]}``. Relations and comments are passed over; other keys become metadata, doccano's ``id`` too, which is
unique in its project only: a document's id is its ``doc_id``.
"""

import json
import unicodedata
from collections.abc import Iterator
from typing import Final

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.annotation_ids import only_shared_ids, written_ids
from spark_deid.corpus.checks import checked_span, decode_records
from spark_deid.corpus.columns import OPTIONS, CorpusColumns
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.json_values import (
    Object,
    RepeatedKeyError,
    check_decoded,
    count_values,
    optional_id,
    parse_json,
    read_objects,
)
from spark_deid.corpus.markup import reading_order
from spark_deid.corpus.records import DEFAULT, configure_records, document_of

_TRIPLES: Final = ("label", "labels")
_OWN: Final = (*_TRIPLES, "entities", "relations", "Comments", "comments")


def parse_line(line: bytes, source: str, default_id: str, *, columns: CorpusColumns = DEFAULT) -> Document | None:
    """Read one line; None for a blank one. Raises FormatError.

    >>> parse_line(b'{"text": "I am Ann.", "label": [[5, 8, "NAME"]]}', "", "x#1").spans[0].label
    'NAME'
    """
    content = decode_records(line)
    if not content.strip():
        return None
    try:
        row = parse_json(content)
    except RepeatedKeyError:
        raise
    except FormatError as error:
        raise FormatError(error.reason, error.detail, records=count_values(content.strip())) from None
    if not isinstance(row, dict):
        raise FormatError("malformed", "expected a JSON object", records=count_values(content.strip()))
    kept = {key: value for key, value in row.items() if key not in (*_OWN, columns.spans)}
    document = document_of({**kept, columns.text: check_decoded(row.get(columns.text))}, default_id, columns)
    spans = [*_triples(document.text, row), *_entities(document.text, row)]
    return document._replace(spans=only_shared_ids(spans))


def render_line(document: Document) -> str:
    """Write one line: ``label`` triples, or ``entities`` where pieces of annotations must share an id.

    Scores are lost.
    """
    row: dict[str, object] = {"doc_id": document.doc_id, "text": document.text}
    if document.subject_id is not None:
        row["subject_id"] = document.subject_id
    if document.meta:
        row["meta"] = dict(document.meta)
    spans = reading_order(document.spans)
    if any(span.annotation_id is not None for span in only_shared_ids(spans)):
        ids = written_ids(spans, "T")
        row["entities"] = [_entity(span, entity_id) for span, entity_id in zip(spans, ids, strict=True)]
    else:
        row["label"] = [[span.start, span.end, span.label] for span in spans]
    return json.dumps(row, ensure_ascii=False)


def _triples(text: str, row: Object) -> Iterator[Span]:
    for key in _TRIPLES:
        value = row.get(key)
        if value is None:
            continue
        if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 3 for item in value):
            raise FormatError("bad-annotation", f"expected {key} to be a list of [start, end, label]")
        for number, (start, end, label) in enumerate(value, start=1):
            span = checked_span(text, start, end, None, label, where=f"{key} {number}")
            yield _whole_letters(text, span, f"{key} {number}")


def _entities(text: str, row: Object) -> Iterator[Span]:
    for number, entity in enumerate(read_objects(row.get("entities"), "entities"), start=1):
        span = checked_span(
            text,
            entity.get("start_offset"),
            entity.get("end_offset"),
            None,
            entity.get("label"),
            where=f"entity {number}",
            annotation_id=optional_id(entity.get("id")),
        )
        yield _whole_letters(text, span, f"entity {number}")


def _whole_letters(text: str, span: Span, where: str) -> Span:
    """Return a span; raise FormatError if it begins or ends between a letter and its combining mark.

    doccano counts a letter and its marks as one character if its project does. Without a surface all later offsets of
    such a text can be wrong.
    """
    for offset in (span.start, span.end):
        if offset < len(text) and unicodedata.category(text[offset]).startswith("M") and offset > 0:
            raise FormatError(
                "bad-annotation",
                f"{where}: expected offsets in code points, character {offset} is the combining mark of a letter:"
                " export without graphemes, or normalize the texts (NFC) before they are annotated",
            )
    return span


def _entity(span: Span, entity_id: str) -> Object:
    return {"id": entity_id, "label": span.label, "start_offset": span.start, "end_offset": span.end}


FORMAT = CorpusFormat(
    name="doccano",
    suffixes=(".jsonl", ".json"),
    unit=ParserUnit.LINE,
    parse_line=parse_line,
    render_line=render_line,
    options=(*OPTIONS, "encoding", "content"),
    configure=configure_records,
)
