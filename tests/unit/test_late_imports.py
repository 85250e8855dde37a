"""Modules of the package are imported at the top. The few imports inside functions state their reason."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "spark_deid"
MOST = 60
REASON = re.compile(r"# (Start-up|Optional): \S.*\.$")
"""A comment before a block of late imports: fast start-up, or a package that is an extra."""


def late_imports(source: str) -> Iterator[ast.ImportFrom]:
    """Yield the imports of the project inside functions."""
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inner = {node.lineno: node for each in functions for node in ast.walk(each) if isinstance(node, ast.ImportFrom)}
    yield from (node for node in inner.values() if (node.module or "").split(".")[0] == "spark_deid")


def reason_of(lines: list[str], number: int) -> str:
    """Return the comment before the block of imports that has a line, by its number from 1."""
    place = number - 2
    while re.match(r"\s+(from|import) ", lines[place]):
        place -= 1
    return lines[place].strip()


def test_late_imports_are_found_with_their_reason() -> None:
    late = "def f():\n    # Optional: JAX.\n    import c\n    from spark_deid.y import d\n"
    source = f"import a\nfrom spark_deid.x import b\n{late}"
    (found,) = late_imports(source)
    assert found.module == "spark_deid.y"
    assert REASON.match(reason_of(source.splitlines(), found.lineno))
    assert not REASON.match(reason_of(["def f():", "    from spark_deid.y import d"], 2))


def test_late_imports_are_few_and_state_their_reason() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    found = [(path, node.lineno) for path, source in sources.items() for node in late_imports(source)]
    assert len(sources) > 400
    assert len(found) <= MOST
    silent = [(path, line) for path, line in found if not REASON.match(reason_of(sources[path].splitlines(), line))]
    assert [f"{path.relative_to(PACKAGE)}:{line}" for path, line in silent] == []
