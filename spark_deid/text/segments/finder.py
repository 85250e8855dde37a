"""What a detector finds in the records of a text, at the places of the original."""

from functools import lru_cache

from spark_deid.core.span import Finder, Span
from spark_deid.text.segments.escapes import has_escapes
from spark_deid.text.segments.records import Record, records_of


def find_in_records(text: str, find: Finder) -> list[Span]:
    """Return what a detector finds in a text, of which it reads each record by itself; prose it reads as it stands."""
    records = _records(text)
    if records is None:
        return list(find(text))
    found = {place for record in records for span in find(record.text) for place in record.original(span)}
    if has_escapes(text):  # what looks like an escape may be none: C:\Users\xfabian
        pass
    return sorted(found, key=lambda span: (span.start, span.end, span.label, span.source))


@lru_cache(maxsize=1)
def _records(text: str) -> tuple[Record, ...] | None:
    """Read a text once for all detectors, which see it one after the other."""
    return records_of(text)
