import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD
from spark_deid.corpus.conll import parse_file
from spark_deid.corpus.conll_writer import render_file
from spark_deid.corpus.formats import find_format
from tests.unit.corpus.any_documents import documents


def parse(data: str) -> list[Document | FormatError]:
    return list(parse_file(data.encode(), "x.conll"))


def parse_one(data: str) -> Document:
    (document,) = parse(data)
    assert isinstance(document, Document)
    return document


def reasons(values: list[Document | FormatError]) -> list[str]:
    return [value.reason if isinstance(value, FormatError) else value.doc_id for value in values]


def marked(document: Document) -> list[tuple[str, str]]:
    return [(document.text[s.start : s.end], s.label) for s in document.spans]


@given(st.lists(documents(), max_size=3))
def test_texts_and_ids_come_back_exactly(given_documents: list[Document]) -> None:
    read = list(parse_file(render_file(given_documents), "x.conll"))
    assert [(d.doc_id, d.text) for d in given_documents] == [
        (d.doc_id, d.text) if isinstance(d, Document) else d for d in read
    ]


@given(documents())
def test_marked_characters_come_back(document: Document) -> None:
    (read,) = parse_file(render_file([document]), "x.conll")
    assert isinstance(read, Document)
    for sides in (document, read):
        assert {i for s in document.spans for i in range(s.start, s.end) if not document.text[i].isspace()} == {
            i for s in sides.spans for i in range(s.start, s.end) if not document.text[i].isspace()
        }


def test_spans_come_back() -> None:
    spans = (Span(0, 7, "A", None, GOLD), Span(8, 9, "A", None, GOLD), Span(10, 12, "B", None, GOLD))
    document = Document("x", "# Lee-B c\nd!", spans=spans)
    [read] = parse_file(render_file([document]), "x")
    assert isinstance(read, Document)
    assert read._replace(tokens=()) == document
    assert [read.text[start:end] for start, end in read.tokens] == ["#", "Lee", "-", "B", "c", "d", "!"]


def test_tokens_are_joined_by_spaces_and_sentences_by_line_breaks() -> None:
    document = parse_one("Ann B-PER\ncame O\n\nBo I-PER\nLee I-PER\n")
    assert document.doc_id == "x.conll#1"
    assert document.text == "Ann came\nBo Lee"
    assert marked(document) == [("Ann", "PER"), ("Bo Lee", "PER")]


def test_raw_text_is_taken_where_the_file_has_it() -> None:
    document = parse_one("# newdoc id = d\n# text = Ann  Lee's\n1\tAnn\tB-PER\n2\tLee\tI-PER\n3\t's\tO\n")
    assert (document.doc_id, document.text) == ("d", "Ann  Lee's")
    assert marked(document) == [("Ann  Lee", "PER")]


def test_documents_begin_at_newdoc_and_docstart() -> None:
    values = parse("-DOCSTART- -X- O\n\na O\n\n-DOCSTART- -X- O\n\nb O\n# newdoc id = c\nc O\n-DOCSTART- -X- O\n")
    assert reasons(values) == ["x.conll#1", "x.conll#2", "c", "empty"]
    assert reasons(parse("-DOCSTART- O\n\n# newdoc id = a\nb O\n# newdoc id = e\n")) == ["a", "empty"]


def test_empty_documents_are_refused_and_counted() -> None:
    assert reasons(parse("-DOCSTART- O\n\n-DOCSTART- O\n\nAnn B-PER\n")) == ["empty", "x.conll#2"]
    assert reasons(parse("# newdoc\n\n# newdoc\n# sent_id = 1\n# newdoc\nAnn\tB-PER\n")) == ["empty"] * 2 + [
        "x.conll#3"
    ]
    assert reasons(parse("\n# License: CC-BY\n\n")) == ["empty"]
    assert parse("") == []


def test_comments_before_the_first_document_are_no_document() -> None:
    assert reasons(parse("# License: CC-BY\n\n# newdoc\nAnn\tB-PER\n")) == ["x.conll#1"]
    assert reasons(parse("# License: CC-BY\n-DOCSTART- O\n\nAnn B-PER\n")) == ["x.conll#1"]
    assert reasons(parse("Bo\tB-PER\n# newdoc id = a\nAnn\tB-PER\n")) == ["x.conll#1", "a"]


def test_a_counting_first_column_puts_the_token_second_and_the_tag_third() -> None:
    assert marked(parse_one("1\tAnn\tB-PER\t-\tx\n2\tcame\tO\t-\tx\n\n1\tBo\tB-PER\n")) == [
        ("Ann", "PER"),
        ("Bo", "PER"),
    ]
    assert marked(parse_one("1\tB-X\n2\tO\n")) == [("1", "X")]
    assert marked(parse_one("1 B-X B-Y\n3 O O\n")) == [("1", "Y")]


def test_columns_can_be_chosen() -> None:
    format = find_format("conll", {"columns": "2,-2"})
    assert format.parse_file is not None
    (document,) = format.parse_file(b"B-X\ta\tB-Y\t_\n", "x")
    assert isinstance(document, Document)
    assert marked(document) == [("a", "Y")]
    for value in ("0,1", "1", "2,2", "a,b"):
        with pytest.raises(UsageError, match="columns"):
            find_format("conll", {"columns": value})


def test_a_bad_document_is_refused_singly() -> None:
    data = b"# newdoc id = a\nx\tO\n# newdoc id = b\nx\tX\n# newdoc id = c\nx\n# newdoc id = d\n\xff\tO\n"
    data += b"# newdoc id = e\n\0\tO\n# newdoc id = f\n# text = other\nx\tO\n# newdoc id = g\nx\tB-\n"
    data += b"# newdoc id = h\ny\tO\n"
    assert reasons(list(parse_file(data, "x"))) == [
        "a",
        "bad-annotation",
        "malformed",
        "invalid-utf8",
        "nul",
        "bad-annotation",
        "bad-annotation",
        "h",
    ]


def test_hashes_can_be_tokens() -> None:
    assert parse_one("#\tO\n#tag\tB-X\n# a comment\nb\tO\n").text == "# #tag b"
    assert parse_one("# O\n# a comment\n#tag B-X\n").text == "# #tag"


def test_windows_line_ends_are_no_text() -> None:
    assert parse_one("Ann B-PER\r\ncame O\r\n\r\nBo O\r\n").text == "Ann came\nBo"


def test_ids_that_do_not_fit_on_a_line_are_refused() -> None:
    with pytest.raises(FormatError, match="unsafe-id"):
        render_file([Document("a\nb", "x")])
