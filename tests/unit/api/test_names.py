"""The names of the package: lazy, and known to checkers of types."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spark_deid as sd


def test_checkers_of_types_see_the_names_that_are_loaded() -> None:
    source = Path(str(sd.__file__)).read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    listed = {
        alias.name: str(node.module).removeprefix("spark_deid.")
        for node in imports
        for alias in node.names
        if str(node.module).startswith("spark_deid.") and alias.asname
    }
    assert listed == dict(sd._MODULES)
    assert set(listed) <= set(dir(sd))


def test_every_name_can_be_had() -> None:
    for name in sd._MODULES:
        assert getattr(sd, name).__name__.rpartition(".")[2] == name  # a module is named with its package


def test_there_is_no_other_name() -> None:
    with pytest.raises(AttributeError, match="'sanitise'"):
        sd.sanitise  # type: ignore[attr-defined]  # noqa: B018


def test_neither_importing_nor_detecting_loads_spark() -> None:
    script = (
        "import sys, spark_deid as sd; assert 'pydantic' not in sys.modules; "
        "assert sd.detect('ann@example.org', plan={'patterns': {}}); "
        "sd.show('a', ()); assert 'pyspark' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
