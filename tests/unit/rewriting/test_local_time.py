"""Moments without a zone, on a machine that is not in UTC."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from spark_deid.rewriting.metadata import typed_column


@pytest.fixture(params=["America/New_York", "Asia/Kolkata"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the process be in another zone for one test."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_a_moment_without_a_zone_is_utc_wherever_the_machine_occurs(zone: str) -> None:
    assert datetime(2024, 7, 1, 12).astimezone().utcoffset() != UTC.utcoffset(None)
    [moment] = typed_column(["2024-07-01 12:00:00"], "timestamp").to_pylist()
    assert moment == datetime(2024, 7, 1, 12, tzinfo=UTC)
