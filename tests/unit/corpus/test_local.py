import errno
import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.items import list_items, with_ranges
from spark_deid.corpus.jsonl import FORMAT as JSONL
from spark_deid.corpus.local import LocalReading, read_documents, read_first_records
from spark_deid.corpus.reading import count_records, is_torn, read_item


def write(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def ids(reading: LocalReading) -> list[str]:
    return [document.doc_id for document in reading.documents]


def reasons(reading: LocalReading) -> dict[str, str]:
    return {reject.source: reject.reason for reject in reading.rejects}


def test_ids_are_paths_without_suffixes(tmp_path: Path) -> None:
    for name in ("a.txt", "sub/x.txt", "sub/y.txt.gz"):
        write(tmp_path, name, gzip.compress(b"t") if name.endswith(".gz") else b"t")
    assert ids(read_documents(str(tmp_path), "text")) == ["a", "sub/x", "sub/y"]
    assert ids(read_documents(f"{tmp_path}/", "text")) == ["a", "sub/x", "sub/y"]
    assert ids(read_documents(f"file://{tmp_path}", "text")) == ["a", "sub/x", "sub/y"]
    assert ids(read_documents(str(tmp_path / "sub" / "y.txt.gz"), "text")) == ["y"]
    assert ids(read_documents(f"{tmp_path}/s*/*.txt", "text")) == ["sub/x"]
    assert ids(read_documents(f"{tmp_path}/*", "text")) == ["a", "sub/x", "sub/y"]
    assert ids(read_documents(f"{tmp_path}/**/x.txt", "text")) == ["sub/x"]
    assert ids(read_documents(f"{tmp_path}/sub/[x]*", "text")) == ["x"]


def test_a_relative_path_and_a_name_with_wildcards_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a[1]/b*.txt", b"t")
    monkeypatch.chdir(tmp_path)
    assert ids(read_documents("a[1]", "text")) == ["b*"]
    assert ids(read_documents("a[1]/b*.txt", "text")) == ["b*"]


def test_a_file_named_itself_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    write(tmp_path, "dev.annotated", b"a O\n")
    assert ids(read_documents(str(tmp_path / "dev.annotated"), "conll")) == ["dev.annotated#1"]


def test_other_suffixes_and_hidden_names_are_counted(tmp_path: Path) -> None:
    for name in ("a.txt", "b.pdf", "c.pdf.gz", "README", ".d.txt", "_e.txt", "_f/g.txt", ".h/i.txt"):
        write(tmp_path, name, b"t")
    for path in (str(tmp_path), f"{tmp_path}/*"):
        inventory = read_documents(path, "text").inventory
        assert inventory.ignored == {".pdf": 1, ".pdf.gz": 1, "(none)": 1}
        assert (inventory.hidden, inventory.files, inventory.documents) == (4, 1, 1)
        assert inventory.counts()["ignored .pdf"] == 1


def test_the_first_of_one_id_is_kept(tmp_path: Path) -> None:
    write(tmp_path, "b.jsonl", b'{"doc_id": "x", "text": "3"}\n')
    write(
        tmp_path,
        "a.jsonl",
        b'{"doc_id": "x", "text": ""}\n{"doc_id": "x", "text": "1"}\n{"doc_id": "x", "text": "2"}\n',
    )
    reading = read_documents(str(tmp_path), "jsonl")
    assert [(d.doc_id, d.text) for d in reading.documents] == [("x", "1")]
    assert reasons(reading) == {"a.jsonl#1": "empty", "a.jsonl#3": "duplicate-id", "b.jsonl#1": "duplicate-id"}
    assert reading.inventory.rejects == {"empty": 1, "duplicate-id": 2}


def test_a_torn_gzip_refuses_the_whole_file(tmp_path: Path) -> None:
    lines = b"".join(b'{"text": "%d"}\n' % n for n in range(1000))
    for name in ("a.jsonl", "b.csv", "c.txt"):
        write(tmp_path, f"{name}.gz", gzip.compress(lines)[:-10])
        write(tmp_path, f"junk-{name}.gz", b"not gzip")
    for name in ("jsonl", "csv", "text"):
        with pytest.raises(CorpusError, match="2 unreadable"):
            read_documents(str(tmp_path), name)
    write(tmp_path, "whole.jsonl.gz", gzip.compress(lines) + gzip.compress(lines))
    assert len(read_documents(str(tmp_path), "jsonl").documents) == 2000


def test_annotations_need_their_text(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", b"Ann")
    write(tmp_path, "a.ann.gz", gzip.compress(b"T1\tN 0 3\tAnn\n"))
    write(tmp_path, "b.ann", b"")
    write(tmp_path, "c.txt.gz", gzip.compress(b"Bo"))
    write(tmp_path, "c.ann", b"T1\tN 0 2\tBo\n")
    write(tmp_path, "c.ann.gz", gzip.compress(b""))
    reading = read_documents(str(tmp_path), "brat")
    assert [(d.doc_id, len(d.spans)) for d in reading.documents] == [("a", 1), ("c", 1)]
    assert reasons(reading) == {"b.ann": "no-text", "c.ann.gz": "duplicate-id"}
    for path in (f"{tmp_path}/a*.txt", str(tmp_path / "a.txt")):
        assert len(read_documents(path, "brat").documents[0].spans) == 1


def test_annotations_that_are_no_plain_file_refuse_their_text(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        write(tmp_path, f"{name}.txt", b"Ann")
    os.mkfifo(tmp_path / "a.ann")
    (tmp_path / "b.ann").mkdir()
    (tmp_path / "c.ann").symlink_to(tmp_path / "nowhere")
    for path in (str(tmp_path), f"{tmp_path}/*.txt"):
        reading = read_documents(path, "brat")
        assert ids(reading) == ["d"]
        assert reasons(reading) == {"a.txt": "unreadable", "b.txt": "unreadable", "c.txt": "unreadable"}


def test_what_does_not_look_like_a_suffix_is_not_reported(tmp_path: Path) -> None:
    for name in ("Dr. John Smith, HIV", "a.Müller", "b.abcdefghijk", "c. Ann.gz", "d.7z", "e.\n"):
        write(tmp_path, name, b"x")
    with pytest.raises(CorpusError) as caught:
        read_documents(str(tmp_path), "text")
    assert "suffixes: 4 of (other), 1 of (other).gz, 1 of .7z," in str(caught.value)


def test_files_that_can_not_be_read_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", b"t")
    write(tmp_path, "empty.txt", b"")
    (tmp_path / "broken.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.txt")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_bytes(b"t")
    (tmp_path / "loop").symlink_to(tmp_path)
    reading = read_documents(str(tmp_path), "text")
    assert ids(reading) == ["a"]
    assert reasons(reading) == {
        "empty.txt": "empty",
        "broken.txt": "unreadable",
        "pipe.txt": "unreadable",
        "\\xff.txt": "unreadable",
    }


def test_an_input_without_anything_readable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="expected readable files"):
        read_documents(str(tmp_path / "absent"), "text")
    write(tmp_path, "a.txt", b"\xff")
    with pytest.raises(CorpusError, match="1 invalid-utf8"):
        read_documents(str(tmp_path), "text")


def test_where_the_first_reject_occurs_is_reported_a_file_that_is_named_itself(tmp_path: Path) -> None:
    write(tmp_path, "Ann Lee.jsonl", b'{"doc_id": "1", "text": "x"\n{"doc_id": "2"}\n')
    with pytest.raises(CorpusError, match="; of the first: expected ") as caught:
        read_documents(str(tmp_path), "jsonl")
    assert "Ann Lee" not in str(caught.value)
    with pytest.raises(CorpusError, match=r"; of the first: Ann Lee\.jsonl#1: expected "):
        read_documents(str(tmp_path / "Ann Lee.jsonl"), "jsonl")


def test_formats_and_options_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one of text"):
        read_documents(str(tmp_path), "word")
    with pytest.raises(UsageError, match="columns"):
        read_documents(str(tmp_path), "text", options={"columns": "1,2"})
    with pytest.raises(UsageError, match="Spark"):
        read_documents(str(tmp_path), "delta")


def test_parsers_that_fail_refuse_their_input(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.jsonl",
        b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "N", "score": 1%s}]}\n' % (b"0" * 400),
    )
    write(tmp_path, "b.jsonl", b'{"text": "a"}')
    assert reasons(read_documents(str(tmp_path), "jsonl")) == {"a.jsonl#1": "malformed"}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40, 1000])
