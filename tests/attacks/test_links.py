"""Links inside an input that lead out of it: what they lead to was not given to be read, and is not publish."""

from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.formats import FORMATS, find_format
from spark_deid.corpus.items import list_items
from spark_deid.corpus.local import read_documents
from spark_deid.storage.files import lead_out, linked_folders
from spark_deid.storage.records import check_links

OF_FILES = sorted(set(FORMATS.built_in) - {"delta"})


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Make an input beside a folder that is not to be read."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    return tmp_path / "notes"


@pytest.mark.parametrize("format", OF_FILES)
def test_a_link_to_a_file_elsewhere_is_rejected_whatever_the_format(notes: Path, format: str) -> None:
    kernel = find_format(format)
    suffix = kernel.suffixes[0]
    for place in (notes / f"own{suffix}", notes.parent / "elsewhere" / f"theirs{suffix}"):
        place.write_bytes(b"Ann")
    (notes / "deep" / f"linked{suffix}").symlink_to(notes.parent / "elsewhere" / f"theirs{suffix}")
    for path in (notes, notes / "**", notes / "*" / f"*{suffix}"):
        found = {item.name: (item.reason, item.path) for item in list_items(str(path), kernel).items}
        assert found[f"deep/linked{suffix}"] == ("outside", "")
    assert list_items(str(notes), kernel).items[-1].reason is None


def test_a_link_to_a_folder_elsewhere_is_not_entered(notes: Path) -> None:
    (notes / "own.txt").write_text("Ann")
    (notes.parent / "elsewhere" / "theirs.txt").write_text("Ben")
    (notes / "linked").symlink_to(notes.parent / "elsewhere")
    reading = read_documents(str(notes), "text")
    assert [document.text for document in reading.documents] == ["Ann"]
    assert [(reject.source, reject.reason) for reject in reading.rejects] == [("linked", "outside")]
    globbed = read_documents(f"{notes}/**/*.txt", "text")
    assert [document.text for document in globbed.documents] == ["Ann"]
    assert globbed.inventory.rejects == {"outside": 1}


def test_a_folder_whose_name_goes_on_is_elsewhere(notes: Path) -> None:
    (notes / "own.txt").write_text("Ann")
    theirs = notes.with_name("notes-of-others")
    theirs.mkdir()
    (theirs / "theirs.txt").write_text("Ben")
    (notes / "linked").symlink_to(theirs)
    (notes / "linked.txt").symlink_to(theirs / "theirs.txt")
    reading = read_documents(str(notes), "text")
    assert [document.text for document in reading.documents] == ["Ann"]
    assert reading.inventory.rejects == {"outside": 2}


def test_annotations_behind_a_link_elsewhere_refuse_their_text(notes: Path) -> None:
    for place in (notes / "own.txt", notes / "own.ann", notes / "a.txt", notes.parent / "elsewhere" / "a.ann"):
        place.write_text("Ann" if place.suffix == ".txt" else "")
    (notes / "a.ann").symlink_to(notes.parent / "elsewhere" / "a.ann")
    reading = read_documents(str(notes), "brat")
    assert [document.doc_id for document in reading.documents] == ["own"]
    assert reading.inventory.rejects == {"outside": 1}


def test_links_inside_an_input_and_inputs_that_are_links_are_read(notes: Path, tmp_path: Path) -> None:
    (notes / "deep" / "b.txt").write_text("Ben")
    (notes / "a.txt").symlink_to(Path("deep", "b.txt"))
    (notes / "loop").symlink_to(notes)
    (tmp_path / "alias").symlink_to(notes)
    (tmp_path / "notes.txt").symlink_to(notes / "deep" / "b.txt")
    for path in ("notes", "alias", "alias/deep", "notes.txt", "notes/**/*.txt", "*/deep/*.txt"):
        reading = read_documents(str(tmp_path / path), "text")
        assert [document.text for document in reading.documents] == ["Ben"], path
        assert not reading.rejects


def test_files_of_tables_do_not_are_behind_links(notes: Path) -> None:
    theirs = notes.parent / "elsewhere" / "part.parquet"
    for place in (notes / "part.parquet", theirs):
        place.write_bytes(b"")
    (notes / "linked.parquet").symlink_to(theirs)
    (notes / "year=2020").symlink_to(notes.parent / "elsewhere")
    paths = [str(notes / name) for name in ("part.parquet", "linked.parquet", "year=2020/part.parquet")]
    assert lead_out(str(notes), [*paths, str(theirs)]) == 2
    with pytest.raises(UsageError, match="links in it lead to 2 places outside"):
        check_links(str(notes))
    check_links(str(notes.parent))
    check_links(str(notes / "part.parquet"))


@pytest.mark.parametrize("path", ["", "*", "**"])
def test_links_that_lead_round_are_rejects_and_the_rest_is_read(notes: Path, path: str) -> None:
    (notes / "own.txt").write_text("Ann")
    (notes / "itself.txt").symlink_to("itself.txt")
    (notes / "one.txt").symlink_to("other.txt")
    (notes / "other.txt").symlink_to("one.txt")
    (notes / "deep" / "up").symlink_to(notes)
    (notes / "round").symlink_to("round")
    reading = read_documents(str(notes / path), "text")
    assert [document.text for document in reading.documents] == ["Ann"]
    assert {reject.source: reject.reason for reject in reading.rejects} == dict.fromkeys(
        ("itself.txt", "one.txt", "other.txt"), "unreadable"
    )


def test_links_to_folders_are_met_next_to_one_that_leads_round(notes: Path) -> None:
    (notes / "a").symlink_to("a")
    (notes / "linked").symlink_to(notes.parent / "elsewhere")
    assert [*linked_folders(str(notes))] == [str(notes.parent / "elsewhere")]
