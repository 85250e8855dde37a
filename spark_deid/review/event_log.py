"""An append-only log of actions: one line of JSON per event, synced before it counts, chained by a keyed hash."""

import hmac
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from spark_deid.core.errors import SparkDeidError

Event = Mapping[str, Any]
"""An event: ``seq``, ``id``, ``kind`` and the fields of its kind, all plain values of JSON."""

LOG, HEAD = "events.jsonl", "head.json"
_START = "0" * 64


class LogError(SparkDeidError):
    """A log that was changed or cut."""


class NotSavedError(SparkDeidError):
    """An event that could not be synced, so that it does not count."""


class LogState(NamedTuple):
    """The events of a log, the hash of the last one, and the bytes that they occupy."""

    events: tuple[Event, ...]
    mac: str
    size: int


def read_log(folder: Path, key: bytes) -> LogState:
    """Read and verify the log of a folder.

    A last line without its end was never acknowledged, so it does not count.

    Args:
        folder: The folder of the project.
        key: The key of the project.

    Returns:
        The events and where they end.

    Raises:
        LogError: An event was changed, moved or removed.
    """
    path = folder / LOG
    try:
        content = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise LogError(f"{path}: cannot read the log ({error.strerror})") from None
    events, mac, size = [], _START, 0
    for number, line in enumerate(_whole_lines(content), 1):
        event, mac = _checked(path, number, line, mac, key)
        events.append(event)
        size += len(line) + 1
    _check_head(folder, LogState(tuple(events), mac, size), key)
    return LogState(tuple(events), mac, size)


def _whole_lines(content: bytes) -> Iterator[bytes]:
    """Yield the lines that have their end."""
    yield from content.split(b"\n")[:-1]


def _checked(path: Path, number: int, line: bytes, before: str, key: bytes) -> tuple[Event, str]:
    """Return the event of a line and its hash; raise LogError if either does not follow from the key."""
    body, _, mac = line.rpartition(b"\t")
    expected = _mac(key, before, body)
    if not hmac.compare_digest(mac, expected.encode()):
        raise LogError(
            f"{path}: event {number} was changed, moved or removed. Restore a backup (review --backup), or delete the "
            "project"
        )
    return json.loads(body), expected


def _mac(key: bytes, before: str, body: bytes) -> str:
    return hmac.digest(key, before.encode() + b"\n" + body, "sha256").hex()


def _check_head(folder: Path, state: LogState, key: bytes) -> None:
    """Raise LogError if the head names an event that the log lacks: the log was cut after it was synced."""
    path = folder / HEAD
    try:
        body, _, mac = path.read_bytes().strip().rpartition(b"\t")
    except FileNotFoundError:
        return
    if not hmac.compare_digest(mac, _mac(key, "head", body).encode()):
        raise LogError(f"{path}: was changed. Restore a backup (review --backup), or delete the project")
    number = json.loads(body)["seq"]
    if number > len(state.events):
        raise LogError(
            f"{folder / LOG}: ends at event {len(state.events)}, but event {number} was saved. Restore a backup "
            "(review --backup), or delete the project"
        )


class EventLog:
    """A log that is open for one process; threads may share it.

    Attributes:
        events: The events so far, in order.
    """

    def __init__(self, folder: Path, key: bytes) -> None:
        state = read_log(folder, key)
        self.events = list(state.events)
        self._folder, self._key, self._mac, self._size = folder, key, state.mac, state.size
        self._ids = {event["id"]: event for event in self.events}
        self._lock = threading.RLock()
        self._is_clean = False
        try:
            self._file = os.open(folder / LOG, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            self._head = os.open(folder / HEAD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            self._clean()
            _sync_folder(folder)
        except OSError as error:
            raise NotSavedError(f"{folder / LOG}: cannot write here ({error.strerror})") from None
        self._write_head()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        os.close(self._file)
        os.close(self._head)

    @property
    def last(self) -> int:
        """Return the number of the last event, 0 without events."""
        return len(self.events)

    def find(self, event_id: str) -> Event | None:
        """Return the event of this id, None if no event has it."""
        return self._ids.get(event_id)

    def append(self, event_id: str, fields: Mapping[str, Any]) -> Event:
        """Append an event and return it after it was synced; an id that the log has changes nothing.

        Args:
            event_id: An id that the caller chose, so that it can send an event again.
            fields: The fields of the event, plain values of JSON.

        Returns:
            The event with ``seq`` and ``id``.

        Raises:
            NotSavedError: The event could not be written and synced. The log is as before.
        """
        with self._lock:
            if known := self._ids.get(event_id):
                return known
            event = {"seq": self.last + 1, "id": event_id, **fields}
            body = json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode()
            mac = _mac(self._key, self._mac, body)
            self._write(body + b"\t" + mac.encode() + b"\n")
            self.events.append(event)
            self._ids[event_id], self._mac = event, mac
            self._write_head()
            return event

    def _write(self, line: bytes) -> None:
        """Write and sync a line, or restore the file to the bytes before it."""
        try:
            self._clean()
            self._is_clean = False
            written = 0
            while written < len(line):
                written += os.pwrite(self._file, line[written:], self._size + written)
            os.fdatasync(self._file)
        except OSError as error:
            with suppress(OSError):
                self._clean()
            reason = error.strerror or "no reason given"
            raise NotSavedError(f"{self._folder / LOG}: the action is not saved ({reason})") from None
        self._size += len(line)
        self._is_clean = True

    def _clean(self) -> None:
        """Remove the bytes of an event that was not acknowledged."""
        if not self._is_clean:
            os.ftruncate(self._file, self._size)
            os.fdatasync(self._file)
            self._is_clean = True

    def _write_head(self) -> None:
        """Write the number of the last saved event; only the next opening reads it."""
        body = json.dumps({"seq": self.last}).encode()
        line = body + b"\t" + _mac(self._key, "head", body).encode()
        # One write of equal length: spaces keep the record in one sector, so that no crash leaves half of it.
        with suppress(OSError):
            os.pwrite(self._head, line.rjust(127) + b"\n", 0)


def _sync_folder(folder: Path) -> None:
    """Sync the entry of a new file in its folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
