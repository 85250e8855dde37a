from pathlib import Path

import pytest
from pyarrow import fs

from spark_deid.core.errors import CorpusError
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.items import list_items
from spark_deid.storage.files import glob_base, is_remote, list_existing, private_file, walk, walk_remote


def test_schemes_show_remote_paths() -> None:
    assert is_remote("s3a://bucket/x")
    assert not is_remote("/data/x")
    assert not is_remote("file:///data/x")
    assert not is_remote("C:x")


def test_a_remote_walk_finds_what_a_local_one_finds(tmp_path: Path) -> None:
    for name in ("a.txt", "s/b.txt", "s/t/c.txt", "_h/d.txt", "s/.e.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"t")
    for pattern in ("", "/*", "/*.txt", "/s/*", "/**/c.txt", "/[a-s]*", "/a.txt", "/absent"):
        path = f"{tmp_path}{pattern}"
        remote = walk_remote(fs.LocalFileSystem(), path, "")
        assert remote.files == walk(path).files, pattern


def test_remote_and_local_files_are_looked_up_equally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.storage.files._remote", lambda path: (fs.LocalFileSystem(), path.split(":/")[1]))
    for name in ("a.ann", "s/b.ann.gz", "s/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"t")
    paths = [f"{tmp_path}/{name}" for name in ("a.ann", "s", "s/b.ann", "s/b.ann.gz", "absent/x.ann")]
    remote = list_existing(f"s3:/{path}" for path in paths)
    assert {path: entry.size for path, entry in remote.items()} == {f"s3:/{paths[0]}": 1, f"s3:/{paths[3]}": 1}
    assert {path: entry.size for path, entry in list_existing(paths).items()} == {
        paths[0]: 1,
        paths[1]: -1,
        paths[3]: 1,
    }


def test_remote_globs_find_the_annotations_next_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.storage.files._remote", lambda path: (fs.LocalFileSystem(), path.split(":/")[1]))
    for name in ("a.txt", "a.ann", "b.txt"):
        (tmp_path / name).write_bytes(b"t")
    items = list_items(f"s3:/{tmp_path}/*.txt", find_format("brat")).items
    assert [(item.doc_id, item.companion) for item in items] == [("a", f"s3:/{tmp_path}/a.ann"), ("b", None)]


def test_an_unknown_storage_is_an_error() -> None:
    with pytest.raises(CorpusError, match="nosuch://x/y: can't be listed"):
        list_items("nosuch://x/y", find_format("text"))


def test_the_base_of_a_glob_is_the_part_before_its_first_wildcard() -> None:
    assert glob_base("/data/no*/x") == "/data"


def test_a_file_with_a_long_name_of_wide_letters_is_written(tmp_path: Path) -> None:
    name = "𐍈" * 60 + ".txt"
    with private_file(str(tmp_path / name)) as stream:
        stream.write(b"x")
    assert (tmp_path / name).read_bytes() == b"x"


def test_a_private_file_may_be_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with private_file("state.npz") as stream:
        stream.write(b"x")
    assert (tmp_path / "state.npz").read_bytes() == b"x"
