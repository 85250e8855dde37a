"""Label Studio: tasks with their annotations, as a JSON list or as lines of JSON.

A task's gold is its last annotation that was not cancelled, among those marked as ground truth where there are any;
predictions, and results other than labels (choices, relations, ...), are skipped. A region with several labels
becomes a span each. The task's ``data`` holds the text, and ``doc_id``, ``subject_id`` and metadata if it has them;
the task's id is kept as the metadata ``task_id``, since it is unique in its project only.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.annotation_ids import only_shared_ids, written_ids
from spark_deid.corpus.checks import checked_meta, checked_span, decode_records
from spark_deid.corpus.columns import OPTIONS, CorpusColumns
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
from spark_deid.corpus.records import DEFAULT, configure_records, document_of

_TASK_ID: Final = "task_id"
_LABELS: Final = ("labels", "hypertextlabels")


def parse_file(data: bytes, source: str, *, columns: CorpusColumns = DEFAULT) -> Iterator[Document | FormatError]:
    """Read the tasks of a file; ``columns`` name the keys of ``data``."""
    yield from parse_records(decode_records(data), source, partial(_parse, columns=columns))


def render_file(documents: Iterable[Document]) -> bytes:
    """Write documents as tasks with one annotation each, offsets in code points; scores are lost."""
    return json.dumps([_render(document) for document in documents], ensure_ascii=False).encode("utf-8")


def _parse(task: Object, default_id: str, columns: CorpusColumns) -> Document:
    data = task.get("data")
    if not isinstance(data, dict):
        raise FormatError("no-text", "expected the task to have data with a text")
    row = {key: value for key, value in data.items() if key != columns.spans}
    document = document_of({**row, columns.text: check_decoded(row.get(columns.text))}, default_id, columns)
    results = _results(read_objects(task.get("annotations"), "annotations"))
    spans = chain.from_iterable(
        _spans(document.text, result, f"result {number}") for number, result in enumerate(results, start=1)
    )
    meta = {**document.meta, **checked_meta({_TASK_ID: optional_id(task.get("id"))})}
    return document._replace(spans=only_shared_ids(spans), meta=meta)


def _results(annotations: Iterable[Object]) -> list[Object]:
    """Return the results of the annotation that counts."""
    valid = [annotation for annotation in annotations if not annotation.get("was_cancelled")]
    chosen = [annotation for annotation in valid if annotation.get("ground_truth")] or valid
    return read_objects(chosen[-1].get("result"), "result") if chosen else []


def _spans(text: str, result: Object, where: str) -> Iterator[Span]:
    kind, value = result.get("type"), result.get("value")
    if kind not in _LABELS:
        return
    if not isinstance(value, dict):
        raise FormatError("bad-annotation", f"{where}: expected a value with start, end and labels")
    labels = value.get(kind)
    if not isinstance(labels, list) or not labels:
        raise FormatError("bad-annotation", f"{where}: expected at least one label")
    surface = optional_string(value.get("text"), where)
    for label in labels:
        yield checked_span(
            text,
            value.get("start"),
            value.get("end"),
            surface,
            label,
            where=where,
            annotation_id=optional_id(result.get("id")),
        )


def _render(document: Document) -> Object:
    meta = dict(document.meta)
    task_id = meta.pop(_TASK_ID, None)
    data: dict[str, object] = {"text": document.text, "doc_id": document.doc_id}
    if document.subject_id is not None:
        data["subject_id"] = document.subject_id
    if meta:
        data["meta"] = meta
    spans = reading_order(document.spans)
    results = [
        _render_result(document.text, span, result_id)
        for span, result_id in zip(spans, written_ids(spans, "r"), strict=True)
    ]
    task = {} if task_id is None else {"id": _number(task_id)}
    annotation = {"result": results, "was_cancelled": False, "ground_truth": True}
    return {**task, "data": data, "annotations": [annotation], "predictions": []}


def _number(task_id: str) -> int | str:
    """Return Label Studio's own ids as the numbers they are."""
    return int(task_id) if re.fullmatch("0|[1-9][0-9]{0,17}", task_id) else task_id


def _render_result(text: str, span: Span, result_id: str) -> Object:
    return {
        "id": result_id,
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {"start": span.start, "end": span.end, "text": text[span.start : span.end], "labels": [span.label]},
    }


FORMAT = CorpusFormat(
    name="label-studio",
    suffixes=(".json", ".jsonl"),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    options=(*OPTIONS, "content"),
    configure=configure_records,
)
