"""The format: what it reads, what it refuses, and that commands and plans take it."""

import json
from pathlib import Path

import pytest
from spark_deid_wards.rounds import parse_line, render_line

from spark_deid.extending import ConvertOptions, Document, FormatError, Span, convert

LINE = "n7 | p1 | {NAME Ann Lee} slept well in {WARD 7B}."
NOTE = Document("n7", "Ann Lee slept well in 7B.", "p1", (Span(0, 7, "NAME"), Span(22, 24, "WARD")))


def test_a_line_is_a_note_and_is_written_as_it_was() -> None:
    assert parse_line(LINE.encode(), "", "x#1") == NOTE
    assert render_line(NOTE) == LINE


def test_a_note_without_id_has_that_of_its_place() -> None:
    assert parse_line(b" |  | Nobody | knows.", "", "x#2") == Document("x#2", "Nobody | knows.")
    assert parse_line(b"  ", "", "x#3") is None


@pytest.mark.parametrize("line", [b"Mo Day", b"n1 | Mo", b"n1 | p1 | {Mo}", b"n1 | p1 | {NAME Mo", b"n1 | p1 | Mo\xe9"])
def test_what_is_no_note_is_refused_without_its_words(line: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        parse_line(line, "", "x#1")
    assert "Mo" not in str(caught.value)


@pytest.mark.parametrize(
    "document",
    [
        Document("n1", "one\ntwo"),
        Document("n1", "{brace}"),
        Document("n | 1", "x"),
        Document("n1", "Ann", spans=(Span(0, 2, "NAME"), Span(1, 3, "NAME"))),
        Document("n1", "Ann", spans=(Span(0, 3, "first name"),)),
    ],
)
def test_what_does_not_fit_into_a_line_is_not_written(document: Document) -> None:
    with pytest.raises(FormatError):
        render_line(document)


def test_commands_convert_from_it_and_to_it(tmp_path: Path) -> None:
    (tmp_path / "monday.rounds").write_text(f"{LINE}\nno note\n")
    there = ConvertOptions(
        source=str(tmp_path / "monday.rounds"),
        target=str(tmp_path / "jsonl"),
        source_format="rounds",
        target_format="jsonl",
    )
    written = convert(there).to_json()
    assert (written["documents"], written["rejects"]) == (1, {"malformed": 1})
    [row] = [json.loads(line) for file in (tmp_path / "jsonl").glob("*.jsonl") for line in file.open()]
    assert (row["doc_id"], row["subject_id"], len(row["spans"])) == ("n7", "p1", 2)
    back = ConvertOptions(
        source=str(tmp_path / "jsonl"), target=str(tmp_path / "back"), source_format="jsonl", target_format="rounds"
    )
    convert(back)
    assert [file.read_text() for file in (tmp_path / "back").glob("*.rounds")] == [f"{LINE}\n"]
