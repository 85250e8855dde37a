"""Write the packages of docs/help/architecture.md from the code: their purposes, and a picture of their imports.

Run it when packages or layers change. A test compares both files with the code.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "spark_deid"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from resources.package_picture import draw_packages  # noqa: E402

PAGE = ROOT / "docs" / "help" / "architecture.md"
PICTURE = ROOT / "docs" / "assets" / "packages.svg"
BEGIN, END = "<!-- written by resources/write_architecture.py -->\n", "<!-- end -->\n"


def layers() -> list[list[str]]:
    """Return the packages of each layer in ``pyproject.toml``, the uppermost layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (named,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[package.strip() for package in layer.split("|")] for layer in named]


def purpose(package: str) -> str:
    """Return the first sentence of a package's docstring, without its full stop."""
    folder, module = PACKAGE / package / "__init__.py", PACKAGE / f"{package}.py"
    told = ast.get_docstring(ast.parse((folder if folder.exists() else module).read_text(encoding="utf-8"))) or ""
    return told.split("\n\n")[0].replace("\n", " ").replace("``", "`").rstrip(".")


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but for what only checkers of types read."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            yield from _nodes(node)


def imports(package: str) -> frozenset[str]:
    """Return the packages that a package's code imports."""
    module = PACKAGE / f"{package}.py"
    files = [module] if module.exists() else sorted((PACKAGE / package).rglob("*.py"))
    found = set()
    for path in files:
        for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("spark_deid."):
                found.add(node.module.split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "spark_deid":
                found |= {name.name for name in node.names}
    return frozenset(found & {each for layer in layers() for each in layer}) - {package}


def arrows() -> list[tuple[str, str]]:
    """Return pairs of importing and imported package, without pairs that follow from others."""
    direct = {package: imports(package) for layer in layers() for package in layer}
    below: dict[str, frozenset[str]] = {}
    for layer in reversed(layers()):
        for package in layer:
            below[package] = direct[package].union(*(below.get(each, frozenset()) for each in direct[package]))
    return [
        (package, each)
        for package, named in direct.items()
        for each in sorted(named)
        if not any(each in below[other] for other in named - {each})
    ]


def picture() -> str:
    """Return the picture of packages and layers as SVG."""
    return draw_packages(layers(), arrows())


def packages() -> str:
    """Return the picture with its alternative text, and the table of packages, as Markdown."""
    alternative = (
        f"{sum(map(len, layers()))} packages in {len(layers())} layers. Each imports only from layers below it."
    )
    table = ["| layer | package | purpose |", "|---|---|---|"]
    for number, layer in enumerate(layers(), 1):
        table += [f"| {number} | `{package}` | {purpose(package)} |" for package in layer]
    return "\n".join([f"![{alternative}](../assets/{PICTURE.name})", "", *table]) + "\n"


def page() -> str:
    """Return the page with its packages as they are."""
    written = PAGE.read_text(encoding="utf-8")
    before, _, rest = written.partition(BEGIN)
    return f"{before}{BEGIN}{packages()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
