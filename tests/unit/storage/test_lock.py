import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.storage.lock import LockedError, hold, lock_path

HOLDER = """
import sys, time
from pathlib import Path
from spark_deid.storage.lock import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "release"
    with hold(folder):
        assert lock_path(folder).exists()
        assert not folder.exists()
    assert list(folder.parent.iterdir()) == []


def test_second_holder_fails_at_once_and_names_the_first(tmp_path: Path) -> None:
    with hold(tmp_path / "release"):
        with pytest.raises(LockedError, match=rf"process {os.getpid()} on") as caught, hold(tmp_path / "release"):
            pass
        assert caught.value.exit_code == 1
    with hold(tmp_path / "release"):
        pass


def test_all_or_none(tmp_path: Path) -> None:
    with hold(tmp_path / "b"):
        with pytest.raises(LockedError), hold(tmp_path / "a", tmp_path / "b"):
            pass
        with hold(tmp_path / "a"):
            pass


def test_two_names_of_one_folder_share_a_lock(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    with hold(tmp_path / "alias"), pytest.raises(LockedError), hold(tmp_path / "real"):
        pass


def test_lock_dies_with_its_process(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=f"process {process.pid} on"), hold(folder):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert lock_path(folder).exists()
    with hold(folder):
        pass


def test_file_system_without_locks_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with hold(tmp_path / "release"):
        assert "has no locks" in caplog.text


def test_unwritable_parent_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SparkDeidError, match="can't make this lock file"), hold(tmp_path / "file" / "release"):
        pass


JVM = """
import fcntl, sys
stream = open(sys.argv[1], "w")
fcntl.lockf(stream, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_folder_waits_for_the_jvm_of_a_killed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / ".release.jvm.lock"
    with subprocess.Popen(
        [sys.executable, "-c", JVM, str(left)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        monkeypatch.setattr("spark_deid.storage.lock.JVM_SECONDS", 0)
        with pytest.raises(LockedError, match="JVM of a killed run still works"), hold(tmp_path / "release"):
            pass
        assert left.exists()
        monkeypatch.setattr("spark_deid.storage.lock.JVM_SECONDS", 60)
        process.stdin.close()
        with hold(tmp_path / "release"):
            pass
    assert list(tmp_path.iterdir()) == []
