from xml.etree import ElementTree

import pytest
from hypothesis import given

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, GOLD_UTF16, GOLD_WHITESPACE
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.i2b2_2014 import FORMAT
from tests.unit.corpus.marked_documents import documents, ordered

assert FORMAT.render_document is not None
RENDER = FORMAT.render_document

SECRET = "Zebulon"


def parse(xml: str | bytes, doc_id: str = "x", **options: str) -> Document:
    data = xml.encode() if isinstance(xml, str) else xml
    read = find_format("i2b2-2014", options).parse_document
    assert read is not None
    return read(data, None, "x.xml", doc_id)


def file(text: str, tags: str = "") -> str:
    return f'<?xml version="1.0"?>\n<deIdi2b2>\n<TEXT>{text}</TEXT>\n<TAGS>\n{tags}</TAGS>\n</deIdi2b2>'


def tag(start: int, end: int, surface: str, kind: str = "DOCTOR", category: str = "NAME", name: str = "P0") -> str:
    return f'<{category} id="{name}" start="{start}" end="{end}" text="{surface}" TYPE="{kind}" comment=""/>\n'


@given(documents(labels=("DOCTOR", 'A "q" <&>', "IDNUM")))
def test_what_is_written_is_read_by_us_and_by_a_parser_of_xml(document: Document) -> None:
    data = RENDER(document)[".xml"]
    again = parse(data)
    assert again.text == document.text
    assert ordered(again.spans) == document.spans
    root = ElementTree.fromstring(data)
    assert root.findtext("TEXT") == document.text
    for element in root.find("TAGS"):
        assert document.text[int(element.attrib["start"]) : int(element.attrib["end"])] == element.get("text")


def test_text_type_and_offsets_are_read() -> None:
    document = parse(file("<![CDATA[\nSeen by Dr. Lee & <co>.\n]]>", tag(13, 16, "Lee")))
    assert document.text == "\nSeen by Dr. Lee & <co>.\n"
    assert document.spans == (Span(13, 16, "DOCTOR", None, GOLD),)


def test_white_space_around_the_section_is_not_text() -> None:
    assert parse(file("\n  <![CDATA[Lee\n]]>\n", tag(0, 3, "Lee"))).text == "Lee\n"
    assert parse(file(" Lee &amp; co")).text == " Lee & co"


def test_surface_equal_after_white_space_normalization_is_kept_and_marked() -> None:
    (span,) = parse(file("<![CDATA[Ann\nLee]]>", tag(0, 7, "Ann Lee"))).spans
    assert span == Span(0, 7, "DOCTOR", None, GOLD_WHITESPACE)


def test_offsets_in_utf16_units_are_converted_and_marked() -> None:
    (span,) = parse(file("<![CDATA[😀 Lee]]>", tag(3, 6, "Lee"))).spans
    assert span == Span(2, 5, "DOCTOR", None, GOLD_UTF16)


def test_category_may_be_the_label() -> None:
    xml = file("<![CDATA[Lee]]>", tag(0, 3, "Lee"))
    assert parse(xml, label="category").spans[0].label == "NAME"
    with pytest.raises(UsageError, match="label"):
        parse(xml, label="text")


def test_file_name_of_the_challenge_names_the_subject() -> None:
    assert parse(file("x"), "train/220-03").subject_id == "220"
    assert parse(file("x"), "note-03").subject_id is None


def test_category_is_written() -> None:
    spans = (Span(0, 1, "DOCTOR"), Span(1, 2, "ZIP"), Span(2, 3, "NEW"))
    root = ElementTree.fromstring(RENDER(Document("x", "abc", spans=spans))[".xml"])
    assert [(e.tag, e.get("TYPE")) for e in root.find("TAGS")] == [
        ("NAME", "DOCTOR"), ("LOCATION", "ZIP"), ("OTHER", "NEW"),
    ]  # fmt: skip


def test_nested_and_discontinuous_annotations_are_kept() -> None:
    tags = tag(0, 3, "Ann", name="P1") + tag(8, 11, "Lee", name="P1") + tag(0, 11, "Ann von Lee", name="P2")
    spans = parse(file("<![CDATA[Ann von Lee]]>", tags)).spans
    assert [(s.start, s.end, s.annotation_id) for s in spans] == [(0, 3, "P1"), (8, 11, "P1"), (0, 11, None)]


BOMB = f'<!DOCTYPE x [<!ENTITY a "{SECRET}"><!ENTITY b "&a;&a;&a;">]>' + file("&b;")


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (file("<![CDATA[x]]>", tag(0, 1, SECRET)), "bad-annotation"),
        (file(f"<![CDATA[{SECRET}]]>", tag(0, 99, SECRET)), "bad-annotation"),
        (file(f"<![CDATA[{SECRET}]]>", tag(3, 3, "")), "bad-annotation"),
        (file(f"<![CDATA[{SECRET}]]>", '<NAME start="a" end="2" TYPE="X"/>'), "bad-annotation"),
        (file(f"<b>{SECRET}</b>"), "malformed"),
        (file(f"{SECRET} & co"), "malformed"),
        (file(f"<![CDATA[{SECRET}")[:60], "malformed"),
        (file(f"{SECRET}&#1;"), "malformed"),
        (file(f"&{SECRET};"), "malformed"),
        (file(SECRET).replace("<TAGS>", "<TEXT>x</TEXT><TAGS>"), "malformed"),
        (BOMB, "malformed"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd">' + file("x"), "malformed"),
        (f"<deIdi2b2><TAGS/>{SECRET}</deIdi2b2>", "no-text"),
        (file("<![CDATA[]]>"), "empty"),
        (SECRET, "malformed"),
        ("", "empty"),
    ],
)
def test_malformed_file_is_refused_without_its_text(xml: str, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        parse(xml)
    assert error.value.reason == reason
    assert SECRET not in str(error.value)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(FormatError, match="invalid-utf8"):
        parse(file("é").encode("latin-1"))


def test_line_ends_of_the_file_are_line_feeds_as_in_any_xml() -> None:
    document = parse(file("<![CDATA[Dr.\r\nLee]]>", tag(4, 7, "Lee")).replace("\n", "\r\n").replace("\r\r", "\r"))
    assert document.text == "Dr.\nLee"


@pytest.mark.parametrize("character", ["\x01", "\x0c", "\ufffe"])
def test_character_that_xml_cannot_hold_is_refused_on_writing(character: str) -> None:
    with pytest.raises(FormatError, match=r"not allowed in XML 1\.0.*write jsonl") as error:
        RENDER(Document("x", SECRET + character))
    assert SECRET not in str(error.value)
