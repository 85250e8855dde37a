"""What a detector finds in the records of a text, at the places of the original."""

from functools import lru_cache

from spark_deid.core.span import Finder, Span
from spark_deid.text.segments.records import TextRecord, records_of


def find_in_records(text: str, *, find: Finder, reads_codes: bool = True) -> list[Span]:
    """Return what a detector finds in a text, of which it reads each record by itself; prose it reads as it stands.

    Without ``reads_codes`` cells that hold codes of tables by their place are left as they are.
    """
    records = _records(text)
    if records is None:
        return list(find(text))
    found = {
        place
        for record in records
        for span in find(record.text)
        for place in record.original(span, reads_codes=reads_codes)
    }
    return sorted(found, key=lambda span: (span.start, span.end, span.label, span.source))


def find_fields(text: str, source: str) -> list[Span]:
    """Return the identifiers that a text holds by their place: fields of HL7, and keys that name them."""
    records = _records(text) or ()
    found = (place for record in records for span in record.fields for place in record.original(span))
    return sorted({span._replace(source=source) for span in found}, key=lambda span: span[:3])


@lru_cache(maxsize=1)
def _records(text: str) -> tuple[TextRecord, ...] | None:
    """Read a text once for all detectors, which see it one after the other."""
    return records_of(text)
