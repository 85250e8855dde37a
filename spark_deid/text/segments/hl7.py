"""Messages of HL7 version 2: segments, fields and components."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

_HEADER = re.compile(r"^(?:MSH|FHS|BHS)(?P<field>[^\w\s])(?P<others>[^\w\s\r\n]{3,5})(?P=field)", re.MULTILINE)
_LINE = re.compile(r"[^\r\n\v\x1c]+")
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}")
_ESCAPE = re.compile(r"\\(?:[FSTRE]|\.[a-z]{2}[+-]?[0-9]{0,3}|X[0-9A-Fa-f]{2,}|H|N)\\")

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "PID-3": "ID:record number",
        "PID-4": "ID:record number",
        "PID-2": "ID:record number",
        "PID-5": "NAME:patient",
        "PID-6": "NAME:mother",
        "PID-7": "DATE:born",
        "PID-9": "NAME:alias",
        "PID-11": "ADDRESS:address",
        "PID-13": "PHONE:phone",
        "PID-14": "PHONE:phone",
        "PID-18": "ID:account number",
        "PID-19": "SSN:SSN",
        "PID-20": "ID:licence number",
        "PID-21": "ID:record number",
        "PID-29": "DATE:died",
        "NK1-2": "NAME:relative",
        "NK1-4": "ADDRESS:address",
        "NK1-5": "PHONE:phone",
        "NK1-6": "PHONE:phone",
        "PV1-7": "NAME:doctor",
        "PV1-8": "NAME:doctor",
        "PV1-9": "NAME:doctor",
        "PV1-17": "NAME:doctor",
        "PV1-19": "ID:visit number",
        "PV1-44": "DATE:admitted",
        "PV1-45": "DATE:discharged",
        "PD1-4": "NAME:doctor",
        "GT1-3": "NAME:guarantor",
        "GT1-5": "ADDRESS:address",
        "GT1-6": "PHONE:phone",
        "GT1-12": "SSN:SSN",
        "IN1-16": "NAME:insured",
        "IN1-18": "DATE:born",
        "IN1-19": "ADDRESS:address",
        "IN1-36": "ID:policy number",
        "ORC-10": "NAME:entered by",
        "ORC-12": "NAME:doctor",
        "OBR-7": "DATE:observed",
        "OBR-16": "NAME:doctor",
        "OBR-28": "NAME:copies to",
        "OBR-32": "NAME:doctor",
        "OBX-14": "DATE:observed",
        "OBX-16": "NAME:observer",
        "AIP-3": "NAME:personnel",
        "TXA-9": "NAME:author",
        "TXA-5": "NAME:author",
        "EVN-5": "NAME:operator",
    }
)
"""The fields that hold an identifier by their type: its label, and the key that stands before it in a record."""


class Hl7Component(NamedTuple):
    """A component of a field."""

    start: int
    end: int


class Hl7Field(NamedTuple):
    """A repetition of a field that is not empty: its name, such as PID-5, and its components."""

    name: str
    components: tuple[Hl7Component, ...]


class Hl7Segment(NamedTuple):
    """A line of a message."""

    start: int
    end: int
    fields: tuple[Hl7Field, ...]


def hl7_segments(text: str) -> Iterator[Hl7Segment]:
    """Yield the segments of the messages in a text; a line that is no segment ends a message."""
    if not (header := _HEADER.search(text)):
        return
    marks = ""
    for line in _LINE.finditer(text, header.start()):
        content = line[0]
        if begins := _HEADER.match(content):
            marks = begins["field"] + begins["others"]
        if marks and _SEGMENT.match(content) and (len(content) == 3 or content[3] == marks[0]):
            yield Hl7Segment(line.start(), line.end(), tuple(_fields(content, line.start(), marks)))
        else:
            marks = ""


def _fields(content: str, start: int, marks: str) -> Iterator[Hl7Field]:
    name, is_header = content[:3], content[:3] in ("MSH", "FHS", "BHS")
    borders = [place for place, character in enumerate(content) if character == marks[0]] + [len(content)]
    for number, (place, after) in enumerate(zip(borders, borders[1:], strict=False), 2 if is_header else 1):
        if is_header and number == 2:
            continue
        for repetition in _parts(content, place + 1, after, marks[2:3]):
            components = tuple(
                Hl7Component(start + first, start + last)
                for component in _parts(content, *repetition, marks[1:2])
                for first, last in _parts(content, *component, marks[4:5])
                if last > first
            )
            if components:
                yield Hl7Field(f"{name}-{number}", components)


def _parts(content: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int]]:
    while mark and 0 <= (place := content.find(mark, start, end)):
        yield start, place
        start = place + 1
    yield start, end
