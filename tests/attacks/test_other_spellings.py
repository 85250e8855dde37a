"""Identifiers written as forms, files and ranges write them, or so that programs miss them."""

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
        ("AT 12 OLD OAK ST.\nBOSTON", "12 OLD OAK ST", "ADDRESS"),
        ("AT 12 MAIN DR, BOSTON", "12 MAIN DR", "ADDRESS"),
        ("to ann [at] example.com today", "ann [at] example.com", "EMAIL"),
        ("to ann.lee(at)mail(dot)example(dot)org.", "ann.lee(at)mail(dot)example(dot)org", "EMAIL"),
        ("to ann [dot] lee [@] example dot com now", "ann [dot] lee [@] example dot com", "EMAIL"),
        ("a ann (arroba) example (punto) es", "ann (arroba) example (punto) es", "EMAIL"),
        ("born 3-IV-1970.", "3-IV-1970", "DATE"),
        ("born 3.iii.2001, seen", "3.iii.2001", "DATE"),
        ("ur. 3 IV 1970 r.", "3 IV 1970", "DATE"),
        ("from 3-5/XII/70 on", "3-5/XII/70", "DATE"),
        ("at P.O. Box 123, Boston", "P.O. Box 123", "ADDRESS"),
        ("at Post Office Box 12-34", "Post Office Box 12-34", "ADDRESS"),
        ("en Apartado de Correos n.º 123", "Apartado de Correos n.º 123", "ADDRESS"),
        ("en Apdo. Postal 44", "Apdo. Postal 44", "ADDRESS"),
        ("an Postfach 12 34, 60323 Frankfurt", "Postfach 12 34", "ADDRESS"),
        ("\u00e0 BP 123, 75001 Paris", "BP 123", "ADDRESS"),
        ("\u00e0 la bo\u00eete postale 123", "bo\u00eete postale 123", "ADDRESS"),
        ("is (123)-45-6789.", "(123)-45-6789", "SSN"),
        ("SSN(123)45-6789", "(123)45-6789", "SSN"),
        ("is l23-4O-6789.", "l23-4O-6789", "SSN"),
        ("is (l23) 45-6789.", "(l23) 45-6789", "SSN"),
        ("call 6l7-555-O143 x22", "6l7-555-O143 x22", "PHONE"),
        ("call 617-555-lO43", "617-555-lO43", "PHONE"),
        ("call +34 6I2 555 o14", "+34 6I2 555 o14", "PHONE"),
        ("paid by 41ll 1111 1111 1111", "41ll 1111 1111 1111", "CARD"),
    ],
)
def test_all_of_an_identifier_is_found(text: str, secret: str, label: str) -> None:
    start = text.index(secret)
    assert (start, start + len(secret), label) in {(span.start, span.end, span.label) for span in PATTERNS.detect(text)}


@pytest.mark.parametrize(
    "text",
    [
        *("1 MM ST ELEVATION", "3 CHEST CT SCANS", "in 1999-2001", "2001-02-03-2001-04-05-06", "gave 3 IV 2000 mg"),
        *("stayed [at] home", "see me (at) noon. Then", "look (at) 5.30", "(at) example.5", "she [at] a.b", "5 V 2000"),
        *("3-XIII-1970", "32-IV-1970", "CN III-XII", "3-IV/1970", "1.3.IV.70", "black box 123", "mailbox 12"),
        *("P.O. 500 mg", "Apartado 3", "BP 120/80", "BP 120, 13000 cells", "PO Box 12.5", "ratio 123 - 45 - 67890"),
        *("(12)-45-6789", "(000)-45-6789", "(123)-45-67890", "OOO-12-3456", "l23-45-6789-1", "al23-45-6789"),
        *("call +34 6l2 lO 555 014", "call +34 6l O5 l2 O4"),
        *("OlO-l5-O789", "6l7-55-O143x", "O2 95 98 97 96", "10l 200 300", "41ll 1111 1111 1112"),
    ],
)
def test_near_misses_are_no_such_identifiers(text: str) -> None:
    found = {span.label for span in PATTERNS.detect(text)}
    assert not found & {"SSN", "CARD", "ADDRESS", "EMAIL", "PHONE"}
    assert not any(
        span.label == "DATE" and (span.end - span.start > 10 or "I" in text) for span in PATTERNS.detect(text)
    )


def test_a_number_behind_one_with_letters_is_found_once() -> None:
    found = PATTERNS.detect("SSN l23-45-6789 or 617-555-0143 x2233")
    assert [(span.start, span.end, span.label) for span in found] == [(4, 15, "SSN"), (19, 37, "PHONE")]
