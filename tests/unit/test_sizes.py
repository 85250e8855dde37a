"""Functions are short enough to be read at one sight; kernels, which compiled code makes whole, may be longer."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "spark_deid"
MOST = 60
COMPILED = {"compiled", "njit"}


def long_functions(source: str) -> Iterator[str]:
    """Yield the names of functions of too many lines, but of those that are compiled."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        marks = {name.id for mark in node.decorator_list for name in ast.walk(mark) if isinstance(name, ast.Name)}
        if (node.end_lineno or node.lineno) - node.lineno >= MOST and not marks & COMPILED:
            yield node.name


def test_functions_are_counted_with_their_first_line() -> None:
    body = "    pass\n"
    assert list(long_functions(f"def f():\n{body * 59}")) == []
    assert list(long_functions(f"def f():\n{body * 60}")) == ["f"]
    assert list(long_functions(f"@compiled\ndef f():\n{body * 60}")) == []
    assert list(long_functions(f"class A:\n    def f(self):\n{f'    {body}' * 60}")) == ["f"]


def test_no_function_outside_kernels_is_long() -> None:
    paths = [path for path in PACKAGE.rglob("*.py") if "kernels" not in path.relative_to(PACKAGE).parts]
    found = {f"{path.name}: {name}" for path in paths for name in long_functions(path.read_text(encoding="utf-8"))}
    assert found == set()
    assert len(paths) > 400
