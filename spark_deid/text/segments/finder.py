"""Spans that a detector finds in the records of a text, with their places in the original."""

from functools import lru_cache

from spark_deid.core.span import Finder, Span
from spark_deid.text.segments.mapped import SpanRefiner
from spark_deid.text.segments.records import TextRecords, records_of

BORDER = "\ufdd0"
"""A character that no text contains: it is between records where a detector reads all of them as one text."""


def find_in_records(
    text: str, *, find: Finder, border: str = "", reads_codes: bool = True, refine: SpanRefiner | None = None
) -> list[Span]:
    """Return the spans that a detector finds in a text. It reads each record separately, and prose unchanged.

    With ``border``, the detector reads one text of all records with a border around each: that is faster, and equal if
    the detector sees no character beyond a border. Without ``reads_codes``, cells that hold codes of tables according
    to their place are skipped. ``refine`` gets each cell, or a text of prose, with the spans in it.
    """
    records = _records(text)
    if records is None:
        return list(find(text) if refine is None else refine(text, [*find(text)]))
    spans = records.find_joined(find, border) if border else records.find(find)
    spans = spans if refine is None else records.refined(spans, refine)
    found = {place for span in spans for place in records.original(span, reads_codes=reads_codes)}
    return sorted(found, key=lambda span: (span.start, span.end, span.label, span.source))


def find_fields(text: str, source: str) -> list[Span]:
    """Return the identifiers that a text declares: fields of HL7, and values whose key names an identifier."""
    records = _records(text)
    if records is None or not records.fields:
        return []
    found = (place for span in records.fields for place in records.original(span))
    return sorted({span._replace(source=source) for span in found}, key=lambda span: span[:3])


@lru_cache(maxsize=1)
def _records(text: str) -> TextRecords | None:
    """Read a text once for all detectors, which see it one after the other."""
    return records_of(text)
