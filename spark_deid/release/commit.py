"""The commit that makes a release: what its log states, read without Spark."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.errors import GateRefused, SparkDeidError
from spark_deid.core.hashing import fingerprint
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG, added_files, is_first_version
from spark_deid.storage.folder import StorageFolder, file_digest, folder_at
from spark_deid.storage.parts import PartFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENTS = "documents"
TABLE = "table"
MANIFEST = "manifest.json"
REPORT = "report.html"
_DOCUMENTS_DIGEST = "documents_sha256"
_LOG_DIGEST = "log_sha256"
_TABLE_DIGEST = "table_log_sha256"
_BESIDE = "beside"
BESIDE_TEXTS: Mapping[str, str] = MappingProxyType({_BESIDE: DOCUMENTS})
"""Content of the commit of a table whose release has the texts next to it only."""
NOTHING: Mapping[str, str] = MappingProxyType({})
_SHOWN = 5
_DOCUMENTS, _ROWS = "its documents", "the rows of its table"
_UNSEALED = b"0" * hashlib.sha256().digest_size * 2
_READ_THOUGH_HIDDEN = ("_metadata", "_common_metadata")
"""Files that Spark's reader of Parquet takes schemas from."""


class ReleaseError(SparkDeidError):
    """A release that is missing or unfinished, or that can't be checked."""


class ChangedReleaseError(ReleaseError):
    """A release that is no longer what was committed."""

    exit_code = GateRefused.exit_code


def user_metadata(
    manifest: bytes, report: bytes, parts: Iterable[PartFile], version: str, further: Mapping[str, str] = NOTHING
) -> str:
    """Write what the commit of a release carries: digests of manifest, report and documents, our version, and further.

    The digest of the log's entry itself is put in by ``seal_entry``.

    >>> user_metadata(b"{}", b"", (), "0.1.0")[-25:]
    '", "spark_deid": "0.1.0"}'
    """
    digests = {"manifest": _digest(manifest), "report": _digest(report), "documents": digest_of(parts)}
    record = {f"{name}_sha256": value for name, value in digests.items()}
    return json.dumps({_LOG_DIGEST: _UNSEALED.decode(), **record, "spark_deid": version, **further})


def of_table(entry: bytes) -> dict[str, str]:
    """Return what the commit of texts states about the entry that made a table next to them."""
    return {_TABLE_DIGEST: _digest(entry)}


def seal_entry(entry: bytes) -> bytes:
    """Return an entry of a log with its own digest, taken while zeros are in the digest's place.

    Every byte counts: whatever a reader of Delta takes from its log (files, schema, partitions, properties, protocol,
    statistics by which rows are counted) can't be changed unseen.
    """
    return entry.replace(_UNSEALED, _digest(entry).encode(), 1)


def digest_of(parts: Iterable[PartFile]) -> str:
    """Return the digest of the documents of a release: of the names and digests of its files."""
    return fingerprint(sorted([part.name, part.sha256] for part in parts))


def is_release(place: StorageFolder | str | Path) -> bool:
    """Return whether a folder holds a release: a Delta commit with our metadata."""
    return any(_BESIDE not in committed for committed in _commits(content_of(_folder(place))))


def verify_release(place: StorageFolder | str | Path, *, spark: "SparkSession | None" = None) -> dict[str, object]:
    """Check that a release is what was committed, and nothing later; return its manifest.

    Of releases that were made before their commits held digests of report, documents and log these are not checked;
    see ``has_digests``. Raises ReleaseError where there is no release, and ChangedReleaseError.
    """
    folder = _folder(place, spark)
    tables = _tables(folder)
    commits = list(_commits(content_of(folder))) if is_release(folder) else []
    if len(tables) > 1 and not any(_TABLE_DIGEST in committed for committed in commits):
        raise ChangedReleaseError(f"{folder.uri}: expected {DOCUMENTS} or {TABLE}, found both")
    if not commits:
        named = place if isinstance(place, str | Path) else folder.uri
        raise ReleaseError(
            f"{named}: not a release, because its documents have no commit of spark_deid. Expected the folder "
            "of a release, or of --output of repeats or anonymize"
        )
    committed = _check_version(folder, tables[0], _DOCUMENTS)
    for name, file in (("manifest", MANIFEST), ("report", REPORT)):
        content = folder.read(file)
        if content is None:
            raise ReleaseError(f"{folder.uri}: {file} is missing")
        if committed.get(f"{name}_sha256", _digest(content)) != _digest(content):
            raise ChangedReleaseError(f"{folder.uri}: {file} differs from the committed file")
    _check_rows(folder, tables[0], _DOCUMENTS, committed)
    manifest: dict[str, object] = json.loads(folder.read(MANIFEST) or b"")
    expected: tuple[str, ...] = (TABLE,) if manifest.get("kind") == "table" else (DOCUMENTS,)
    if _TABLE_DIGEST in committed:
        _check_person_table(folder, committed[_TABLE_DIGEST])
        expected = (DOCUMENTS, TABLE)
    if tables != expected:
        raise ChangedReleaseError(f"{folder.uri}: its folder {DOCUMENTS} or {TABLE} was renamed")
    return manifest


