import gzip
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.encodings import likely_encoding, recode_as_utf8
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.local import read_documents

TEXT = "José Muñoz, born in Àvila – 5 €"


def texts(path: Path, format: str, encoding: str) -> list[str]:
    return [d.text for d in read_documents(str(path), format, options={"encoding": encoding}).documents]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "iso-8859-15"])
@pytest.mark.parametrize(("format", "name", "template"), [("text", "a.txt", "{}"), ("csv", "a.csv", "text\n{}\n")])
def test_other_encodings_are_read(tmp_path: Path, encoding: str, format: str, name: str, template: str) -> None:
    text = TEXT.replace("–", "-").replace(",", "")
    (tmp_path / name).write_bytes(template.format(text).encode(encoding))
    assert texts(tmp_path, format, encoding) == [text]


def test_annotations_count_characters_and_not_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT.encode("cp1252"))
    (tmp_path / "a.ann").write_bytes(f"T1\tNAME 5 10\t{TEXT[5:10]}\n".encode("cp1252"))
    (document,) = read_documents(str(tmp_path), "brat", options={"encoding": "cp1252"}).documents
    assert [document.text[s.start : s.end] for s in document.spans] == ["Muñoz"]


def test_lines_are_read_in_other_encodings(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(f'{{"text": "{TEXT}"}}\n{{"text": "b"}}\n'.encode("cp1252"))
    assert texts(tmp_path, "jsonl", "cp1252") == [TEXT, "b"]


def test_a_reject_reports_how_another_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT.encode("cp1252"))
    (tmp_path / "b.txt").write_text("b", encoding="utf-8")
    (reject,) = read_documents(str(tmp_path), "text").rejects
    assert reject.reason == "invalid-utf8"
    assert "--option encoding=cp1252" in reject.detail


SPANISH = (
    "El señor Muñoz nació en Málaga el año pasado; su compañía está en España. Después de la operación volvió a casa, "
    "según dijo también la señora Núñez, que ya no sentía ningún dolor. ¿Qué más? El miércoles tenía además fiebre."
)


@pytest.mark.parametrize("encoding", ["cp1252", "mac-roman", "cp437"])
def test_a_likely_encoding_is_named_and_not_used(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(SPANISH.encode(encoding))
    (tmp_path / "b.txt").write_text("b")
    read = read_documents(str(tmp_path), "text")
    assert [each.text for each in read.documents] == ["b"]
    (reject,) = read.rejects
    assert f"may have the encoding {encoding}. If so, set --option encoding={encoding} " in reject.detail


@pytest.mark.parametrize("packed", [False, True])
def test_the_lines_that_are_no_utf8_show_their_encoding(tmp_path: Path, packed: bool) -> None:
    good = f'{{"text": "{"Ñandú - Müller. " * 4}"}}\n'.encode() * 20_000  # more than what is checked
    bad = f'{{"text": "{SPANISH}"}}\n'.encode("cp1252")
    data = good[: len(good) // 2] + bad + good
    path = tmp_path / f"a.jsonl{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    (reject,) = read_documents(str(path), "jsonl").rejects
    assert "may have the encoding cp1252" in reject.detail


def test_a_last_line_without_a_break_shows_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"first line\n" + SPANISH.encode("cp1252"))
    (tmp_path / "b.txt").write_text("b")
    (reject,) = read_documents(str(tmp_path), "text").rejects
    assert "may have the encoding cp1252" in reject.detail


def test_where_nothing_is_likely_an_example_is_named() -> None:
    assert likely_encoding(b"a\x81\x00\xff\xfe", find_format("jsonl")) is None
    assert likely_encoding(b"", find_format("text")) is None
    assert likely_encoding("Muñoz".encode("utf-16-le") * 30, find_format("jsonl")) is None  # it is read by lines


def test_what_an_encoding_lacks_is_rejected_singly(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"text\nJos\xe9\n\x81\x81\n\xc3\x81\nb\n")
    read = read_documents(str(tmp_path), "csv", options={"encoding": "cp1252"})
    assert [d.text for d in read.documents] == ["José", "b"]
    assert [(r.source, r.reason) for r in read.rejects] == [
        ("a.csv#2", "invalid-encoding"),
        ("a.csv#3", "invalid-encoding"),
    ]


def test_undecodable_bytes_never_join_to_a_character() -> None:
    with pytest.raises(UnicodeDecodeError):
        recode_as_utf8(b"\x81\x8d\x8f", "cp1252").decode()


@pytest.mark.parametrize(
    ("format", "encoding"),
    [
        ("text", "base64"),
        ("text", "windows"),
        ("text", "idna"),
        ("text", ""),
        ("jsonl", "utf-16"),
        ("parquet", "cp1252"),
    ],
)
def test_encodings_that_cannot_be_are_refused(format: str, encoding: str) -> None:
    with pytest.raises(UsageError, match="encoding"):
        find_format(format, {"encoding": encoding})


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(("format", "name", "template"), [("text", "a.txt", "{}"), ("csv", "a.csv", "text\n{}\n")])
def test_a_mark_of_byte_order_shows_the_encoding(
    tmp_path: Path, codec: str, format: str, name: str, template: str
) -> None:
    text = f"{TEXT} 😀".replace(",", "")
    (tmp_path / name).write_bytes(f"\ufeff{template.format(text)}".encode(codec))
    assert [each.text for each in read_documents(str(tmp_path), format).documents] == [text]


def test_what_its_mark_does_not_fit_is_rejected_and_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfea\x00b")
    (tmp_path / "b.txt").write_bytes(b"b")
    (reject,) = read_documents(str(tmp_path), "text").rejects
    assert reject.reason == "invalid-utf8"
