"""Folders of brat in which some texts have no annotations beside them."""

from pathlib import Path

import pytest

from spark_deid.app.inputs import read_labelled
from spark_deid.core.errors import CorpusError
from spark_deid.corpus.local import read_documents


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "a.txt": "I am Ann.",
        "a.ann": "T1\tNAME 5 8\tAnn\n",
        "b.txt": "Nobody is here.",
        "b.ann": "",
        "c.txt": "I am Bo.",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def taken(folder: Path, unlabelled: str) -> tuple[list[str], list[str]]:
    told: list[str] = []
    documents = read_labelled(str(folder), "brat", {}, unlabelled, told.append)
    return [document.doc_id for document in documents], [line for line in told if "--unlabelled" in line]


def test_texts_that_no_one_annotated_are_left_out_and_reported(folder: Path) -> None:
    ids, told = taken(folder, "leave")
    assert ids == ["a", "b"]
    assert told == [
        "warning: 1 .txt file without .ann is skipped (--unlabelled empty reads it as a document without identifiers)"
    ]


def test_they_may_be_documents_without_identifiers(folder: Path) -> None:
    assert taken(folder, "empty") == (["a", "b", "c"], [])


def test_what_can_not_be_read_is_named_and_the_rest_counted(folder: Path) -> None:
    for name in "defgh":
        (folder / f"{name}.txt").write_bytes(b"caf\xe9")
    told: list[str] = []
    read_labelled(str(folder), "brat", {}, "leave", told.append)
    assert "warning: 5 records were rejected: invalid-utf8 5" in told
    rejected = [line.partition(": expected UTF-8")[0] for line in told if line.startswith("rejected: ")]
    assert rejected == ["rejected: d.txt", "rejected: e.txt", "rejected: f.txt", "rejected: and 2 more"]


def test_a_folder_of_such_texts_only_is_refused(folder: Path) -> None:
    for path in folder.glob("*.ann"):
        path.unlink()
    with pytest.raises(CorpusError, match=r"3 \.txt files without \.ann are skipped"):
        taken(folder, "leave")


def test_formats_with_annotations_inside_have_none(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "I am Ann."}\n')
    assert read_documents(str(tmp_path), "jsonl").unlabelled == frozenset()