def _check_version(release: StorageFolder, name: str, what: str) -> Mapping[str, object]:
    """Return what the first commit of a table states; raises ChangedReleaseError where there is a later version."""
    table = release.child(name)
    commits = list(_commits(table))
    if len(commits) != 1 or not is_first_version(table):
        raise ChangedReleaseError(f"{release.uri}: {what} have a later version than the release")
    return commits[0]


def _check_rows(release: StorageFolder, name: str, what: str, committed: Mapping[str, object]) -> None:
    """Check a table by the digests that its commit holds; raises ChangedReleaseError."""
    table = release.child(name)
    if _LOG_DIGEST in committed and not _is_sealed(table, committed[_LOG_DIGEST]):
        raise ChangedReleaseError(f"{release.uri}: the log of {what} differs from the committed log")
    if _DOCUMENTS_DIGEST in committed and committed[_DOCUMENTS_DIGEST] != _documents_digest(table):
        raise ChangedReleaseError(f"{release.uri}: {what} differ from the commit")
    if _DOCUMENTS_DIGEST in committed and (strangers := _strangers(table)):
        raise ChangedReleaseError(
            f"{release.uri}: {len(strangers)} files or folders next to {what} were not committed, but readers "
            f"of Parquet would read them: {', '.join(map(repr, strangers[:_SHOWN]))}"
        )


def _check_person_table(release: StorageFolder, digest: object) -> None:
    """Check that the table beside texts is the one that their commit names; raises ChangedReleaseError."""
    if _digest(_entry(release.child(TABLE))) != digest:
        raise ChangedReleaseError(
            f"{release.uri}: its table differs from the table that was committed before the texts"
        )
    _check_rows(release, TABLE, _ROWS, _check_version(release, TABLE, _ROWS))


def has_digests(place: StorageFolder | str | Path, *, spark: "SparkSession | None" = None) -> bool:
    """Return whether the commit of a release holds digests of its documents, report and log; older ones lacked some."""
    expected = {_DOCUMENTS_DIGEST, "report_sha256", _LOG_DIGEST}
    return any(expected <= commit.keys() for commit in _commits(content_of(_folder(place, spark))))


def commit_digest(place: StorageFolder) -> str:
    """Return the digest of the log's entry that committed a release: of all that it holds, since the entry names it."""
    return _digest(_entry(content_of(place)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _entry(table: StorageFolder) -> bytes:
    return table.child(LOG).read(FIRST_COMMIT) or b""


def _documents_digest(table: StorageFolder) -> str | None:
    """Return the digest of a table as its files are now; None, where a file is missing or the log torn."""
    try:
        found = [PartFile(name, 0, 0, file_digest(table, name)) for name in added_files(table)]
    except (ValueError, KeyError, TypeError, SparkDeidError):
        return None
    return digest_of(found)


def _is_sealed(table: StorageFolder, digest: object) -> bool:
    entry = _entry(table)
    unsealed = entry.replace(str(digest).encode(), _UNSEALED, 1)
    return unsealed != entry and _digest(unsealed) == digest


def _strangers(table: StorageFolder) -> list[str]:
    """Name what is in a table's folder that its commit does not name; what is hidden is read by no one."""
    return sorted({name for name in table.names() if not _is_hidden(name)} - {*added_files(table)})


def uncommitted_names(release: StorageFolder) -> tuple[str, ...]:
    """Name files of a release that were not committed, except the checksums that Hadoop writes next to files."""
    own = {*_tables(release), MANIFEST, REPORT}
    extra = [name for name in release.names() if name not in own and not _is_crc(name)]
    for place in _tables(release):
        table = release.child(place)
        committed = {*added_files(table), LOG}
        extra += (f"{place}/{name}" for name in table.names() if name not in committed and not _is_crc(name))
        extra += (f"{LOG}/{name}" for name in table.child(LOG).names() if name != FIRST_COMMIT and not _is_crc(name))
    return tuple(extra)


def _is_crc(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


def _is_hidden(name: str) -> bool:
    """Return whether Spark skips a file or folder of this name, as ``HadoopFSUtils.shouldFilterOutPathName``."""
    if name.startswith(_READ_THOUGH_HIDDEN):
        return False
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _folder(place: StorageFolder | str | Path, spark: "SparkSession | None" = None) -> StorageFolder:
    return folder_at(place, spark) if isinstance(place, str | Path) else place


def content_of(release: StorageFolder) -> StorageFolder:
    """Return the table whose commit makes a release: that of its documents, or of people where it has no documents."""
    return release.child(next(iter(_tables(release)), DOCUMENTS))


def _tables(release: StorageFolder) -> tuple[str, ...]:
    return tuple(name for name in (DOCUMENTS, TABLE) if release.child(name).names())


def _commits(table: StorageFolder) -> Iterator[dict[str, object]]:
    """Yield the metadata of our commits, oldest first."""
    log = table.child(LOG)
    for name in log.names():
        if name.endswith(".json"):
            for line in (log.read(name) or b"").splitlines():
                metadata = _metadata(line)
                if metadata is not None:
                    yield metadata


def _metadata(action: bytes) -> dict[str, object] | None:
    if b'"commitInfo"' not in action:
        return None
    try:
        metadata = json.loads(json.loads(action)["commitInfo"]["userMetadata"])
    except (ValueError, KeyError, TypeError):
        return None
    return metadata if isinstance(metadata, dict) and "manifest_sha256" in metadata else None
