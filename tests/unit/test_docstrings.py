"""The examples in docstrings hold, and compiled functions are explained."""

import ast
import doctest
import importlib
import io
import re
import tokenize
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


COMPILED = ("compiled", "inlined", "njit")
"""Decorators of compiled functions."""
LONG, LEAST = 20, 2
"""Lines of a function that needs an explanation, and comment lines per 100 lines of a file with compiled functions."""


def _compiled_functions(source: str) -> list[ast.FunctionDef]:
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return [each for each in functions if any(ast.unparse(name) in COMPILED for name in each.decorator_list)]


def _comment_lines(source: str) -> list[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (each for each in tokens if each.type == tokenize.COMMENT)
    return [each.start[0] for each in comments if "noqa" not in each.string and "fmt:" not in each.string]


def test_compiled_functions_are_explained() -> None:
    sources = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    compiled = {
        path: source for path, source in sources.items() if re.search(r"^@(compiled|inlined|njit)", source, re.M)
    }
    assert len(compiled) > 50
    for path, source in compiled.items():
        comments = _comment_lines(source)
        assert 100 * len(comments) >= LEAST * len(source.splitlines()), f"{path}: too few comments on why it works"
        for each in _compiled_functions(source):
            lines = range(each.lineno, (each.end_lineno or each.lineno) + 1)
            assert len(lines) <= LONG or any(line in lines for line in comments), f"{path}: {each.name} has no comment"
