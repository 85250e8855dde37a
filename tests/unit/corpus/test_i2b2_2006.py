from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, GOLD_MENDED
from spark_deid.corpus.i2b2_2006 import FORMAT
from spark_deid.corpus.local import read_documents
from tests.unit.corpus.marked_documents import nested_documents, ordered

assert FORMAT.render_file is not None
RENDER = FORMAT.render_file
assert FORMAT.parse_file is not None
PARSE = FORMAT.parse_file

SECRET = "Zebulon"


def parse(content: str | bytes) -> list[Any]:
    return list(PARSE(content.encode() if isinstance(content, str) else content, "x.xml"))


def file(*records: str) -> str:
    return f"<?xml version='1.0' encoding='UTF-8'?>\r\n<ROOT>\n{''.join(records)}</ROOT>\n"


def record(markup: str, number: int = 7) -> str:
    return f'<RECORD ID="{number}">\n<TEXT>{markup}</TEXT>\n</RECORD>\n'


@given(st.lists(nested_documents(labels=("DOCTOR", 'A "q" <&>', "ID")), max_size=3))
def test_what_is_written_is_read_by_us_and_by_a_parser_of_xml(documents: list[Document]) -> None:
    data = RENDER(documents)
    again = parse(data)
    assert [d.text for d in again] == [d.text for d in documents]
    assert [ordered(d.spans) for d in again] == [d.spans for d in documents]
    texts = ["".join(element.itertext()) for element in ElementTree.fromstring(data).iter("TEXT")]
    assert texts == [d.text for d in documents]


def test_ids_come_back() -> None:
    document = Document('a"<&>\n/é', "x")
    assert [d.doc_id for d in parse(RENDER([document]))] == [document.doc_id]


def test_offsets_count_the_text_only_and_line_ends_remain() -> None:
    (document,) = parse(file(record('\r\nDr. <PHI TYPE="DOCTOR">O&apos;Neil &amp; 😀</PHI>\r\n[ report_end ]\n')))
    assert document.doc_id == "7"
    assert document.text == "\r\nDr. O'Neil & 😀\r\n[ report_end ]\n"
    assert document.spans == (Span(6, 16, "DOCTOR", None, GOLD),)


def test_start_tag_in_place_of_an_end_tag_is_corrected_and_marked() -> None:
    markup = (
        '<PHI TYPE="ID">1</PHI> on <PHI TYPE="DATE">25th of July<PHI TYPE="DOCTOR"> by <PHI TYPE="DOCTOR">Lee</PHI>'
    )
    (document,) = parse(file(record(markup)))
    assert document.text == "1 on 25th of July by Lee"
    assert document.spans == (
        Span(0, 1, "ID", None, GOLD),
        Span(5, 17, "DATE", None, GOLD_MENDED),
        Span(21, 24, "DOCTOR", None, GOLD),
    )


def test_nested_tags_are_nested_spans() -> None:
    (document,) = parse(file(record('<PHI TYPE="LOCATION">Mt <PHI TYPE="PATIENT">Ann</PHI></PHI>')))
    assert document.spans == (Span(0, 6, "LOCATION", None, GOLD), Span(3, 6, "PATIENT", None, GOLD))


def test_record_without_id_is_named_by_its_number() -> None:
    first, second = parse(file("<RECORD><TEXT>a</TEXT></RECORD>", "<RECORD><TEXT>b</TEXT></RECORD>"))
    assert (first.doc_id, second.doc_id) == ("x.xml#1", "x.xml#2")


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        (f'<PHI TYPE="DATE">{SECRET}', "malformed"),
        (f"{SECRET}</PHI>", "malformed"),
        (f"<PHI>{SECRET}</PHI>", "malformed"),
        (f"<PHI TYPE={SECRET}>x</PHI>", "malformed"),
        (f"<NAME>{SECRET}</NAME>", "malformed"),
        (f'<PHI TYPE="A&{SECRET};">x</PHI>', "malformed"),
        (f"{SECRET} & co", "malformed"),
        (f"{SECRET}<PHI TYPE='DATE'></PHI>", "bad-annotation"),
        (f"{SECRET}&#0;", "nul"),
        (f"{SECRET}</TEXT><TEXT>", "malformed"),
        ("", "empty"),
    ],
)
def test_bad_record_is_rejected_singly_and_without_its_text(markup: str, reason: str) -> None:
    error, good = parse(file(record(markup), record("fine", 8)))
    assert isinstance(error, FormatError)
    assert error.reason == reason
    assert SECRET not in str(error)
    assert good.text == "fine"


def test_bad_byte_rejects_its_record_only() -> None:
    error, good = parse(file(record("a!"), record("fine", 8)).encode().replace(b"a!", b"a\xff"))
    assert error.reason == "invalid-utf8"
    assert good.text == "fine"


def test_a_file_that_is_cut_off_is_refused() -> None:
    whole = file(record("one"), record(SECRET, 8))
    for torn in (whole[: whole.index(SECRET) + 3], whole.removesuffix("</ROOT>\n")):
        with pytest.raises(FormatError, match="cut off"):
            parse(torn)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no markup",
        "<deIdi2b2><TEXT>x</TEXT></deIdi2b2>",
        f'<!DOCTYPE ROOT [<!ENTITY a "{SECRET}">]><ROOT>{record("&a;")}</ROOT>',
        f'<!DOCTYPE ROOT SYSTEM "file:///etc/passwd"><ROOT>{record("x")}</ROOT>',
    ],
)
def test_file_that_is_none_is_refused(content: str) -> None:
    with pytest.raises(FormatError, match="malformed") as error:
        parse(content)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("character", ["\x01", "\x0b", "\x1f", "\ufffe", "\uffff"])
def test_character_that_xml_cannot_hold_is_refused_on_writing(character: str) -> None:
    with pytest.raises(FormatError, match=r"'ward/7'.*not allowed in XML") as error:
        RENDER([Document("ward/7", SECRET + character)])
    assert SECRET not in str(error.value)


def test_crossing_spans_are_refused_on_writing() -> None:
    with pytest.raises(FormatError, match=r"'ward/7'.*at 0 and 2 overlap"):
        RENDER([Document("ward/7", "abcdef", spans=(Span(0, 4, "A"), Span(2, 6, "B")))])


def test_corrected_tags_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text(file(record('<PHI TYPE="DATE">May<PHI TYPE="DOCTOR"> ok')))
    reading = read_documents(str(tmp_path), "i2b2-2006")
    assert reading.inventory.mended_annotations == 1
    assert reading.documents[0].spans == (Span(0, 3, "DATE", None, GOLD),)
