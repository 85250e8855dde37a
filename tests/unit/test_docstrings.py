"""The examples in docstrings hold."""

import doctest
import importlib
from pathlib import Path

import pytest

import spark_deid

ROOT = Path(spark_deid.__file__).parent
WITH_EXAMPLES = sorted(
    ".".join(("spark_deid", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) > 50
