"""The log keeps every synced event, and finds what was changed or cut."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.review.event_log import HEAD, LOG, EventLog, LogError, NotSavedError, read_log

KEY = b"k" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with EventLog(tmp_path, KEY) as log:
        for number in range(1, 6):
            log.append(f"event-{number}", {"kind": "add", "doc": "d" * number})
    return tmp_path


@pytest.fixture
def without_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fdatasync", "fsync"):
        monkeypatch.setattr(os, name, lambda _: None)


def test_events_are_there_after_opening(folder: Path) -> None:
    with EventLog(folder, KEY) as log:
        assert [event["seq"] for event in log.events] == [1, 2, 3, 4, 5]
        assert log.append("event-6", {"kind": "done"})["seq"] == 6
    assert len(read_log(folder, KEY).events) == 6


def test_a_replay_changes_no_event(folder: Path) -> None:
    with EventLog(folder, KEY) as log:
        assert log.append("event-2", {"kind": "other"}) == {"seq": 2, "id": "event-2", "kind": "add", "doc": "dd"}
        assert log.last == 5


def test_a_log_cut_by_a_crash_opens_with_all_synced_events(folder: Path, tmp_path: Path, without_disk: None) -> None:
    content = (folder / LOG).read_bytes()
    place = tmp_path / "cut"
    for size in range(len(content) + 1):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / LOG).write_bytes(content[:size])
        with EventLog(place, KEY) as log:
            synced = content[:size].count(b"\n")
            assert log.last == synced
            log.append("next", {"kind": "done"})
        assert len(read_log(place, KEY).events) == synced + 1


def test_one_changed_byte_is_found(folder: Path) -> None:
    content = (folder / LOG).read_bytes()
    for place in range(len(content)):
        (folder / LOG).write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(LogError):
            read_log(folder, KEY)


def test_a_log_that_was_cut_later_is_found(folder: Path) -> None:
    lines = (folder / LOG).read_bytes().splitlines(keepends=True)
    (folder / LOG).write_bytes(b"".join(lines[:3]))
    with pytest.raises(LogError, match="event 3, but event 5"):
        EventLog(folder, KEY)


def test_events_cannot_be_removed_or_exchanged(folder: Path) -> None:
    lines = (folder / LOG).read_bytes().splitlines(keepends=True)
    for other in (lines[1:], lines[:1] + lines[2:], [lines[1], lines[0], *lines[2:]]):
        (folder / LOG).write_bytes(b"".join(other))
        with pytest.raises(LogError):
            read_log(folder, KEY)


def test_another_key_opens_no_log(folder: Path) -> None:
    with pytest.raises(LogError):
        read_log(folder, b"x" * 32)


def test_a_changed_head_is_found(folder: Path) -> None:
    (folder / HEAD).write_bytes((folder / HEAD).read_bytes().replace(b"5", b"3"))
    with pytest.raises(LogError):
        read_log(folder, KEY)


@pytest.fixture
def small_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


def test_a_full_disk_loses_no_event_and_saving_continues(folder: Path, small_files: None) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with EventLog(folder, KEY) as log:
        size = (folder / LOG).stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
        for _ in range(3):
            with pytest.raises(NotSavedError, match="not saved"):
                log.append("event-6", {"kind": "done"})
        assert (folder / LOG).stat().st_size == size
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert log.append("event-6", {"kind": "done"})["seq"] == 6
    assert [event["seq"] for event in read_log(folder, KEY).events] == [1, 2, 3, 4, 5, 6]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_each_event_is_synced_before_its_acknowledgement(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from spark_deid.review.event_log import EventLog\n"
        "log = EventLog(Path(sys.argv[1]), b'k' * 32)\n"
        "for n in range(3): log.append(f'id-{n}', {}); print('ack', n, flush=True)\n"
    )
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-e", "trace=pwrite64,fdatasync,write", "-o", str(trace), sys.executable, "-c", script]
    (tmp_path / "log").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([*command, str(tmp_path / "log")], check=True, capture_output=True, env=environment)
    calls = [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines() if "(" in line]
    synced = False
    acknowledged = 0
    for call in calls:
        if call.startswith("pwrite64") and "seq" in call and "mac" not in call and "id-" in call:
            synced = False
        elif call.startswith("fdatasync") and call.rstrip().endswith("= 0"):
            synced = True
        elif call.startswith("write(1") and "ack" in call:
            assert synced
            acknowledged += 1
    assert acknowledged == 3
