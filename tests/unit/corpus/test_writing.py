from pathlib import Path

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.formats import FORMATS, find_format
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.writing import checked_name, write_part


@pytest.mark.parametrize(
    "doc_id", ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a/.b", "_a", "a\nb", "a\x7f", "a\x85", "a" * 300]
)
def test_ids_that_are_no_safe_path_are_refused(doc_id: str) -> None:
    with pytest.raises(FormatError) as caught:
        checked_name(doc_id)
    assert caught.value.reason == "unsafe-id"


@pytest.mark.parametrize("name", sorted(set(FORMATS.built_in) - {"parquet", "delta", "eml", "mbox"}))
def test_every_format_reads_what_it_wrote(tmp_path: Path, name: str) -> None:
    documents = [Document("a/x", "I am Ann.\n"), Document("b", "Bo, 😀 & <Lee>!")]
    assert write_part(iter(documents), str(tmp_path), find_format(name), 3) == 2
    read = read_documents(str(tmp_path), name).documents
    assert [d.text for d in read] == [d.text for d in documents]


def test_no_document_makes_no_file(tmp_path: Path) -> None:
    assert write_part([], str(tmp_path), find_format("jsonl"), 0) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_failed_part_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        write_part([Document("a\nb", "x")], str(tmp_path), find_format("conll"), 0)
    assert list(tmp_path.iterdir()) == []
