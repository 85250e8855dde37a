import pytest
from hypothesis import given

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span, join_pieces
from spark_deid.corpus.brat import parse_document, render_document
from spark_deid.corpus.checks import GOLD, GOLD_UTF16, GOLD_WHITESPACE
from tests.unit.corpus.any_documents import documents

TEXT = "Ann Lee saw\nDr. Bo."


def parse(annotations: str, text: str = TEXT) -> tuple[Span, ...]:
    return parse_document(text.encode(), annotations.encode(), "x.txt", "x").spans


def marked(document: Document) -> list[tuple[str, set[int]]]:
    """What every annotation marks, line breaks aside."""
    groups: dict[object, set[int]] = {}
    for index, span in enumerate(document.spans):
        key = (span.annotation_id or index, span.label)
        groups.setdefault(key, set()).update(i for i in range(span.start, span.end) if document.text[i] not in "\r\n")
    return sorted((key[1], offsets) for key, offsets in groups.items() if offsets)


@given(documents())
def test_round_trip_keeps_the_text_and_every_marked_character(document: Document) -> None:
    files = render_document(document)
    read = parse_document(files[".txt"], files[".ann"], "x.txt", document.doc_id)
    assert (read.doc_id, read.text) == (document.doc_id, document.text)
    assert sorted(map(repr, marked(read))) == sorted(map(repr, marked(document)))


def test_relations_events_attributes_and_notes_are_passed_over() -> None:
    others = "R1\tX Arg1:T1 Arg2:T1\nE1\tX:T1\nA1\tNeg T1\nN1\tReference T1 W:1\n*\tEquiv T1 T1\n#1\tNote T1\tn\n"
    assert parse(others + "T1\tNAME 0 7\tAnn Lee\n\n") == (Span(0, 7, "NAME", None, GOLD),)


def test_pieces_share_an_annotation_id_and_nesting_is_kept() -> None:
    spans = parse("T1\tNAME 0 3;16 18\tAnn Bo\nT2\tPART 0 7\tAnn Lee\n")
    assert [s[:3] for s in spans] == [(0, 3, "NAME"), (16, 18, "NAME"), (0, 7, "PART")]
    assert [s.annotation_id for s in spans] == ["T1", "T1", None]
    assert [s[:2] for s in join_pieces(spans)] == [(0, 7), (0, 18)]


def test_surfaces_are_converted_where_white_space_or_units_differ() -> None:
    assert parse("T1\tX 8 15\tsaw Dr.\r\n")[0].source == GOLD_WHITESPACE
    assert parse("T1\tX 3 6\tAnn\n", "😀 Ann")[0] == Span(2, 5, "X", None, GOLD_UTF16)


def test_offsets_may_count_a_byte_order_mark_or_not() -> None:
    for annotations in ("T1\tX 5 8\tAnn\n", "T1\tX 4 7\tAnn\n"):
        document = parse_document("\ufeffI'm Ann".encode(), annotations.encode(), "x.txt", "x")
        assert document.text == "I'm Ann"
        assert document.spans == (Span(4, 7, "X", None, GOLD),)


def test_a_text_without_annotations_is_a_document() -> None:
    assert parse_document(b"a", None, "x.txt", "x") == Document("x", "a")
    assert parse_document(b"a", b"", "x.txt", "x") == Document("x", "a")


@pytest.mark.parametrize(
    "annotations",
    [
        "T1\tNAME 0 7\tBob Lee\n",
        "T1\tNAME 0 70\tAnn\n",
        "T1\tNAME 3 3\t\n",
        "T1\tNAME 0 7\n",
        "T1 NAME 0 7 Ann Lee\n",
        "T1\tNAME 0\tAnn\n",
        "T1\tNAME 0 7;\tAnn Lee\n",
        "T1\tNAME -1 7\tAnn Lee\n",
        "T1\tNAME 0 3;16 18\tAnn and Bo\n",
        "nonsense\n",
    ],
)
def test_one_bad_annotation_refuses_the_document(annotations: str) -> None:
    with pytest.raises(FormatError, match=r"line 2 of the \.ann") as caught:
        parse("T9\tNAME 0 7\tAnn Lee\n" + annotations)
    assert caught.value.reason == "bad-annotation"
    assert "Ann" not in str(caught.value)


def test_spans_over_line_breaks_are_written_as_fragments() -> None:
    document = Document("x", TEXT, spans=(Span(8, 15, "X Y"),))
    assert render_document(document)[".ann"] == b"T1\tX_Y 8 11;12 15\tsaw Dr.\n"
