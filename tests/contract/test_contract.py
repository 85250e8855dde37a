"""Every engine answers as classic Spark does; functions outside of the checked list are not used."""

import ast
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.contract import cases
from tests.contract.cases import CASES, DIFFERENCES, EXPRESSIONS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "spark_deid"
ENGINES = ("classic", "connect", "embedded")
UNLISTED = {"approx_count_distinct", "array_contains", "corr", "expr", "first", "log", "udf", "pandas_udf"}
"""Functions without a separate case: engines answer otherwise, or the answer depends on what they are given."""
Answers = dict[str, dict[str, str]]


def answers_of(engine: str) -> dict[str, str]:
    """Run all cases in a separate process, as a user would start it."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("answers.py")), engine],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        # Workers of Spark Connect unpickle functions of this package.
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def answers() -> Answers:
    with ThreadPoolExecutor(len(ENGINES)) as threads:
        return dict(zip(ENGINES, threads.map(answers_of, ENGINES), strict=True))


def test_the_engines_agree(answers: Answers) -> None:
    unequal = {name: {engine: answers[engine][name] for engine in ENGINES} for name in CASES}
    assert {name: found for name, found in unequal.items() if len({*found.values()}) > 1} == {}
    assert [name for name in CASES if answers["classic"][name] == "FAILS"] == []


def test_known_differences_are_those_of_the_embedded_engine(answers: Answers) -> None:
    assert [name for name in DIFFERENCES if answers["classic"][name] != answers["connect"][name]] == []
    assert [name for name in DIFFERENCES if answers["classic"][name] == answers["embedded"][name]] == []


def used_functions(path: Path) -> set[str]:
    """Return the functions of columns that a module names, as ``F.name``."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "F"
    }


def checked_functions() -> set[str]:
    """Return the functions that a case calls, by Python or in an expression."""
    source = Path(cases.__file__).read_text(encoding="utf-8").partition("DIFFERENCES:")[0]
    return used_functions_of(source) | {
        name for text in EXPRESSIONS.values() for name in re.findall(r"\b(\w+)\(", text)
    }


def used_functions_of(source: str) -> set[str]:
    return set(re.findall(r"\bF\.(\w+)", source))


def test_the_code_uses_functions_that_a_case_checks() -> None:
    aliases = {"when", "Column"}
    used = {name: path.name for path in PACKAGE.rglob("*.py") for name in used_functions(path)}
    assert {name: file for name, file in used.items() if name not in checked_functions() | aliases | UNLISTED} == {}
