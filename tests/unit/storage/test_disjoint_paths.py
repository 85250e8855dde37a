from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.storage.path_checks import check_disjoint


@pytest.mark.parametrize(
    ("given", "workspace", "release"),
    [
        ("in", "in/work", "out"),
        ("in", "work", "in"),
        ("in/file.txt", "in", "out"),
        ("in", "work", "work/out"),
        ("in", "out/work", "out"),
        ("in", "work/../in/x", "out"),
        ("in/*", "in/work", "out"),
        ("*/x.txt", "work", "out"),
        ("{a,b}/x", "work", "out"),
        ("s3a://bucket/in", "s3a://bucket/in/work", "out"),
        ("file:in", "in", "out"),
        ("file:my%20in", "my in/work", "out"),
        ("in/**/x.txt", "in/a/b/work", "out"),
        ("**/x.txt", "work", "a/b/out"),
        ("s3a://bucket/**/x.txt", "s3a://bucket/a/b", "out"),
        ("s3a://bucket/in", "s3://bucket/in/work", "out"),
        ("s3a://bucket/in", "work", "S3N://bucket/in"),
        ("{a/b,c}/x.txt", "a/b/x.txt", "out"),
        ("notes:v1", "notes:v1/work", "out"),
    ],
)
def test_places_in_one_another_are_refused(
    given: str, workspace: str, release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="expected separate folders"):
        check_disjoint(given, workspace, release)


@pytest.mark.parametrize(
    ("given", "workspace", "release"),
    [
        ("in", "work", "out"),
        ("in", "in2", "in3"),
        ("in/*.txt", "in/work", "in/out"),
        ("in*/x", "work", "out"),
        ("s3a://bucket/in", "s3a://bucket/in2", "s3a://other/in"),
        ("hdfs://host/in", "/in", "/out"),
        ("my%20in", "my in", "out"),
        ("in/**/x.txt", "work", "in2/out"),
    ],
)
def test_separate_places_pass(
    given: str, workspace: str, release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_disjoint(given, workspace, release)


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "in")
    with pytest.raises(UsageError, match=r"input .* and workspace"):
        check_disjoint(tmp_path / "in", tmp_path / "alias" / "work", tmp_path / "out")


def test_folder_with_a_bracket_in_its_name_is_no_glob(tmp_path: Path) -> None:
    (tmp_path / "in[1]").mkdir()
    check_disjoint(tmp_path / "in[1]", tmp_path / "in1" / "work", tmp_path / "out")
    with pytest.raises(UsageError):
        check_disjoint(tmp_path / "in[1]", tmp_path / "in[1]" / "work", tmp_path / "out")
