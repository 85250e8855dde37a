"""What can be told of an input by the names in it."""

from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.found import check_files


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
