"""What is published of a version beside the package: the bill of materials, and archives equal byte by byte."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from resources.bill_of_materials import bill_of_materials
from resources.plain_archive import with_one_moment
from spark_deid.engine.jars import delta_jars

ROOT = Path(__file__).parents[2]
NEEDED = ("numpy>=1.26", "rich>=13", 'jax>=0.6; extra == "neural"')


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "spark_deid-0.1.0-py3-none-any.whl"
    lines = ["Name: spark-deid", "Version: 0.1.0", *(f"Requires-Dist: {each}" for each in NEEDED)]
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("spark_deid-0.1.0.dist-info/METADATA", "\n".join(lines))
    return path


def test_a_bill_names_what_is_needed_and_what_comes_along(wheel: Path) -> None:
    bill = bill_of_materials(ROOT, wheel, "2026-01-01T00:00:00+00:00")
    names = {each["name"]: each for each in bill["components"]}
    assert {"numpy", "rich", "Pygments"} <= set(names)  # rich needs Pygments
    assert not {"jax", "pytest"} & set(names)
    assert {jar.sha256 for jar in delta_jars()} <= {
        each["hashes"][0]["content"] for each in names.values() if "hashes" in each
    }
    models = {each["name"].rpartition("/")[2] for each in names.values() if each["type"] == "machine-learning-model"}
    assert models == {path.name for path in (ROOT / "spark_deid" / "greedy" / "data").iterdir() if path.is_dir()}
    own = bill["metadata"]["component"]["bom-ref"]
    (needed,) = (each["dependsOn"] for each in bill["dependencies"] if each["ref"] == own)
    assert [place.split("@")[0].rpartition("/")[2] for place in needed] == [jar.artifact for jar in delta_jars()] + [
        "numpy",
        "rich",
    ]
    assert {each["ref"] for each in bill["dependencies"]} <= {each["bom-ref"] for each in bill["components"]} | {own}


def test_equal_wheels_have_equal_bills(wheel: Path) -> None:
    made = [bill_of_materials(ROOT, wheel, moment)["serialNumber"] for moment in ("2026", "2026", "2027")]
    assert made[0] == made[1] != made[2]


def packed(names: tuple[str, ...], **about: object) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(name)
            for key, value in about.items():
                setattr(member, key, value)
            archive.addfile(member, io.BytesIO(name.encode()))
    return made.getvalue()


def test_archives_of_equal_files_are_equal() -> None:
    one = packed(("a/b", "a/c"), mtime=1.5, uname="ann", uid=7, mode=0o640)
    other = packed(("a/c", "a/b"), mtime=9, uname="bob", mode=0o600)
    plain = with_one_moment(one, 100)
    assert plain == with_one_moment(other, 100) != with_one_moment(one, 101)
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        found = {each.name: archive.extractfile(each).read() for each in archive}
        assert found == {"a/b": b"a/b", "a/c": b"a/c"}
        assert {(each.mtime, each.uname, each.mode) for each in archive} == {(100, "", 0o644)}
