"""Only the package ``engine`` touches an engine beyond the DataFrame API."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3] / "spark_deid"
NAMES = {
    *("sparkContext", "SparkContext", "SparkConf", "_jvm", "_jsc", "_jdf", "_jsparkSession", "_sc", "rdd", "RDD"),
    *("parallelize", "mapPartitions", "Broadcast", "SparkFiles", "addArchive", "addFile", "addPyFile", "addArtifact"),
    *("TaskContext", "setJobGroup", "cancelJobGroup", "addJobTag", "cancelJobsWithTag", "statusTracker"),
    *(
        "StatusTracker",
        "persist",
        "unpersist",
        "sortWithinPartitions",
        "checkpoint",
        "localCheckpoint",
        "StorageLevel",
        "DeltaTable",
    ),
    *("inheritable_thread_target", "InheritableThread", "Py4JError", "Py4JJavaError", "PySparkException"),
}
"""Attributes and imported names that belong to an engine."""
CHOSEN = {"Window", "functions"}
"""Names of PySpark that ``engine.functions`` chooses by the session in use."""
MODULES = (
    "py4j",
    "pyspark.ml",
    "pyspark.errors",
    "pyspark.sql.functions",
    "pyspark.sql.window",
    "pyspark.sql.connect",
    "pyspark.sql.classic",
    "pyspark.sql.pandas.functions",
    "delta",
    "pysail",
    "grpc",
)
UNBOUND = ("DataFrame", "Column")
"""Classes whose methods have no code: each engine has subclasses."""
TEXTS = ("_metadata.", "org.apache.", "java.lang", "hadoop.fs", "OutOfMemoryError", "spark.sparkContext")


def faults(code: str) -> list[str]:
    """Return what a module outside ``engine`` may not name, each with its line."""
    return [f"{line}: {name}" for line, name in sorted(_named(ast.parse(code)))]


def _named(tree: ast.Module) -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            found.add((node.lineno, node.attr))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cache":
            found.add((node.lineno, "cache"))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in UNBOUND:
            found.add((node.lineno, f"{node.value.id}.{node.attr}"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spark_deid"):
            continue
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [f"{module}.{each.name}" for each in node.names]
            found |= {(node.lineno, each) for each in (module, *names) if _is_of(each, MODULES)}
            if module.split(".")[0] == "pyspark":
                found |= {(node.lineno, each.name) for each in node.names if each.name in NAMES | CHOSEN}
        elif isinstance(node, ast.Import):
            found |= {(node.lineno, each.name) for each in node.names if _is_of(each.name, MODULES)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found |= {(node.lineno, text) for text in TEXTS if text in node.value}
    return found


def _is_of(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in modules)


MODULES_OUTSIDE = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "engine")


def test_that_no_module_outside_engine_names_what_only_some_engines_have() -> None:
    found = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8")) for path in MODULES_OUTSIDE}
    assert {name: each for name, each in found.items() if each} == {}
    assert len(MODULES_OUTSIDE) > 500


@pytest.mark.parametrize(
    "code",
    [
        "spark.sparkContext.broadcast(x)",
        "from pyspark import TaskContext",
        "from pyspark.sql import DataFrame, Window",
        "from pyspark.sql import functions as F",
        "from pyspark.ml.feature import Word2Vec",
        "import delta.tables",
        "frame.persist()",
        "reduce(DataFrame.union, frames)",
        "frame.cache()",
        "frame.localCheckpoint(eager=True)",
        "F.col(f'_metadata.{name}')",
        "raise_if('java.lang.OutOfMemoryError')",
        "from pyspark.errors import PySparkException",
    ],
)
def test_that_a_name_of_an_engine_is_seen(code: str) -> None:
    assert faults(code)


def test_that_own_caches_and_docstrings_are_not_taken_for_an_engine() -> None:
    assert not faults('"""Reads org.apache files."""\nfrom functools import cache\n\n@cache\ndef f(): pass\n')
