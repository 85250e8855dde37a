from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import file_sha256
from spark_deid.release.commit import ChangedReleaseError
from spark_deid.release.publish import publish_table
from spark_deid.release.record import RECORD, ReleaseRecord, compare, is_of, read_record
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG
from spark_deid.storage.folder import LocalFolder, folder_at
from spark_deid.storage.parts import PartFile

SCHEMA = pa.schema([("age", pa.string())])


@pytest.fixture
def places(tmp_path: Path) -> tuple[LocalFolder, LocalFolder]:
    """Publish a table, and keep its record in a workspace."""
    release, workspace = LocalFolder(tmp_path / "release"), LocalFolder(tmp_path / "workspace")
    (release.path / "table").mkdir(parents=True)
    workspace.make()
    path = release.path / "table" / "part-0.parquet"
    pq.write_table(pa.table({"age": ["[20-29]"]}, SCHEMA), path)
    part = PartFile(str(path), 1, path.stat().st_size, file_sha256(path))

    def keep(record: ReleaseRecord) -> None:
        assert not (release.path / "table" / LOG / FIRST_COMMIT).exists(), "before the commit"
        workspace.write(RECORD, record.to_bytes())

    publish_table([part], SCHEMA, release, {"kind": "table", "rows": 1}, "<p>1 row</p>", keep=keep)
    return release, workspace


def record_in(workspace: LocalFolder) -> ReleaseRecord:
    record = read_record(workspace)
    assert record is not None
    return record


def test_what_was_published_is_what_the_record_states(places: tuple[LocalFolder, LocalFolder]) -> None:
    release, workspace = places
    compare(record_in(workspace), release, workspace)
    assert is_of(record_in(workspace), release)
    assert read_record(release) is None


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("manifest.json", "differs in manifest.json$"),
        ("report.html", "differs in report.html$"),
        ("table/part-0.parquet", "differs in part-0.parquet$"),
        (f"table/{LOG}/{FIRST_COMMIT}", "the log of its table$"),
    ],
)
def test_each_file_that_differs_is_named(places: tuple[LocalFolder, LocalFolder], name: str, named: str) -> None:
    release, workspace = places
    path = release.path / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ChangedReleaseError, match=named):
        compare(record_in(workspace), release, workspace)
    path.unlink()
    with pytest.raises(ChangedReleaseError, match=named.rstrip("$")[:9]):
        compare(record_in(workspace), release, workspace)


def test_another_schema_is_named(places: tuple[LocalFolder, LocalFolder]) -> None:
    release, workspace = places
    log = release.path / "table" / LOG / FIRST_COMMIT
    log.write_text(log.read_text().replace('\\"age\\"', '\\"agf\\"'))
    with pytest.raises(ChangedReleaseError, match="its schema, the log of its table"):
        compare(record_in(workspace), release, workspace)
    assert not is_of(record_in(workspace), release)


def test_a_damaged_record_is_reported(places: tuple[LocalFolder, LocalFolder]) -> None:
    (places[1].path / RECORD).write_text('{"manifest": 1}')
    with pytest.raises(SparkDeidError, match=r"release\.json is damaged"):
        read_record(folder_at(str(places[1].path)))
