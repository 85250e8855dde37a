"""Identifiers written as forms, files and ranges write them, where a plainer expression finds a part or nothing."""

import pytest

from spark_deid.text.patterns import PatternDetector

PATTERNS = PatternDetector()


@pytest.mark.parametrize(
    ("text", "secret", "label"),
    [
        ("from 2001-02-03-2001-04-05 on", "2001-02-03-2001-04-05", "DATE"),
        ("from 2001-02-03\u20132001-04-05 on", "2001-02-03\u20132001-04-05", "DATE"),
        ("from 03-02-2001 - 05-04-2001 on", "03-02-2001 - 05-04-2001", "DATE"),
        ("in scan_2001-02-03.pdf", "2001-02-03", "DATE"),
        ("as id_123-45-6789_x", "123-45-6789", "SSN"),
        ("SSN 123 - 45 - 6789", "123 - 45 - 6789", "SSN"),
        ("paid by 4111.1111.1111.1111", "4111.1111.1111.1111", "CARD"),
        ("call 617/555-0143", "617/555-0143", "PHONE"),
        ("AT 12 MAIN STREET", "12 MAIN STREET", "ADDRESS"),
        ("AT 12 OLD OAK ST.\nBOSTON", "12 OLD OAK ST.", "ADDRESS"),
        ("AT 12 MAIN DR, BOSTON", "12 MAIN DR", "ADDRESS"),
    ],
)
def test_all_of_an_identifier_is_found(text: str, secret: str, label: str) -> None:
    start = text.index(secret)
    assert (start, start + len(secret), label) in {(span.start, span.end, span.label) for span in PATTERNS.detect(text)}


@pytest.mark.parametrize(
    "text",
    ["1 MM ST ELEVATION", "3 CHEST CT SCANS", "in 1999-2001", "2001-02-03-2001-04-05-06", "ratio 123 - 45 - 67890"],
)
def test_near_misses_are_no_such_identifiers(text: str) -> None:
    found = {span.label for span in PATTERNS.detect(text)}
    assert not found & {"SSN", "CARD", "ADDRESS"}
    assert not any(span.label == "DATE" and span.end - span.start > 10 for span in PATTERNS.detect(text))
