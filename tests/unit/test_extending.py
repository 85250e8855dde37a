"""The imports of plugins: ``spark_deid.extending``, and old paths of internal modules for one more version."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_deid import extending
from spark_deid.core import moved_modules
from tests.old_plugin import old_names

ROOT = Path(__file__).parents[2]
ALLOWED = {"spark_deid", "spark_deid.extending"}
FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def imported(source: str) -> set[str]:
    """Return the modules of spark_deid that some code imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            found.add("spark_deid.app" if node.module == "spark_deid" and "app" in names else str(node.module))
    return {name for name in found if name.split(".")[0] == "spark_deid"}


def test_type_checkers_see_the_names_that_are_loaded() -> None:
    source = Path(str(extending.__file__)).read_text(encoding="utf-8")
    listed = {
        alias.name: str(node.module).removeprefix("spark_deid.")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and all(alias.asname for alias in node.names)
        for alias in node.names
    }
    assert listed == dict(extending._MODULES)
    assert set(listed) <= set(dir(extending))


def test_every_name_loads() -> None:
    assert [name for name in extending._MODULES if getattr(extending, name, None) is None] == []
    with pytest.raises(AttributeError, match="'Sapn'"):
        extending.Sapn  # type: ignore[attr-defined]  # noqa: B018


def test_a_plugin_without_spark_loads_no_spark() -> None:
    script = (
        "import sys; from spark_deid.extending import CorpusFormat, DetectorKind, ModelKind, TechniqueKind;"
        "assert not {'pyspark', 'numba', 'pandas', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("folder", ["examples", "packages"])
def test_examples_and_packages_import_public_modules_only(folder: str) -> None:
    paths = [path for path in (ROOT / folder).rglob("*.py") if "build" not in path.parts]
    assert paths
    assert {str(path): imported(path.read_text(encoding="utf-8")) - ALLOWED for path in paths} == {
        str(path): set() for path in paths
    }


@pytest.mark.parametrize("pages", ["docs/**/*.md", "packages/*/*.md", "examples/**/*.md", "*.md"])
def test_docs_import_public_modules_only(pages: str) -> None:
    wrong = set()
    for page in ROOT.glob(pages):
        for code in FENCE.findall(page.read_text(encoding="utf-8")):
            lines = re.findall(r"^\s*(?:from|import) (spark_deid[\w.]*)", code, re.MULTILINE)
            wrong |= {(page.name, module) for module in lines if module not in ALLOWED}
    assert wrong == set()


def test_every_old_name_can_still_be_imported() -> None:
    names = sorted(set(old_names()))
    assert len(names) > 50
    script = (
        "import json, sys\n"
        "for module, name in json.loads(sys.stdin.read()):\n"
        "    exec(f'from {module} import {name}')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, input=json.dumps(names), text=True)


def test_an_old_path_gives_the_moved_module_with_a_warning() -> None:
    script = (
        "import sys, warnings, spark_deid\n"
        "from spark_deid.core import moved_modules\n"
        "moved_modules.MOVED = {'basis': 'core', 'basis.spans': 'core.span'}\n"
        "moved_modules.serve_moved_modules()\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    from spark_deid.basis.edit import Edit\n"
        "    import spark_deid.basis.spans as old\n"
        "import spark_deid.core.span as new, spark_deid.core.edit as edit\n"
        "assert old is new and new.__spec__.name == 'spark_deid.core.span' and edit.Edit is Edit\n"
        "assert [each.category for each in caught] == [DeprecationWarning] * 3\n"
        "assert 'spark_deid.basis.spans is now spark_deid.core.span' in str(caught[-1].message)\n"
        "assert caught[-1].filename == '<string>', caught[-1].filename\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_each_row_names_a_path_that_is_gone_and_one_that_exists() -> None:
    def exists(module: str) -> bool:
        place = ROOT.joinpath("spark_deid", *module.split("."))
        return place.is_dir() or place.with_suffix(".py").exists()

    assert [old for old in moved_modules.MOVED if exists(old)] == []
    assert [new for new in moved_modules.MOVED.values() if not exists(new)] == []
