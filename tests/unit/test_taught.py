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
