"""Write the rooms of docs/help/architecture.md from the code: what each is for, and which imports which."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "spark_deid"
PAGE = ROOT / "docs" / "help" / "architecture.md"
BEGIN, END = "<!-- written by resources/write_architecture.py -->\n", "<!-- end -->\n"


def layers() -> list[list[str]]:
    """Return the rooms as ``pyproject.toml`` has them: the uppermost layer first, rooms of one layer side by side."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (named,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in named]


def purpose(room: str) -> str:
    """Return the first line of a room's documentation, without its full stop."""
    folder, module = PACKAGE / room / "__init__.py", PACKAGE / f"{room}.py"
    told = ast.get_docstring(ast.parse((folder if folder.exists() else module).read_text(encoding="utf-8"))) or ""
    return told.split("\n\n")[0].replace("\n", " ").replace("``", "`").rstrip(".")


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but for what only checkers of types read."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            yield from _nodes(node)


def imports(room: str) -> frozenset[str]:
    """Return the rooms that a room's code imports."""
    module = PACKAGE / f"{room}.py"
    files = [module] if module.exists() else sorted((PACKAGE / room).rglob("*.py"))
    found = set()
    for path in files:
        for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("spark_deid."):
                found.add(node.module.split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "spark_deid":
                found |= {name.name for name in node.names}
    return frozenset(found & {each for layer in layers() for each in layer}) - {room}


def arrows() -> list[tuple[str, str]]:
    """Return who imports whom, without what follows from other arrows."""
    direct = {room: imports(room) for layer in layers() for room in layer}
    below: dict[str, frozenset[str]] = {}
    for layer in reversed(layers()):
        for room in layer:
            below[room] = direct[room].union(*(below.get(each, frozenset()) for each in direct[room]))
    return [
        (room, each)
        for room, named in direct.items()
        for each in sorted(named)
        if not any(each in below[other] for other in named - {each})
    ]


def rooms() -> str:
    """Return the table of rooms and the picture of their imports as Markdown."""
    table = ["| layer | room | what it is for |", "|---|---|---|"]
    for number, layer in enumerate(layers(), 1):
        table += [f"| {number} | `{room}` | {purpose(room)} |" for room in layer]
    picture = ["```mermaid", "flowchart TD", *(f"  {one} --> {other}" for one, other in arrows()), "```"]
    return "\n".join([*table, "", *picture]) + "\n"


def page() -> str:
    """Return the page with its rooms as they are."""
    written = PAGE.read_text(encoding="utf-8")
    before, _, rest = written.partition(BEGIN)
    return f"{before}{BEGIN}{rooms()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
