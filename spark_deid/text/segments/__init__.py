"""Text that is not prose, read as a person reads it: values of JSON, HL7, CSV and forms, and characters of escapes.

``records_of`` splits a text into records. The text of a record has one line per value, with the key before the value,
decoded escapes, and no quotes or separators. Each of its characters has a place in the original. Spans that a
detector finds in a record are mapped back, and they never contain a separator and never cut an escape.
"""

from spark_deid.text.segments.finder import BORDER, find_fields, find_in_records
from spark_deid.text.segments.records import TextRecords, records_of

__all__ = ["BORDER", "TextRecords", "find_fields", "find_in_records", "records_of"]
