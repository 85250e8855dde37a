"""The table of commands, and that help and imports load no large library."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.cli import command_list
from spark_deid.cli.command_list import CommandRow
from spark_deid.core.options import CommandOptions

LARGE = ("numba", "numpy", "pandas", "pyarrow", "pyspark", "scipy", "sklearn")
NAME_MODELS = {"anonymize", "attack", "assess", "verify", "sample", "restore", "experiment"}
"""Commands whose help lists privacy models or measures, which arrays define."""
ROWS = [
    row
    for table in (
        command_list._COMMANDS,
        command_list._EXPERIMENTS,
        command_list._ONTOLOGY,
        command_list._REPRESENTATION,
    )
    for row in table
    if row.options
]


def loaded(code: str, names: tuple[str, ...]) -> set[str]:
    """Return the libraries that a new process has loaded after some code."""
    script = f"{code}\nimport sys\nprint(','.join(sorted({set(names)!r} & set(sys.modules))), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(ran.stderr.strip().split(",")) - {""}


@pytest.mark.parametrize(
    "code",
    [
        "import spark_deid",
        "import spark_deid.extending, spark_deid.app",
        "from spark_deid.cli import cli; cli(['--help'], standalone_mode=False)",
        "from spark_deid.cli import cli; cli(['run', '--help'], standalone_mode=False)",
    ],
)
def test_start_up_loads_no_large_library(code: str) -> None:
    assert loaded(code, LARGE) == set()


def test_help_loads_no_large_library() -> None:
    lines = (
        "from typer.main import get_command",
        "from spark_deid.cli import cli",
        "def names_of(command, path=()):",
        "    yield path",
        "    for name, inner in getattr(command, 'commands', {}).items(): yield from names_of(inner, (*path, name))",
        f"shown = [path for path in names_of(get_command(cli)) if not {NAME_MODELS!r} & set(path)]",
        "assert len(shown) > 30 and ('train',) in shown",
        "for path in shown: cli([*path, '--help'], standalone_mode=False)",
    )
    assert loaded("\n".join(lines), LARGE) == set()


def test_options_load_neither_spark_nor_compiled_code() -> None:
    folder = Path(str(app.__file__)).parent / "options"
    modules = [f"spark_deid.app.options.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"]
    assert len(modules) > 5
    assert loaded(f"import {', '.join(modules)}", ("numba", "pyspark", "sklearn")) == set()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.use_case)
def test_a_row_names_options_and_a_use_case_of_them(row: CommandRow) -> None:
    module, _, kind = row.options.partition(":")
    options = getattr(import_module(f"spark_deid.app.options.{module}"), kind)
    assert issubclass(options, CommandOptions)
    module, _, name = row.use_case.partition(":")
    use_case = getattr(import_module(f"spark_deid.app.{module}"), name)
    first, second = inspect.signature(use_case).parameters.values()
    assert first.annotation in (options, kind)
    assert second.name == "progress"
    assert getattr(app, kind) is options
    assert getattr(app, name) is use_case