def test_ranges_hold_every_line_once(tmp_path: Path, size: int) -> None:
    lines = [b'{"text": "%s"}' % (b"a" * n) for n in (1, 30, 2)]
    data = b"\n".join([*lines, b"", b"\xff", b"{", *lines]) + b"\n"
    for name, content, number in (("a.jsonl", data, 8), ("b.jsonl", data[:-1], 8), ("c.jsonl", data + b"7", 9)):
        write(tmp_path, name, content)
        whole = [r for item in list_items(str(tmp_path / name), JSONL).items for r in read_item(item, JSONL)]
        before = 0
        found: list[object] = []
        for item in with_ranges(list_items(str(tmp_path / name), JSONL).items, JSONL, size):
            found.extend(read_item(item._replace(before=before), JSONL))
            before += count_records(item, JSONL) if item.end >= 0 else 0
        assert found == whole
        assert len(whole) == number


def counted(reading: LocalReading) -> list[tuple[str, int | None]]:
    return [(reject.source, reject.records) for reject in reading.rejects]


def test_a_reject_counts_the_records_that_it_represents(tmp_path: Path) -> None:
    lines = ('{"text": "1"}', '[{"text": "2"}, {"text": "3"}]', '{"text": "4"}\r{"text": "5"}\r', '{"tex', "")
    write(tmp_path, "a.jsonl", "\n".join(lines).encode())
    write(tmp_path, "b.jsonl", b"")
    write(tmp_path, "c.jsonl.gz", gzip.compress(b'{"text": "1"}\n' * 1000)[:-10])
    reading = read_documents(str(tmp_path), "jsonl")
    lines_of_a = [("a.jsonl#2", 2), ("a.jsonl#3", 2), ("a.jsonl#4", 1)]
    assert counted(reading) == [*lines_of_a, ("b.jsonl", 1), ("c.jsonl.gz", None)]
    assert reading.inventory.rejects == {"malformed": 5, "empty": 1, "unreadable": 1}
    assert reading.inventory.unknown_rejects == 1
    write(tmp_path, "d.txt.gz", gzip.compress(b"text")[:-10])
    write(tmp_path, "e.txt", b"text")
    assert counted(read_documents(str(tmp_path), "text")) == [("d.txt.gz", 1)]


