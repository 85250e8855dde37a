import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.corpus.csv import parse_file, render_file
from spark_deid.corpus.formats import find_format
from tests.unit.corpus.any_documents import documents


def parse(data: bytes) -> list[Document | FormatError]:
    return list(parse_file(data, "x.csv"))


def reasons(data: bytes) -> list[str]:
    return [value.reason if isinstance(value, FormatError) else value.doc_id for value in parse(data)]


@given(st.lists(documents(), max_size=4))
def test_texts_and_ids_come_back(given_documents: list[Document]) -> None:
    read = parse(render_file(given_documents))
    assert read == [Document(d.doc_id, d.text) for d in given_documents]


def test_subject_and_metadata_come_back() -> None:
    document = Document("x", "a", "p", (), {"year": "2001"})
    assert parse(render_file([document, Document("y", "b")])) == [document, Document("y", "b")]


def test_quoted_line_breaks_are_text() -> None:
    assert parse(b'text,doc_id\n"a\r\n""b"",",7\n\nc,\n') == [Document("7", 'a\r\n"b",'), Document("x.csv#2", "c")]


def test_a_bad_record_is_refused_singly() -> None:
    data = b"doc_id,text\na,x\nb\nc,y,z\nd,\xff\ne,\nf,\0\ng,x\n"
    assert reasons(data) == ["a", "malformed", "malformed", "invalid-utf8", "empty", "nul", "g"]


@pytest.mark.parametrize("data", [b'doc_id,text\na,x\nb,"y\nc,z\n', b'doc_id,text\na,x\nb,"y"z\nc,w\n'])
def test_a_broken_quote_refuses_the_file(data: bytes) -> None:
    with pytest.raises(FormatError, match="record 2"):
        parse(data)


@pytest.mark.parametrize("data", [b"doc_id,note\na,x\n", b"text,text\na,x\n", b'"text\n'])
def test_a_file_needs_a_header(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse(data)


def test_long_cells_are_read() -> None:
    assert parse(b"text\n" + b"a" * 200_000 + b"\n") == [Document("x.csv#1", "a" * 200_000)]


def test_options_name_columns_and_delimiter() -> None:
    format = find_format("csv", {"text_column": "note", "id_column": "n", "delimiter": "\t"})
    assert format.parse_file is not None
    assert list(format.parse_file(b"n\tnote\tk\n1\ta,b\tv\n", "x.csv")) == [Document("1", "a,b", None, (), {"k": "v"})]
    with pytest.raises(UsageError, match="delimiter"):
        find_format("csv", {"delimiter": "ab"})
    with pytest.raises(UsageError, match="separator"):
        find_format("csv", {"separator": ","})
    with pytest.raises(UsageError, match="different"):
        find_format("csv", {"text_column": "doc_id"})


def read(data: bytes, **options: str) -> list[Document | FormatError]:
    format = find_format("csv", options)
    assert format.parse_file is not None
    return list(format.parse_file(data, "x.csv"))


WRITTEN_BY_SPARK = (
    b'note_id,note\n1,"He said \\"call Ilona\\", then left.\nLine 2"\n'
    b'2,"ends with \\\\"\n3,"a \\"b, c\\" d"\n4,C:\\dir\n'
)


def test_what_spark_writes_is_read_by_an_option_that_the_reject_names() -> None:
    with pytest.raises(FormatError, match=r"record 1.*--option escape='\\'") as error:
        read(WRITTEN_BY_SPARK, text_column="note", id_column="note_id")
    assert "Ilona" not in str(error.value)
    documents = read(WRITTEN_BY_SPARK, text_column="note", id_column="note_id", escape="\\")
    texts = ['He said "call Ilona", then left.\nLine 2', "ends with \\", 'a "b, c" d', "C:\\dir"]
    assert documents == [Document(str(n), text) for n, text in enumerate(texts, 1)]


def test_a_record_of_another_width_names_the_dialect_that_fits() -> None:
    _, error = read(b'doc_id,text\na,x\nb,"\\", y\\""\n')
    assert isinstance(error, FormatError)
    assert "expected 2 cells, got 3; all rows would fit with --option escape='\\'" in error.detail
    with pytest.raises(FormatError, match="--option delimiter=';'"):
        read(b"doc_id;text\na;x\n")


def test_what_excel_writes_is_read() -> None:
    expected = [Document("a", "x;y\r\nz")]
    assert read('\ufeffsep=;\r\ndoc_id;text\r\na;"x;y\r\nz"\r\n'.encode()) == expected
    assert read(b'"sep=\t"\r\ndoc_id\ttext\r\na\t"x;y\r\nz"\r\n') == expected
    format = find_format("csv")
    assert format.header is not None
    assert format.header(io.BytesIO("\ufeffsep=;\r\ndoc_id;text\r\n".encode()), "") == ("doc_id", "text")


def test_a_carriage_return_in_a_cell_is_text() -> None:
    assert read(b'doc_id,text\na,"x\ry"\nb,z\n') == [Document("a", "x\ry"), Document("b", "z")]
