"""Tutorials and how-to guides: each command, section of a plan and name of ``sd`` occurs in one of them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import spark_deid
from spark_deid.cli.command_list import cli
from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import PlanSettings
from spark_deid.rewriting.registry import TECHNIQUES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for kind in ("tutorials", "how-to") for page in sorted((DOCS / kind).glob("*.md"))]
TEXT = " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in PAGES)


def commands(command: Any, name: str = "") -> Iterator[str]:
    """Yield the names of all commands, as they are typed after ``spark-deid``."""
    if not hasattr(command, "commands"):
        yield name
    for part, each in getattr(command, "commands", {}).items():
        yield from commands(each, f"{name} {part}".strip())


def sections() -> list[str]:
    """Return the keys of a plan, its detectors and techniques, and the guarantees that it can demand."""
    methods = [name for registry in (DETECTORS, TECHNIQUES) for name, _ in registry.built_in_items()]
    return [
        *PlanSettings.model_fields,
        *methods,
        *(name for name, kind in GUARANTEES.built_in_items() if kind.settings),
    ]


@pytest.mark.parametrize("name", [*commands(typer.main.get_command(cli))])
def test_each_command_is_taught(name: str) -> None:
    assert re.search(rf"(?:spark-deid |`){name}\b", TEXT)


@pytest.mark.parametrize("name", sections())
def test_each_section_of_a_plan_is_taught(name: str) -> None:
    assert re.search(rf"\b{name}\b(?:`|:|=|\}}|\]|,)|: {name}\b", TEXT)


@pytest.mark.parametrize("name", [*spark_deid._MODULES])
def test_each_name_of_the_package_is_taught(name: str) -> None:
    assert re.search(rf"\bsd\.{name}\b", TEXT)


UNRUN = re.compile(r"\b(not run|do not run|not run here)\b", re.IGNORECASE)
"""The label of a block that no test runs."""
RUN_ELSEWHERE = {"notebook.md", "sanitize-dataframe.md"}
"""Pages whose blocks run in ``test_python``. Lines for S3 run in ``test_s3``, and ``console`` in ``test_tutorials``."""


def unrun_blocks() -> Iterator[str]:
    """Yield the blocks of commands and Python that no test runs. Each must be labelled, next to it or in it."""
    for page in (*PAGES, *sorted((DOCS / "start").glob("*.md"))):
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```(?:bash|sh|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            if page.name in RUN_ELSEWHERE or "s3a://" in block[1] or "import " in block[1]:
                continue
            around = (
                text[: block.start()][-160:]
                + block[1]
                + re.sub(r"```.*?```", "", text[block.end() :], flags=re.S)[:200]
            )
            assert UNRUN.search(" ".join(around.split())), f"{page.name}: label the block as not run:\n{block[1]}"
            yield block[1]


def test_blocks_that_are_not_run_are_labelled_and_counted() -> None:
    summary = (DOCS / "measured" / "index.md").read_text(encoding="utf-8")
    assert f"{len(list(unrun_blocks()))} blocks are labelled as not run" in " ".join(summary.split())


PYTHON = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in (*PAGES, DOCS / "start" / "quickstart.md")
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M))
    if page.name not in RUN_ELSEWHERE and "import " in code
]


@pytest.mark.parametrize("code", PYTHON)
def test_blocks_of_python_run(code: str) -> None:
    exec(compile(code, "page", "exec"), {"__name__": "page"})
