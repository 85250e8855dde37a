"""The records of a text: its parts in a syntax, and the prose between them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.text.segments.delimited import TableRow, delimited_rows
from spark_deid.text.segments.escapes import (
    decode_doubled,
    decode_form,
    decode_hl7,
    decode_json,
    decode_prose,
    has_escapes,
)
from spark_deid.text.segments.hl7 import FIELDS, Hl7Segment, hl7_segments, holds_identifier, is_coded
from spark_deid.text.segments.json_values import JsonPiece, JsonValue, json_pieces, words_of
from spark_deid.text.segments.mapped import MappedText, RecordBuilder, TextRecords
from spark_deid.text.segments.markup import TagPlace, tags

__all__ = ["TextRecords", "records_of"]

_FORM = re.compile(r"(?<![\w?/&;#.=-])(?:[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}&)+[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}")
_PAIR = re.compile(r"([\w.%\[\]-]{1,64})=([^&\s=]{0,4096})")
_MOST_NESTED = 4
_TEXT_ATTRIBUTES = frozenset(("title", "alt", "value", "content", "label", "summary", "name", "display", "aria-label"))
_TYPED_KEY = re.compile(r"[\s@]|[^\x00-\x7f]|\\|[0-9]{5}")
"""Characters of typed keys, such as names of people. Names of fields do not contain them."""
_LEAST_MARKS = 4
"""Separators of the smallest table: two rows of three cells."""


class SyntaxPart(NamedTuple):
    """The start and the end of a part in a syntax, and the function that writes its records."""

    start: int
    end: int
    write: Callable[[RecordBuilder, MappedText], None]


def records_of(text: str) -> TextRecords | None:
    """Return the records of a text in order; None for prose, which is read unchanged."""
    if not (may_have_syntax(text) or has_escapes(text)):
        return None
    whole = MappedText(text)
    parts = _parts(whole, _MOST_NESTED)
    if not (parts or has_escapes(text) or any(True for _ in tags(text))):
        return None
    builder = RecordBuilder()
    _write(builder, whole, parts)
    return builder.records()


def may_have_syntax(text: str) -> bool:
    """Return whether a text may contain more than prose, by characters that are rare in prose."""
    if ("{" in text or "[" in text) and '"' in text:
        return True
    if "\t" in text or "</" in text or "/>" in text or ("&" in text and "=" in text):
        return True
    if "MSH" in text or "FHS" in text or "BHS" in text or text.count("|") >= _LEAST_MARKS:
        return True
    return any(text.count(mark) - text.count(f"{mark} ") >= _LEAST_MARKS for mark in ",;")


def _write(builder: RecordBuilder, source: MappedText, parts: Sequence[SyntaxPart]) -> None:
    """Write the records of parts in a syntax, and of the prose between them."""
    done = 0
    for start, end, write in parts:
        if start >= done:
            _prose(builder, source.piece(done, start))
            write(builder, source)
            done = end
    _prose(builder, source.piece(done, len(source.text)))


def _parts(source: MappedText, depth: int) -> list[SyntaxPart]:
    """Return the parts of a text that are in a syntax, in order of start, the longest first."""
    text = source.text
    found: list[SyntaxPart] = []
    pieces = list(json_pieces(text)) if depth and ("{" in text or "[" in text) else []
    found += [SyntaxPart(piece.start, piece.end, partial(_json, part=piece, depth=depth)) for piece in pieces]
    if "|" in text:
        found += [SyntaxPart(part.start, part.end, partial(_hl7, segment=part)) for part in hl7_segments(text)]
    places = [piece[:2] for piece in pieces if piece.is_closed]
    found += [SyntaxPart(row.start, row.end, partial(_row, row=row)) for row in delimited_rows(text, places)]
    if "&" in text and "=" in text:
        found += [SyntaxPart(*form.span(), partial(_form, place=form.span())) for form in _FORM.finditer(text)]
    return sorted(found, key=lambda part: (part.start, -part.end))


def _prose(builder: RecordBuilder, source: MappedText) -> None:
    """Read prose with decoded escapes and without tags."""
    if not source.text or source.text.isspace():
        return
    attributes: list[tuple[str, MappedText]] = []
    done, key, before = 0, "", None
    for tag in tags(source.text):
        key = _add_element(builder, before, key, decode_prose(source.piece(done, tag.start)))
        builder.add("" if tag.kind == "inline" else "\n")
        attributes += [(tag.name if name == "value" else name, source.piece(*place)) for name, *place in tag.attributes]
        done, before = tag.end, tag
    _add_element(builder, before, key, decode_prose(source.piece(done, len(source.text))))
    builder.end_record()
    for name, content in attributes:
        builder.add(f"{words_of(name)}: ")
        content = decode_prose(content)
        builder.cell(content, _label(name, content), is_coded=name.lower() not in _TEXT_ATTRIBUTES)
        builder.end_record()


def _add_element(builder: RecordBuilder, tag: TagPlace | None, key: str, content: MappedText) -> str:
    """Add the content that follows a tag, and return the key of the next content, which a header cell has."""
    begins = tag is not None and not tag.is_end
    if not content.text.strip():
        builder.cell(content)
        return key
    if begins and tag is not None and tag.kind == "key":
        builder.cell(content, is_coded=True)
        return content.text.strip()
    key = tag.name if begins and tag is not None and tag.kind == "field" else key
    builder.add(f"{words_of(key)}: " if key else "")
    builder.cell(content, _label(key, content))
    return ""


def _json(builder: RecordBuilder, source: MappedText, *, part: JsonPiece, depth: int) -> None:
    """Read typed keys, then each object and list separately, and strings that contain other syntaxes."""
    typed = [key for key in part.keys if _TYPED_KEY.search(source.text, *key)]
    for key in typed:
        builder.cell(decode_prose(decode_json(source.piece(*key))))
        builder.add("\n")
    if typed:
        builder.end_record()
    by_container = sorted(part.values, key=attrgetter("container"))
    for _, values in groupby(by_container, key=attrgetter("container")):
        nested: list[tuple[MappedText, list[SyntaxPart]]] = []
        for value in values:
            content = _json_content(source, value)
            if depth > 1 and may_have_syntax(content.text) and (parts := _parts(content, depth - 1)):
                nested.append((content, parts))
            else:
                _add_value(builder, source.text[slice(*value.key)] if value.key is not None else "", content)
        builder.end_record()
        for content, parts in nested:
            _write(builder, content, parts)


def _json_content(source: MappedText, value: JsonValue) -> MappedText:
    content = source.piece(value.start, value.end)
    return decode_prose(decode_json(content)) if value.is_string else content.as_one()


def _hl7(builder: RecordBuilder, source: MappedText, *, segment: Hl7Segment) -> None:
    for field in segment.fields:
        label, _, key = FIELDS.get(field.name, "").partition(":")
        builder.add(f"{key}: " if key else "")
        for component in field.components:
            content = decode_hl7(source.piece(component.start, component.end))
            own = label if label and holds_identifier(field.name, component.number, content.text) else None
            builder.cell(content, own, is_coded=is_coded(field.name) or bool(label and not own))
            builder.add(" ")
        builder.add("\n")
    builder.end_record()


def _row(builder: RecordBuilder, source: MappedText, *, row: TableRow) -> None:
    for number, cell in enumerate(row.cells):
        content = source.piece(cell.start, cell.end)
        content = decode_prose(decode_doubled(content, '"') if cell.is_quoted else content)
        if row.is_header:
            builder.cell(content, is_coded=True)
            builder.add("\n")
        else:
            _add_value(
                builder, source.text[row.header[number].start : row.header[number].end] if row.header else "", content
            )
    builder.end_record()


def _form(builder: RecordBuilder, source: MappedText, *, place: tuple[int, int]) -> None:
    for pair in _PAIR.finditer(source.text, *place):
        _add_value(builder, pair[1], decode_form(source.piece(*pair.span(2))))
    builder.end_record()


def _add_value(builder: RecordBuilder, key: str, content: MappedText) -> None:
    """Add a value on a line, after its key in words."""
    builder.add(f"{words_of(key)}: " if key else "")
    builder.cell(content, _label(key, content))
    builder.add("\n")


def _label(key: str, content: MappedText) -> str | None:
    label = label_of_field(key) if key else None
    return label if label and may_identify(content.text) else None


# Fields that hold an identifier by their name: keys of JSON, columns of CSV, parameters of forms.


_KEYS = {
    "NAME": """
        patientname patientfirstname patientlastname firstname lastname surname givenname familyname fullname middlename
        maidenname birthname forename nickname preferredname mothersmaidenname mothername fathername spousename
        contactname nextofkin nextofkinname emergencycontact guarantorname subscribername insuredname guardianname
        doctorname physicianname providername attendingphysician referringphysician referringdoctor primarycarephysician
        attendingprovider attendingdoctor clinicianname nursename authorname employeename customername clientname
        username_full holdername cardholder cardholdername signatoryname family given
    """,
    "DATE": """
        dob dateofbirth birthdate birthday borndate dod dateofdeath deathdate deceaseddatetime admissiondate admitdate
        admitted dateofadmission dischargedate discharged dateofdischarge visitdate dateofvisit encounterdate
        dateofservice servicedate surgerydate collectiondate signeddate
    """,
    "PHONE": """
        phone phonenumber phoneno tel telephone telephonenumber mobile mobilenumber mobilephone cell cellphone fax
        faxnumber homephone workphone contactnumber contactphone patientphone landline pager
    """,
    "EMAIL": "email emailaddress emailid patientemail contactemail",
    "ADDRESS": """
        address streetaddress homeaddress mailingaddress patientaddress addressline addressline1 addressline2 address1
        address2 addr street streetname city town
    """,
    "POSTCODE": "zip zipcode postcode postalcode plz zip4",
    "SSN": "ssn socialsecuritynumber socialsecurityno socialsecurity ssnno patientssn",
    "CARD": "cardnumber creditcard creditcardnumber ccnumber",
    "IBAN": "iban",
    "IP": "ipaddress clientip remoteaddr sourceip remoteip",
    "CODE": """
        mrn medicalrecordnumber medicalrecordno recordnumber patientid patientidentifier patientno patientnumber
        hospitalnumber hospitalno accountnumber accountno policynumber policyno memberid membernumber nhsnumber nhsno
        insuranceid insurancenumber licensenumber licencenumber driverslicense passport passportnumber passportno
        nationalid taxid employeeid subscriberid healthcardnumber medicareid medicarenumber chartnumber
    """,
    "HANDLE": "username userlogin loginname login",
}
_LABELS: Mapping[str, str] = MappingProxyType({key: label for label, keys in _KEYS.items() for key in keys.split()})
_OTHER = re.compile(r"[\W_]+")
_UNTOLD = frozenset(
    ("", "unknown", "none", "null", "na", "nil", "nan", "true", "false", "notknown", "notgiven", "withheld")
)


@lru_cache(maxsize=4096)
def label_of_field(key: str) -> str | None:
    """Return the label of the values of a field, by its name; None if the name declares no identifier.

    >>> label_of_field("Date_of_Birth"), label_of_field("patientName"), label_of_field("colour")
    ('DATE', 'NAME', None)
    """
    return _LABELS.get(_OTHER.sub("", key).lower())


def may_identify(value: str) -> bool:
    """Return whether a value may be an identifier: it is not empty, not a word such as unknown, and not a placeholder.

    >>> [may_identify(value) for value in ("Ann Lee", "n/a", "[NAME]", " - ")]
    [True, False, False, False]
    """
    stripped = value.strip()
    is_hidden = stripped[:1] == "[" and stripped[-1:] == "]" and stripped[1:-1].replace("_", "").isupper()
    return not is_hidden and _OTHER.sub("", value).lower() not in _UNTOLD
