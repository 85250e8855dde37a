"""Warnings of detectors on workers, which quote the text at hand, and what libraries below Python print."""

import os
import subprocess
import sys
import warnings

import pytest
from pyspark.sql import SparkSession

from spark_deid.engine.tasks import run_tasks
from spark_deid.greedy.parallel import LocalProcesses

TALK = """
import os, sys, warnings
{silence}
warnings.warn("Quincy")
print("Quincy", flush=True)
os.write(1, b"Quincy"), os.write(2, b"Quincy")
"""


def streams_of(_: int) -> tuple[str, ...]:
    """State where the standard streams of the process lead, after warning of a name."""
    warnings.warn("Zoë Quincy", stacklevel=1)
    return tuple(os.path.realpath(f"/proc/self/fd/{stream}") for stream in (1, 2))


def errors_of_daemon(_: int) -> str:
    """State where the standard error of the process leads from which workers are forked."""
    return os.path.realpath(f"/proc/{os.getppid()}/fd/2")


def told(silence: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", TALK.format(silence=silence)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="streams are looked up in /proc")
def test_streams_of_spark_s_workers_lead_nowhere(spark: SparkSession) -> None:
    assert run_tasks(spark, streams_of, [1, 2]) == [(os.devnull, os.devnull)] * 2
    assert run_tasks(spark, errors_of_daemon, [1]) == [os.devnull]


@pytest.mark.skipif(sys.platform != "linux", reason="streams are looked up in /proc")
def test_streams_of_processes_that_learn_lead_nowhere() -> None:
    assert [found for _, found in LocalProcesses(2).run(streams_of, [1, 2])] == [(os.devnull, os.devnull)] * 2


def test_whatever_prints_is_silenced_unless_all_is_to_be_shown() -> None:
    silence = "from spark_deid.engine.streams import silence; silence()"
    assert told("").count("Quincy") == 4
    assert told(silence) == ""
    assert told(silence, SPARK_DEID_DEBUG="1").count("Quincy") == 4
    assert told("from spark_deid.engine.streams import silence; silence(2)").count("Quincy") == 2
