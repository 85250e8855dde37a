"""The examples in docstrings hold, public names document arguments and results, compiled functions are explained."""

import ast
import doctest
import importlib
import inspect
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from pydantic import BaseModel

import spark_deid
from spark_deid import extending

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
"""Lines of a function that needs an explanation, and comment lines per 100 lines of compiled functions, by file."""


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
        comments, size = _comment_lines(source), 0
        for each in _compiled_functions(source):
            lines = range(each.lineno, (each.end_lineno or each.lineno) + 1)
            size += len(lines)
            assert len(lines) <= LONG or any(line in lines for line in comments), f"{path}: {each.name} has no comment"
        assert 100 * len(comments) >= LEAST * size, f"{path}: too few comments on why it works"


PUBLIC = {"sd": spark_deid, "extending": extending, "representation": spark_deid.representation}
"""Where the names are that users and plugins import."""
EXPORTING = ("spark_deid.core.lazy_names", "spark_deid.core.moved_modules")
"""Modules that only serve the names of others."""


def _functions(owner: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the functions of a namespace, and the public methods of its classes, that this package defines."""
    for name in dir(owner):
        value = getattr(owner, name)
        module = str(getattr(value, "__module__", ""))
        if name.startswith("_") or not module.startswith("spark_deid.") or module in EXPORTING:
            continue
        if inspect.isclass(value) and not issubclass(value, (Exception, BaseModel, Enum)):
            methods = inspect.getmembers_static(value, lambda each: isinstance(each, FunctionType | classmethod))
            own = ((method, getattr(each, "__func__", each)) for method, each in methods if method in vars(value))
            yield from ((each.__qualname__, each) for method, each in own if each.__qualname__ == f"{name}.{method}")
        elif inspect.isfunction(value):
            yield name, value


@pytest.mark.parametrize("owner", PUBLIC)
def test_public_functions_document_their_arguments_and_results(owner: str) -> None:
    for name, function in _functions(PUBLIC[owner]):
        if name.rpartition(".")[2].startswith("_"):
            continue
        signature, text = inspect.signature(function), inspect.getdoc(function) or ""
        arguments = [each for each in signature.parameters if each not in ("self", "cls")]
        for argument in arguments:
            assert re.search(rf"^Args:\n(.*\n)*?    \**{argument}: ", text, re.M), f"{name}: Args lacks {argument}"
        if arguments and signature.return_annotation not in (None, "None", inspect.Signature.empty):
            assert re.search(r"^(Returns|Yields):$", text, re.M), f"{name}: no section Returns"


KINDS = tuple(name for name in dir(extending) if name.endswith("Kind"))


@pytest.mark.parametrize("name", KINDS)
def test_kinds_document_their_attributes_and_show_an_example(name: str) -> None:
    kind = getattr(extending, name)
    text = inspect.getdoc(kind) or ""
    assert "\nExample:\n" in text
    for field in vars(kind).get("__annotations__", {}):
        assert re.search(rf"^    `*{field}`*: ", text, re.M), f"{name}: Attributes lacks {field}"
