"""Messages of HL7 version 2: segments, fields and components."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

_BY_ITSELF = re.compile(r"^(?:PID|NK1|PV1|GT1|IN1|OBR|OBX|ORC|NTE|PD1|MRG)\|(?:[^|\r\n]*\|){2,}", re.MULTILINE)
"""A line of a message without its header."""
_USUAL = "|^~\\&"
_HEADER = re.compile(r"^(?:MSH|FHS|BHS)(?P<field>[^\w\s])(?P<others>[^\w\s\r\n]{3,5})(?P=field)", re.MULTILINE)
_LINE = re.compile(r"[^\r\n\v\x1c]+")
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}")

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("PID-2", "PID-3", "PID-4", "PID-21", "MRG-1"), "CODE:record number"),
        **dict.fromkeys(("PID-5", "MRG-7"), "NAME:patient"),
        **dict.fromkeys(("PID-6", "NK1-2", "NK1-30"), "NAME:relative"),
        **dict.fromkeys(("PID-9",), "NAME:alias"),
        **dict.fromkeys(("PID-7", "NK1-16", "GT1-8", "IN1-18"), "DATE:born"),
        **dict.fromkeys(("PID-11", "NK1-4", "NK1-32", "GT1-5", "IN1-5", "IN1-19", "PID-23"), "ADDRESS:address"),
        **dict.fromkeys(("PID-13", "PID-14", "NK1-5", "NK1-6", "NK1-31", "GT1-6", "GT1-7", "IN1-7"), "PHONE:phone"),
        **dict.fromkeys(("PID-18", "PV1-50", "GT1-2"), "CODE:account number"),
        **dict.fromkeys(("PID-19", "GT1-12", "NK1-37"), "SSN:SSN"),
        **dict.fromkeys(("PID-20",), "CODE:licence number"),
        **dict.fromkeys(("PID-29",), "DATE:died"),
        **dict.fromkeys(("PV1-7", "PV1-8", "PV1-9", "PV1-17", "PV1-52", "PD1-4", "ORC-12", "OBR-16"), "NAME:doctor"),
        **dict.fromkeys(("OBR-10", "OBR-32", "OBR-33", "OBR-34", "OBR-35", "OBX-16", "OBR-28"), "NAME:doctor"),
        **dict.fromkeys(("ORC-10", "ORC-11", "ORC-19", "EVN-5", "TXA-5", "TXA-9", "TXA-10", "TXA-11"), "NAME:clerk"),
        **dict.fromkeys(("AIP-3", "ROL-4", "SCH-12", "SCH-16", "DG1-16", "PR1-8", "PR1-11"), "NAME:doctor"),
        **dict.fromkeys(("PV1-19",), "CODE:visit number"),
        **dict.fromkeys(("PV1-44",), "DATE:admitted"),
        **dict.fromkeys(("PV1-45",), "DATE:discharged"),
        **dict.fromkeys(
            ("OBR-6", "OBR-7", "OBR-8", "OBR-14", "OBR-22", "OBX-14", "ORC-9", "EVN-2", "MSH-7"), "DATE:date"
        ),
        **dict.fromkeys(("DG1-5", "PR1-5", "TXA-4", "TXA-6", "IN1-12", "IN1-13"), "DATE:date"),
        **dict.fromkeys(("GT1-3", "IN1-16"), "NAME:insured"),
        **dict.fromkeys(("IN1-36", "IN1-49", "IN1-2"), "CODE:policy number"),
    }
)
"""The fields that hold an identifier by their type: its label, and its key in a record."""

_FREE = frozenset(
    ("OBX-5", "NTE-3", "PV2-3", "PV2-12", "OBR-13", "OBR-39", "DG1-4", "AL1-5", "IAM-5", "SCH-7", "TXA-3")
)
"""Fields with text of any kind."""
_SEGMENTS = re.compile(
    "MSH|EVN|PID|PD1|NK1|PV[12]|MRG|GT1|IN[12]|AL1|IAM|DG1|PR1|ROL|ORC|OB[RX]|NTE|TXA|SCH|AI[GLPS]|RX[AEOR]|SPM|FT1"
    "|[FB][HT]S|MSA|ERR|DSC"
)
"""Segments of the standard: what they hold is known. Others are read like prose."""
_FIRST_PARTS = MappingProxyType(
    {"NAME": (1, 2, 3, 4), "CODE": (1, 2), "PHONE": (1, 4, 5, 6, 7, 8, 9, 12), "ADDRESS": (1, 2, 3, 4, 5, 8, 9)}
)
"""The components that identify a person, by label. The others hold codes of tables."""


def holds_identifier(field: str, component: int, value: str) -> bool:
    """Return whether a component of a field of ``FIELDS`` holds an identifier instead of a code of a table.

    The second component of a doctor's field is the surname, the first is a number; both are identifiers.
    """
    label = FIELDS[field].partition(":")[0]
    is_person = field in _WITH_NUMBER
    parts = (1, 2, 3, 4, 5) if is_person else _FIRST_PARTS.get(label, (1,))
    return component in parts and any(map(str.isalnum, value))


_WITH_NUMBER = frozenset(
    name for name, what in FIELDS.items() if what in ("NAME:doctor", "NAME:clerk") and name not in ("OBR-32", "OBR-33")
)
"""Fields of type XCN: a number before the name."""


def is_coded(field: str) -> bool:
    """Return whether a field of a standard segment holds only codes, numbers and other values that name no person."""
    return _SEGMENTS.match(field) is not None and field not in _FREE and field not in FIELDS


class Hl7Component(NamedTuple):
    """The place of a component or a subcomponent, and the component's number."""

    start: int
    end: int
    number: int


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
    """Yield the segments of the messages in a text; any other line ends a message."""
    begins = [found.start() for pattern in (_HEADER, _BY_ITSELF) if (found := pattern.search(text))]
    if not begins:
        return
    marks = ""
    for line in _LINE.finditer(text, min(begins)):
        content = line[0]
        if header := _HEADER.match(content):
            marks = header["field"] + header["others"]
        elif not marks and _BY_ITSELF.match(content):
            marks = _USUAL
        if marks and _SEGMENT.match(content) and (len(content) == 3 or content[3] == marks[0]):
            yield Hl7Segment(line.start(), line.end(), tuple(_fields(content, line.start(), marks)))
        else:
            marks = ""


def _fields(content: str, start: int, marks: str) -> Iterator[Hl7Field]:
    name, is_header = content[:3], content[:3] in ("MSH", "FHS", "BHS")
    borders = [place for place, character in enumerate(content) if character == marks[0]] + [len(content)]
    for number, (begin, after) in enumerate(pairwise(borders), 2 if is_header else 1):
        if is_header and number == 2:
            continue
        for repetition in _parts(content, begin + 1, after, marks[2:3]):
            components = tuple(
                Hl7Component(start + first, start + last, place)
                for place, component in enumerate(_parts(content, *repetition, marks[1:2]), 1)
                for first, last in _parts(content, *component, marks[4:5])
                if last > first
            )
            if components:
                yield Hl7Field(f"{name}-{number}", components)


def _parts(content: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int]]:
    while mark and (place := content.find(mark, start, end)) >= 0:
        yield start, place
        start = place + 1
    yield start, end
