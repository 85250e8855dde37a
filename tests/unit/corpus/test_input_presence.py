"""What can be told of an input by the names in it."""

from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.peek import check_files, check_labelled


def test_the_folder_of_a_partition_is_a_part_of_its_table(tmp_path: Path) -> None:
    partition = tmp_path / "table" / "year=2020"
    partition.mkdir(parents=True)
    for place in (partition, partition.parent):
        with pytest.raises(UsageError, match="expected the folder of a Delta table"):
            check_files(str(place), "delta")
    (partition.parent / "_delta_log").mkdir()
    check_files(str(partition), "delta")
    check_files(f"file:{partition.parent}", "delta")
    with pytest.raises(UsageError, match="expected the folder of a Delta table"):
        check_files(str(tmp_path), "delta")


def test_files_behind_a_link_in_the_folder_count(tmp_path: Path) -> None:
    (tmp_path / "notes" / ".hidden").mkdir(parents=True)
    (tmp_path / "notes" / ".hidden" / "a.txt").write_text("x")
    with pytest.raises(UsageError, match="1 hidden"):
        check_files(str(tmp_path / "notes"), "text")
    (tmp_path / "notes" / "shown").symlink_to(tmp_path / "notes" / ".hidden")
    check_files(str(tmp_path / "notes"), "text")


def test_annotations_without_their_texts_are_left_to_reading_which_rejects_each(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tNAME 0 3\tAnn\n")
    check_files(str(tmp_path), "brat")


def test_a_folder_of_links_that_lead_out_of_it_is_reported_as_such(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.txt").write_text("x")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").symlink_to(tmp_path / "elsewhere" / "a.txt")
    with pytest.raises(UsageError, match="notes: its one file is a link that leads out of it"):
        check_files(str(notes), "text")
    (notes / "deeper").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="all its 2 files are links"):
        check_files(str(notes), "text")
    (notes / ".kept").mkdir()
    (notes / ".kept" / "b").write_text("x")
    (notes / "b.txt").symlink_to(notes / ".kept" / "b")
    check_files(str(notes), "text")


def test_texts_none_of_which_has_annotations_are_no_labelled_folder(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("x")
    with pytest.raises(UsageError, match=r"expected \.ann files next to the texts \(2\)"):
        check_labelled(str(tmp_path), "brat")
    check_labelled(str(tmp_path), "text")
    (tmp_path / "b.ann").touch()
    check_labelled(str(tmp_path), "brat")
    check_labelled(str(tmp_path / "b.txt"), "brat")
    with pytest.raises(UsageError, match=r"\(1\), but there are no such files"):
        check_labelled(str(tmp_path / "a.txt"), "brat")
