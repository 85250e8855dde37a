"""The end of a scope stops its session and ends a JVM that the scope started; no JVM runs here."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from spark_deid.engine import session


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the parts of a session that end."""
    parts: list[str] = []
    begun = SimpleNamespace(stop=lambda: parts.append("session"))
    monkeypatch.setattr(session, "refuse_connect", lambda: None)
    monkeypatch.setattr(session, "running_session", lambda: None)
    monkeypatch.setattr(session, "is_submitted", lambda: False)
    monkeypatch.setattr(session, "build_session", lambda **_: begun)
    monkeypatch.setattr(session, "_end_jvm", lambda: parts.append("JVM"))
    return parts


@pytest.mark.parametrize(("gateway", "expected"), [(None, ["session", "JVM"]), (object(), ["session"])])
def test_a_scope_ends_the_jvm_that_it_started_and_no_other(
    ended: list[str], monkeypatch: pytest.MonkeyPatch, gateway: object, expected: list[str]
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", gateway)
    with session.session_scope(app_name="test"):
        assert ended == []
    assert ended == expected


@pytest.mark.parametrize(("mode", "is_kept"), [(0o700, True), (0o710, False), (0o750, False), (0o701, False)])
def test_a_folder_of_spill_is_kept_if_only_its_owner_can_enter_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: int, is_kept: bool
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(session, "running_session", lambda: None)
    place = tmp_path / "spill"
    place.mkdir()
    place.chmod(mode)
    (found,) = session._private_folders("local[1]", place, None)
    assert (found == place) == is_kept
    assert found.stat().st_mode & 0o077 == 0
    assert found in (place, *place.iterdir())
