"""Versions of local Delta tables, read from their logs without an engine.

The format is that of https://github.com/delta-io/delta/blob/master/PROTOCOL.md. A feature that changes which rows a
table has, and that this reader doesn't know, is refused by name.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq

from spark_deid.core.errors import CorpusError

LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")
_NEWEST_READER = 3
_FEATURES = frozenset({"timestampNtz", "typeWidening", "vacuumProtocolCheck"})
_ACTIONS = ("protocol", "metaData", "add", "remove")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A Parquet file of a table, and the values of its partition columns as the log writes them."""

    path: Path
    partition: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """A version of a table: its number, its schema as JSON of Spark, and its files in order of path."""

    version: int
    schema: str
    partition_columns: tuple[str, ...]
    files: tuple[LogFile, ...]


def is_table(folder: Path) -> bool:
    """Return whether a local folder is a Delta table."""
    return any(_COMMIT.fullmatch(path.name) or _CHECKPOINT.fullmatch(path.name) for path in (folder / LOG).glob("*"))


def read_log(folder: Path, version: int | None = None) -> LogSnapshot:
    """Return a version of a local Delta table, by default the last one.

    Raises:
        CorpusError: The folder holds no table, the version or a file of the log is missing, or the table has a feature
            that this reader doesn't know.
    """
    commits, checkpoints = _listed(folder)
    newest = max([*commits, *checkpoints], default=None)
    if newest is None:
        raise CorpusError(f"{folder}: expected a Delta table, with commits in {LOG}")
    wanted = newest if version is None else version
    if not 0 <= wanted <= newest:
        raise CorpusError(f"{folder}: expected a version from 0 to {newest}, got {wanted}")
    start = max((number for number in checkpoints if number <= wanted), default=None)
    needed = range(0 if start is None else start + 1, wanted + 1)
    if missing := [number for number in needed if number not in commits]:
        raise CorpusError(f"{folder}: version {missing[0]} is missing in {LOG}, so version {wanted} can't be read")
    state = _LogState(folder)
    try:
        for action in _checkpoint_actions(checkpoints.get(start, ()) if start is not None else ()):
            state.apply(action)
        for number in needed:
            for line in commits[number].read_bytes().splitlines():
                if line.strip():
                    state.apply(json.loads(line))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise CorpusError(f"{folder}: {LOG} is damaged; restore the table, or name another version") from None
    return state.snapshot(wanted)


def _listed(folder: Path) -> tuple[dict[int, Path], dict[int, tuple[Path, ...]]]:
    """Return the commits and the complete checkpoints of a log by version."""
    commits: dict[int, Path] = {}
    parts: dict[tuple[int, int], list[Path]] = {}
    for path in sorted((folder / LOG).glob("*")):
        if match := _COMMIT.fullmatch(path.name):
            commits[int(match[1])] = path
        elif match := _CHECKPOINT.fullmatch(path.name):
            parts.setdefault((int(match[1]), int(match[3] or 1)), []).append(path)
    whole = {version: tuple(paths) for (version, count), paths in parts.items() if len(paths) == count}
    return commits, whole


def _checkpoint_actions(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Yield the actions of a checkpoint's files."""
    for path in paths:
        columns = [name for name in _ACTIONS if name in pq.read_schema(path).names]
        for row in pq.read_table(path, columns=columns).to_pylist():
            yield {name: _plain(value) for name, value in row.items() if value is not None}


def _plain(action: dict[str, Any]) -> dict[str, Any]:
    """Return an action of a checkpoint as a commit writes it: Parquet's maps are lists of pairs."""
    maps = ("partitionValues", "configuration")
    return {
        name: dict(value) if name in maps and value is not None else value
        for name, value in action.items()
        if value is not None
    }


class _LogState:
    """The files and the schema of a table while its log is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, LogFile] = {}
        self._metadata: dict[str, Any] = {}

    def apply(self, action: Mapping[str, Any]) -> None:
        """Apply an action of the log; raises CorpusError for an unknown feature."""
        if (protocol := action.get("protocol")) is not None:
            self._check_protocol(protocol)
        if metadata := action.get("metaData"):
            self._check_metadata(metadata)
            self._metadata = metadata
        if removed := action.get("remove"):
            self._files.pop(removed["path"], None)
        if added := action.get("add"):
            if added.get("deletionVector"):
                self._refuse("deletion vectors")
            self._files[added["path"]] = self._file(added)

    def snapshot(self, version: int) -> LogSnapshot:
        """Return the state as a version."""
        if not self._metadata:
            raise CorpusError(f"{self._folder}: {LOG} has no schema of version {version}")
        files = tuple(self._files[path] for path in sorted(self._files))
        columns = tuple(self._metadata.get("partitionColumns") or ())
        return LogSnapshot(version, self._metadata["schemaString"], columns, files)

    def _check_protocol(self, protocol: Mapping[str, Any]) -> None:
        if int(protocol["minReaderVersion"]) > _NEWEST_READER:
            self._refuse(f"reader version {int(protocol['minReaderVersion'])}")
        unknown = sorted({*(protocol.get("readerFeatures") or ())} - _FEATURES - {"deletionVectors", "columnMapping"})
        if unknown:
            self._refuse("a feature of a newer reader")

    def _check_metadata(self, metadata: Mapping[str, Any]) -> None:
        configuration = metadata.get("configuration") or {}
        if configuration.get("delta.columnMapping.mode", "none") != "none":
            self._refuse("column mapping")

    def _file(self, added: Mapping[str, Any]) -> LogFile:
        path = unquote(added["path"])
        if "://" in path or path.startswith(("/", "file:")) or ".." in Path(path).parts:
            self._refuse("files outside its folder")
        return LogFile(self._folder / path, dict(added.get("partitionValues") or {}))

    def _refuse(self, feature: str) -> None:
        raise CorpusError(f"{self._folder}: this Delta table has {feature}, which needs Spark: set engine: spark")
