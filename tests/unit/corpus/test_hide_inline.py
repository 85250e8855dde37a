import pytest
from hypothesis import given

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.hide_inline import FORMAT
from tests.unit.corpus.marked_documents import nested_documents, ordered

assert FORMAT.render_document is not None
RENDER = FORMAT.render_document
assert FORMAT.parse_document is not None
PARSE = FORMAT.parse_document

SECRET = "Zebulon"


def parse(markup: str) -> Document:
    return PARSE(markup.encode(), None, "x.hide", "x")


def render(document: Document) -> str:
    return RENDER(document)[".hide"].decode()


@given(nested_documents())
def test_what_is_written_is_read(document: Document) -> None:
    again = parse(render(document))
    assert again.text == document.text
    assert ordered(again.spans) == document.spans


def test_tags_become_spans_and_offsets_count_the_text_only() -> None:
    document = parse("A &lt; 3: <NAME>Dr. <LAST>Lee 😀</LAST></NAME>\r\n&amp; co")
    assert document.text == "A < 3: Dr. Lee 😀\r\n& co"
    assert document.spans == (Span(7, 16, "NAME", None, "gold"), Span(11, 16, "LAST", None, "gold"))


def test_text_that_begins_with_a_byte_order_mark_keeps_it() -> None:
    document = Document("x", "\ufeffa")
    assert parse(render(document)).text == document.text


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        (f"<NAME>{SECRET}</DATE>", "malformed"),
        (f"<NAME>{SECRET}", "malformed"),
        (f"{SECRET}</NAME>", "malformed"),
        (f"<A>{SECRET}<B>x</A></B>", "malformed"),
        (f"<NAME kind='{SECRET}'>x</NAME>", "malformed"),
        (f"{SECRET} < 3", "malformed"),
        (f"{SECRET} & co", "malformed"),
        (f"&{SECRET.lower()[:4]};", "malformed"),
        (f"<!-- {SECRET} -->", "malformed"),
        (f"<!DOCTYPE x [<!ENTITY a '{SECRET}'>]>&a;", "malformed"),
        (f"{SECRET}<br/>", "malformed"),
        (f"<NAME></NAME>{SECRET}", "bad-annotation"),
        ("<NAME></NAME>", "empty"),
        ("a&#0;", "nul"),
        ("&#55296;", "malformed"),
        ("&#9999999;", "malformed"),
        ("", "empty"),
    ],
)
def test_malformed_markup_is_refused_without_its_text(markup: str, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        parse(markup)
    assert error.value.reason == reason
    assert SECRET not in str(error.value)
    assert error.value.__cause__ is None


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(FormatError, match="invalid-utf8"):
        PARSE(b"a\xff", None, "x.hide", "x")


def test_error_names_the_line() -> None:
    with pytest.raises(FormatError, match="line 3"):
        parse("a\nb\n<NAME>")


def test_crossing_spans_are_refused_on_writing() -> None:
    crossing = Document("ward/7", "abcdef", spans=(Span(0, 4, "A"), Span(2, 6, "B")))
    with pytest.raises(FormatError, match=r"'ward/7'.*overlap.*Write brat or jsonl"):
        render(crossing)


def test_label_that_is_no_tag_name_is_refused_on_writing() -> None:
    with pytest.raises(FormatError, match=r"'x': the span at 0: its label .*Rename") as error:
        render(Document("x", SECRET, spans=(Span(0, 4, "last name"),)))
    assert SECRET not in str(error.value)
