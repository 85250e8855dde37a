"""Fixtures that several test folders share."""

from __future__ import annotations

import gzip
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Before anything loads OpenMP: threads that wait for each other cost more than sorting a small text.
os.environ.setdefault("OMP_NUM_THREADS", "1")


SAMPLES = Path(__file__).parents[1] / "spark_deid" / "samples"


class S3Server(NamedTuple):
    """A server of S3 on this machine, whose bucket ``hospital`` holds a bundled sample, and the key that it takes."""

    endpoint: str
    access: str
    secret: str

    @property
    def settings(self) -> dict[str, str]:
        """Hadoop's settings of it."""
        given = {"endpoint": self.endpoint, "access.key": self.access, "secret.key": self.secret}
        return {f"fs.s3a.{name}": value for name, value in (given | {"path.style.access": "true"}).items()}


@pytest.fixture
def s3(tmp_path: Path) -> Iterator[S3Server]:
    """Serve S3 from a separate process: what moto imports warns."""
    notes = tmp_path / "notes.jsonl"
    notes.write_bytes(gzip.decompress((SAMPLES / "mail-sample.jsonl.gz").read_bytes()))
    program = str(Path(__file__).with_name("s3_server.py"))
    command = [sys.executable, program, "hospital", "notes/notes.jsonl", str(notes)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield S3Server(**json.loads(server.stdout.readline()))
        finally:
            server.stdin.close()
            server.kill()


@pytest.fixture(autouse=True)
def logs() -> Iterator[None]:
    """Let logs be written again after a test that ran a command: the border silences those of its whole process."""
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Share one small local session among all Spark tests; those without Spark do not import it."""
    from spark_deid.engine.session import SessionPace, build_session

    session = build_session(
        app_name="tests",
        master="local[2]",
        local_dir=tmp_path_factory.mktemp("spark"),
        # Tables are small: to compile a query takes longer than to carry it out as it is.
        settings={
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        },
        pace=SessionPace.SHORT,
    )
    yield session
    session.stop()
