"""TAB, the Text Anonymization Benchmark: a JSON list of documents with the mentions of several annotators.

Gold are the mentions of one annotator: of the first by name in each document, or of the one that the option
``annotator`` names; a document that this one did not annotate has no gold. The label is the ``entity_type``. The
metadata name the annotator and keep, by mention id, what spans have no place for: ``identifier_types`` (DIRECT, QUASI,
NO_MASK) and ``entity_ids``, both JSON objects.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.annotation_ids import written_ids
from spark_deid.corpus.checks import checked_meta, checked_span, decode_records
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.json_values import (
    Object,
    check_decoded,
    optional_id,
    optional_string,
    parse_records,
    read_objects,
)
from spark_deid.corpus.markup import reading_order
from spark_deid.corpus.records import document_of

_ANNOTATOR: Final = "annotator"
_IDENTIFIER_TYPES: Final = "identifier_types"
_ENTITY_IDS: Final = "entity_ids"
_TOP_LEVEL: Final = ("dataset_type", "task")


def parse_file(data: bytes, source: str, *, annotator: str | None = None) -> Iterator[Document | FormatError]:
    """Read the documents of a file, or of lines of JSON; ``annotator`` None takes the first by name."""
    yield from parse_records(decode_records(data), source, partial(_parse, annotator=annotator))


def render_file(documents: Iterable[Document]) -> bytes:
    """Write documents with one annotator; scores are lost.

    A mention without a known identifier type becomes DIRECT, so that a scorer asks for it to be masked.
    """
    return json.dumps([_render(document) for document in documents], ensure_ascii=False).encode("utf-8")


def _parse(record: Object, default_id: str, annotator: str | None) -> Document:
    text = check_decoded(record.get("text"))
    row = {key: value for key, value in record.items() if key not in ("annotations", "spans")}
    document = document_of({**row, "text": text}, default_id)
    name, mentions = _mentions(record.get("annotations"), annotator)
    spans = [_span(document.text, mention, f"mention {number}") for number, mention in enumerate(mentions, start=1)]
    meta = {
        _ANNOTATOR: name,
        _IDENTIFIER_TYPES: _by_mention(mentions, "identifier_type"),
        _ENTITY_IDS: _by_mention(mentions, "entity_id"),
    }
    return document._replace(spans=tuple(spans), meta={**document.meta, **checked_meta(meta)})


def _mentions(annotations: object, annotator: str | None) -> tuple[str | None, list[Object]]:
    if annotations is None:
        return None, []
    if not isinstance(annotations, dict):
        raise FormatError("bad-annotation", "expected annotations to be an object of annotators")
    name = min(annotations, default=None) if annotator is None else annotator
    if name not in annotations:
        return None, []
    layer = annotations[name]
    if not isinstance(layer, dict):
        raise FormatError("bad-annotation", "expected an annotator to be an object with entity_mentions")
    return name, read_objects(layer.get("entity_mentions"), "entity_mentions")


def _span(text: str, mention: Object, where: str) -> Span:
    return checked_span(
        text,
        mention.get("start_offset"),
        mention.get("end_offset"),
        optional_string(mention.get("span_text"), where),
        mention.get("entity_type"),
        where=where,
        annotation_id=optional_id(mention.get("entity_mention_id")),
    )


def _by_mention(mentions: Iterable[Object], key: str) -> dict[str, str] | None:
    """Return a string value of mentions by their ids; None where no mention has one."""
    pairs = ((optional_id(mention.get("entity_mention_id")), mention.get(key)) for mention in mentions)
    return {name: value for name, value in pairs if name is not None and isinstance(value, str)} or None


def _render(document: Document) -> Object:
    meta = dict(document.meta)
    annotator = meta.pop(_ANNOTATOR, "annotator1")
    types, entities = (_strings(meta.pop(name, "{}")) for name in (_IDENTIFIER_TYPES, _ENTITY_IDS))
    spans = reading_order(document.spans)
    mentions = [
        _render_mention(document.text, span, mention_id, types, entities)
        for span, mention_id in zip(spans, written_ids(spans, "em"), strict=True)
    ]
    record: dict[str, object] = {"doc_id": document.doc_id, "text": document.text}
    if document.subject_id is not None:
        record["subject_id"] = document.subject_id
    record |= {name: meta.pop(name) for name in _TOP_LEVEL if name in meta}
    return {**record, "meta": meta, "annotations": {annotator: {"entity_mentions": mentions}}}


def _render_mention(
    text: str, span: Span, mention_id: str, types: Mapping[str, str], entities: Mapping[str, str]
) -> Object:
    return {
        "entity_type": span.label,
        "entity_mention_id": mention_id,
        "start_offset": span.start,
        "end_offset": span.end,
        "span_text": text[span.start : span.end],
        "edit_type": "insert",
        "identifier_type": types.get(mention_id, "DIRECT"),
        "entity_id": entities.get(mention_id, mention_id),
    }


def _strings(value: str) -> dict[str, str]:
    """Read a JSON object of strings; metadata of another make are none."""
    try:
        pairs = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return {key: name for key, name in pairs.items() if isinstance(name, str)} if isinstance(pairs, dict) else {}


def _configure(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    return replace(format, parse_file=partial(parse_file, annotator=options.get("annotator")))


FORMAT = CorpusFormat(
    name="tab",
    suffixes=(".json",),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    options=("annotator",),
    configure=_configure,
)
