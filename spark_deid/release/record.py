"""The workspace's record of its release: digests of all that was published, which no edit of the release can change."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from spark_deid.core.errors import SparkDeidError
from spark_deid.release.commit import DOCUMENTS, MANIFEST, REPORT, TABLE, ChangedReleaseError, content_of
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG
from spark_deid.storage.folder import StorageFolder, file_digest
from spark_deid.storage.parts import PartFile

RECORD = "release.json"
_SHOWN = 5


class TableRecord(NamedTuple):
    """The sha256 of the entry of a table's log, of its schema, and of each of its files, by name."""

    entry: str
    schema: str
    files: Mapping[str, str]


class ReleaseRecord(NamedTuple):
    """The sha256 of a release's manifest, report, entry of its log, schema, and of each file of its table, by name.

    That of the entry distinguishes releases at any place. ``table`` is of a table next to texts.
    """

    manifest: str
    report: str
    entry: str
    schema: str
    files: Mapping[str, str]
    table: TableRecord | None = None

    def to_bytes(self) -> bytes:
        """Write the record as JSON."""
        extra = {} if self.table is None else {"table": self.table._asdict()}
        record = {name: value for name, value in self._asdict().items() if name != "table"}
        return (json.dumps(record | extra, sort_keys=True, indent=2) + "\n").encode()


def table_record(entry: bytes, parts: Iterable[PartFile]) -> TableRecord:
    """Return the record of a table that is to be committed by this entry of its log."""
    return TableRecord(_digest(entry), _schema_of(entry), {part.name: part.sha256 for part in parts})


def record_of(
    manifest: bytes, report: bytes, entry: bytes, parts: Iterable[PartFile], table: TableRecord | None = None
) -> ReleaseRecord:
    """Return the record of a release that is to be committed by this entry of its log, and of a table beside it."""
    return ReleaseRecord(_digest(manifest), _digest(report), *table_record(entry, parts), table)


def read_record(workspace: StorageFolder) -> ReleaseRecord | None:
    """Return the record of a workspace, None where earlier versions, or runs without a release, left none.

    Raises SparkDeidError for what is not a record.
    """
    content = workspace.read(RECORD)
    if content is None:
        return None
    try:
        record = json.loads(content)
        manifest, report, entry, schema = (str(record[name]) for name in ("manifest", "report", "entry", "schema"))
        extra = record.get("table")
        own = extra and TableRecord(str(extra["entry"]), str(extra["schema"]), dict(extra["files"]))
        return ReleaseRecord(manifest, report, entry, schema, dict(record["files"]), own or None)
    except (ValueError, KeyError, TypeError):
        raise SparkDeidError(f"{workspace.uri}: {RECORD} is damaged: expected digests of a release") from None


def is_of(record: ReleaseRecord, release: StorageFolder) -> bool:
    """Return whether a record is of the release that is in a folder."""
    return record.entry in {_digest(_entry(release.child(name))) for name in (DOCUMENTS, TABLE)}


def compare(record: ReleaseRecord, release: StorageFolder, workspace: StorageFolder) -> None:
    """Compare a release with its workspace's record; raises ChangedReleaseError, which names what differs."""
    content = TableRecord(record.entry, record.schema, record.files)
    found = {
        MANIFEST: (record.manifest, _digest(release.read(MANIFEST) or b"")),
        REPORT: (record.report, _digest(release.read(REPORT) or b"")),
        **_compared(content, content_of(release)),
    }
    if record.table is not None:
        extra = _compared(record.table, release.child(TABLE))
        found |= {f"{name} of {TABLE}": digests for name, digests in extra.items()}
    if changed := [name for name, (recorded, now) in found.items() if recorded != now]:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise ChangedReleaseError(
            f"{release.uri}: not the release of {workspace.uri}. The record differs in "
            f"{', '.join(changed[:_SHOWN])}{more}"
        )


def _compared(record: TableRecord, table: StorageFolder) -> dict[str, tuple[str, str | None]]:
    """Return digests of a table as they were recorded and as they are, by what they are of."""
    entry = _entry(table)
    return {
        "its schema": (record.schema, _schema_of(entry)),
        "the log of its table": (record.entry, _digest(entry)),
        **{name: (digest, _file_digest(table, name)) for name, digest in record.files.items()},
    }


def _entry(table: StorageFolder) -> bytes:
    return table.child(LOG).read(FIRST_COMMIT) or b""


def _file_digest(table: StorageFolder, name: str) -> str | None:
    try:
        return file_digest(table, name)
    except SparkDeidError:
        return None


def _schema_of(entry: bytes) -> str:
    """Return the digest of the schema that an entry of a log shows; of one that can't be read, that of nothing."""
    try:
        actions = [json.loads(line) for line in entry.splitlines()]
        schemas = [action["metaData"]["schemaString"] for action in actions if "metaData" in action]
    except (ValueError, KeyError, TypeError):
        schemas = []
    return _digest("\n".join(map(str, schemas)).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
