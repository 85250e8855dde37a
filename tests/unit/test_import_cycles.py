"""No module imports another in a circle, imports for types and imports inside functions included."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "spark_deid"


def module_paths() -> dict[str, Path]:
    """Return the file of each module by the module's name."""
    files = {path.relative_to(PACKAGE.parent).with_suffix("").parts: path for path in PACKAGE.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for parts, path in files.items()}


def imported_names(source: str) -> Iterator[tuple[str, str]]:
    """Yield each imported name, and the module that it is imported from."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.module) for alias in node.names)


def import_graph() -> dict[str, frozenset[str]]:
    """Return the modules that each module imports."""
    paths = module_paths()
    graph = {}
    for module, path in paths.items():
        names = imported_names(path.read_text(encoding="utf-8"))
        targets = {name if name in paths else origin for name, origin in names}
        graph[module] = frozenset(targets & paths.keys()) - {module}
    return graph


def import_cycles(graph: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """Return the modules that reach themselves, grouped by circle: those without way in or out are removed first."""
    rest = {module: set(targets) for module, targets in graph.items()}
    while True:
        imported = set().union(*rest.values()) if rest else set()
        inner = {module for module, targets in rest.items() if targets & rest.keys() and module in imported}
        if inner == rest.keys():
            break
        rest = {module: targets & inner for module, targets in rest.items() if module in inner}
    reached = {module: reachable(rest, module) for module in rest}
    circles = {
        frozenset(each for each in rest if each in reached[module] and module in reached[each]) for module in rest
    }
    return [set(circle) for circle in circles if circle]


def reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return the modules to which the imports of a module lead."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_a_circle_is_found_and_a_chain_is_none() -> None:
    chain = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset[str]()}
    assert import_cycles(chain) == []
    assert import_cycles(chain | {"c": frozenset("b"), "d": frozenset("c")}) == [{"b", "c"}]


def test_imports_for_types_and_inside_functions_count() -> None:
    source = "if TYPE_CHECKING:\n    from a.b import C\n\ndef f():\n    import d.e\n"
    assert set(imported_names(source)) == {("a.b.C", "a.b"), ("d.e", "d.e")}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = import_graph()
    assert len(graph) > 400
    assert [sorted(circle) for circle in import_cycles(graph)] == []
