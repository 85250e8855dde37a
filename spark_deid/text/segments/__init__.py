"""Text that is not prose, read as a person reads it: values of JSON, HL7, CSV and forms, and characters of escapes.

``records_of`` cuts a text into records. A record has its own text, in which each value stands on a line after its key,
escapes are decoded, and quotes and separators are left out. It knows where each of its characters stands in the
original, so what a detector finds in it goes back as spans that never contain a separator and never cut an escape.
"""

from spark_deid.text.segments.finder import find_fields, find_in_records
from spark_deid.text.segments.records import TextRecord, records_of

__all__ = ["TextRecord", "find_fields", "find_in_records", "records_of"]
