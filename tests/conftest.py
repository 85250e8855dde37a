"""Fixtures that several test folders share."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Before anything loads OpenMP: threads that wait for each other cost more than sorting a small text.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def logs() -> Iterator[None]:
    """Let logs be written again after a test that ran a command: the border silences those of its whole process."""
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Share one small local session among all Spark tests; those without Spark do not import it."""
    from spark_deid.session import SessionPace, build_session

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
