"""i2b2/n2c2 2014 de-identification challenge: one XML file a document, text in CDATA, tags with offsets.

Read by expat with document types refused, so that there are no entities to expand or to fetch. As in any XML, line
ends of the file are line feeds and offsets count them so; a carriage return of the text is written as a character
reference and comes back.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final, NoReturn
from xml.parsers import expat

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.annotation_ids import only_shared_ids, written_ids
from spark_deid.corpus.checks import checked_span, checked_text, decode
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.markup import checked_xml, escaped_attribute, name_document, reading_order

_TYPES: Final = {
    "NAME": "PATIENT DOCTOR USERNAME",
    "PROFESSION": "PROFESSION",
    "LOCATION": "ROOM DEPARTMENT HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY COUNTY ZIP LOCATION-OTHER",
    "AGE": "AGE",
    "DATE": "DATE",
    "CONTACT": "PHONE FAX EMAIL URL IPADDR",
    "ID": "SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM",
}
CATEGORIES: Final = MappingProxyType({kind: category for category, kinds in _TYPES.items() for kind in kinds.split()})

_PATIENT_RECORD = re.compile(r"([0-9]{3})-[0-9]{2}")
_OFFSET = re.compile(r"[0-9]{1,9}")
_LABELS = ("type", "category")


def parse_document(data: bytes, companion: bytes | None, source: str, doc_id: str, *, label: str = "type") -> Document:
    """Read a document; a file named ``NNN-NN`` is about the subject ``NNN``.

    ``label`` states what spans are labelled with: "type", the TYPE attribute (PATIENT), or "category", the element
    (NAME). Raises FormatError.
    """
    file = _parse_xml(decode(data))
    text = checked_text(file.text)
    spans = (_span(text, tag, number, label) for number, tag in enumerate(file.tags, start=1))
    patient = _PATIENT_RECORD.fullmatch(doc_id.rsplit("/", 1)[-1])
    return Document(doc_id, text, patient[1] if patient else None, only_shared_ids(spans))


def render_document(document: Document) -> Mapping[str, bytes]:
    """Write a document; labels of the challenge go into the element of their category, others into OTHER.

    Subject, metadata and scores are lost. Raises FormatError "malformed" where a character can't be in XML.
    """
    spans = reading_order(document.spans)
    with name_document(document.doc_id):
        text = _render_text(document.text)
        tags = "".join(
            _render_tag(document.text, span, tag_id)
            for span, tag_id in zip(spans, written_ids(spans, "P"), strict=True)
        )
    xml = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<deIdi2b2>\n<TEXT>{text}</TEXT>\n<TAGS>\n{tags}</TAGS>\n</deIdi2b2>\n'
    )
    return {".xml": xml.encode("utf-8")}


@dataclass
class _File:
    """What expat has met so far."""

    path: list[str] = field(default_factory=list)
    texts: int = 0
    parts: list[str] = field(default_factory=list)
    sections: list[int] = field(default_factory=list)
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        """Return the text, None where there was no TEXT; whitespace around its CDATA sections is not one of it."""
        if not self.texts:
            return None
        first, last = (self.sections[0], self.sections[-1]) if self.sections else (0, len(self.parts))
        around = "".join(self.parts[:first] + self.parts[last:])
        return "".join(self.parts if around.strip() else self.parts[first:last])

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.in_text():
            raise FormatError("malformed", "expected no element inside TEXT")
        if len(self.path) == 2 and self.path[1] == "TAGS":
            self.tags.append((name, attributes))
        self.path.append(name)
        if self.in_text():
            self.texts += 1
            if self.texts > 1:
                raise FormatError("malformed", "expected one TEXT")

    def end(self, name: str) -> None:
        self.path.pop()

    def characters(self, data: str) -> None:
        if self.in_text():
            self.parts.append(data)

    def section(self) -> None:
        if self.in_text():
            self.sections.append(len(self.parts))

    def in_text(self) -> bool:
        return len(self.path) == 2 and self.path[1] == "TEXT"


def _parse_xml(xml: str) -> _File:
    file = _File()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.StartElementHandler = file.start
    parser.EndElementHandler = file.end
    parser.CharacterDataHandler = file.characters
    parser.StartCdataSectionHandler = file.section
    parser.EndCdataSectionHandler = file.section
    try:
        parser.Parse(xml.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise FormatError("malformed", f"line {error.lineno}: expected well-formed XML") from None
    return file


def _refuse_document_type(*_: object) -> NoReturn:
    raise FormatError("malformed", "expected no document type declaration")


def _span(text: str, tag: tuple[str, dict[str, str]], number: int, label: str) -> Span:
    category, attributes = tag
    start, end = (_offset(attributes.get(name)) for name in ("start", "end"))
    return checked_span(
        text,
        start,
        end,
        attributes.get("text"),
        category if label == "category" else attributes.get("TYPE", category),
        where=f"tag {number}",
        annotation_id=attributes.get("id"),
    )


def _offset(value: str | None) -> int | None:
    return int(value) if value is not None and _OFFSET.fullmatch(value) else None


def _render_text(text: str) -> str:
    split = checked_xml(text, "text").replace("]]>", "]]]]><![CDATA[>")
    return f"<![CDATA[{split}]]>".replace("\r", "]]>&#13;<![CDATA[")


def _render_tag(text: str, span: Span, tag_id: str) -> str:
    values = {
        "id": tag_id,
        "start": str(span.start),
        "end": str(span.end),
        "text": text[span.start : span.end],
        "TYPE": span.label,
        "comment": "",
    }
    attributes = " ".join(f'{name}="{escaped_attribute(checked_xml(value, name))}"' for name, value in values.items())
    return f"<{CATEGORIES.get(span.label, 'OTHER')} {attributes}/>\n"


def _configure(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    label = options.get("label", "type")
    if label not in _LABELS:
        raise UsageError(f"label: expected one of {', '.join(_LABELS)}")
    return replace(format, parse_document=partial(parse_document, label=label))


FORMAT = CorpusFormat(
    name="i2b2-2014",
    suffixes=(".xml",),
    unit=ParserUnit.DOCUMENT,
    parse_document=parse_document,
    render_document=render_document,
    options=("label",),
    configure=_configure,
)
