"""Which key a run has: the plan's own, else the environment's, else a new one."""

from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.secret import VARIABLE, SecretKey, find_secret


def key_file(folder: Path, letter: str) -> Path:
    path = folder / f"{letter}.key"
    path.write_text(letter * 64, encoding="utf-8")
    return path


def test_the_plan_s_key_goes_over_the_environment_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = key_file(tmp_path, "a"), key_file(tmp_path, "b")
    monkeypatch.setenv(VARIABLE, str(other))
    assert find_secret(own) == SecretKey(bytes.fromhex("aa" * 32), True)
    assert find_secret(None) == SecretKey(bytes.fromhex("bb" * 32), True)
    monkeypatch.setenv(VARIABLE, "")
    with pytest.raises(UsageError, match=VARIABLE):
        find_secret(None)
    assert find_secret(own).key == bytes.fromhex("aa" * 32)


def test_without_a_file_each_run_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    one, other = find_secret(None), find_secret(None)
    assert one.key != other.key
    assert (one.repeatable, other.repeatable) == (False, False)
