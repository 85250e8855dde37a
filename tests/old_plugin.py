"""The example plugin as it was in version 0.1.0, which imports internal modules by their old paths."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "plugin_0_1_0"
DOCUMENTED = (
    ("spark_deid.plausibility.term_generalization", "GeneralizationRequest"),
    ("spark_deid.plausibility.term_generalization", "PathStart"),
    ("spark_deid.plausibility.spark.udf", "write_generalized"),
    ("spark_deid.plausibility.spark.table", "QuasiColumn"),
    ("spark_deid.plausibility.spark.table", "generalize_rows"),
    ("spark_deid.plausibility.spark.table", "recount_rows"),
    ("spark_deid.core.hashing", "file_sha256"),
    ("spark_deid.app", "ModelsOptions"),
    ("spark_deid.app", "models"),
    ("spark_deid.token_classification.shipped", "ENGLISH_NEURAL"),
    ("spark_deid.token_classification.shipped", "classifier_folder"),
)
"""Names that The docs and the tests of packages/english_neural imported in version 0.1.0."""


def install_old_plugin(folder: Path) -> None:
    """Write the plugin, its tests and its entry points below a folder."""
    for path in FOLDER.rglob("*.txt"):
        place = folder / path.relative_to(FOLDER).with_suffix("")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(path.read_bytes())
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / "spark_deid_wards-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


def old_names() -> Iterator[tuple[str, str]]:
    """Yield every module of spark_deid and name that the plugin, the packages and docs imported in version 0.1.0."""
    yield from DOCUMENTED
    for path in FOLDER.rglob("*.py.txt"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "spark_deid":
                yield from ((str(node.module), alias.name) for alias in node.names)