@pytest.mark.parametrize("size", [40, 1 << 20])
def test_a_file_that_breaks_off_is_refused_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    class Breaking(io.BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            if self.tell() > 100:
                raise OSError(errno.EIO, "broken")
            return super().readline(size)

    write(tmp_path, "a.jsonl", b"".join(b'{"text": "%d"}\n' % n for n in range(20)))
    write(tmp_path, "b.jsonl", b'{"text": "b"}\n')
    monkeypatch.setattr("spark_deid.corpus.reading.open_file", lambda path: Breaking(Path(path).read_bytes()))
    items = with_ranges(list_items(str(tmp_path), JSONL).items, JSONL, size)
    records = [record for item in items for record in read_item(item, JSONL)]
    assert sum(isinstance(record.outcome, Document) for record in records) > 1
    assert {record.name for record in records if is_torn(record)} == {"a.jsonl"}
    reading = read_documents(str(tmp_path), "jsonl")
    assert ids(reading) == ["b.jsonl#1"]
    assert counted(reading) == [("a.jsonl", None)] or reading.inventory.unknown_rejects == 1


def test_a_record_of_an_unknown_number_refuses_its_file(tmp_path: Path) -> None:
    def parse(data: bytes, source: str) -> Iterator[Document | FormatError]:
        yield Document("a", "text")
        yield FormatError("malformed", "expected more", records=None)

    write(tmp_path, "a.x", b"text")
    format = CorpusFormat("x", (".x",), ParserUnit.FILE, parse_file=parse)
    (item,) = list_items(str(tmp_path), format).items
    (record,) = read_item(item, format)
    assert record.outcome == RejectedInput("a.x", "malformed", "expected more", None)


def test_suffixes_are_read_in_any_case(tmp_path: Path) -> None:
    write(tmp_path, "A.TXT", b"t")
    write(tmp_path, "sub/B.Txt.GZ", gzip.compress(b"t"))
    assert ids(read_documents(str(tmp_path), "text")) == ["A", "sub/B"]
    write(tmp_path, "C.CONLL.TXT", b"a O\n")
    assert "C.CONLL.TXT#1" in ids(read_documents(str(tmp_path), "conll"))
    write(tmp_path, "brat/D.TXT", b"Ann")
    write(tmp_path, "brat/D.ANN", b"T1\tNAME 0 3\tAnn\n")
    for path in ("brat", "brat/*.TXT"):
        (document,) = read_documents(str(tmp_path / path), "brat").documents
        assert len(document.spans) == 1


def test_skipped_files_are_named_up_to_twenty(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", b"t")
    write(tmp_path, "x\x1b[2J.pdf", b"t")
    write(tmp_path, "_hidden", b"t")
    inventory = read_documents(str(tmp_path), "text").inventory
    assert inventory.skipped == ("x\\x1b[2J.pdf", "_hidden")
    for number in range(30):
        write(tmp_path, f"{number:02}.doc", b"t")
    inventory = read_documents(str(tmp_path), "text").inventory
    assert inventory.skipped == tuple(f"{number:02}.doc" for number in range(20))
    notice = inventory.skipped_notice()
    assert notice.startswith("32 files were skipped")
    assert notice.endswith("19.doc and 12 more")


def test_the_first_records_are_read_of_large_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.csv", b"doc_id,text\r\n" + b"".join(b'%d,"a ""note"""\r\n' % n for n in range(100)))
    first = read_first_records(str(tmp_path), "csv", 100)
    assert first is not None
    assert first.is_whole
    assert len(first.reading.documents) == 100
    for count, whole in ((99, False), (100, True)):
        first = read_first_records(str(tmp_path / "a.csv"), "csv", count)
        assert first is not None
        assert first.is_whole is whole
        assert len(first.reading.documents) == count
    monkeypatch.setattr("spark_deid.corpus.reading._CUT", 200)
    first = read_first_records(str(tmp_path), "csv", 100)
    assert first is not None
    assert not first.is_whole
    texts = [document.text for document in first.reading.documents]
    assert 5 < len(texts) < 15
    assert set(texts) == {'a "note"'}
    assert not first.reading.rejects


def test_large_files_that_can_not_be_cut_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.corpus.reading._CUT", 4)
    monkeypatch.setattr("spark_deid.corpus.reading._PACKED_CUT", 4)
    write(tmp_path, "a.jsonl.gz", gzip.compress(b'{"text": "1"}\n'))
    write(tmp_path, "b.jsonl", b'{"text": "2"}\n{"text": "3"}\n')
    first = read_first_records(str(tmp_path), "jsonl", 10)
    assert first is not None
    assert [document.text for document in first.reading.documents] == ["2", "3"]
    assert not first.is_whole
