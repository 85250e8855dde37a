"""Python as a new user tries it: the page, the notebook, the script, and a session without Delta."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spark_deid as sd
from resources import write_tutorials as written

ROOT = Path(__file__).parents[2]
NOTES = "id,note,patient\n7,Datos: Ana. Tel. 212-555-0147 o ana@example.org,p1\n8,,p1\n"
WITHOUT_DELTA = """
import pandas as pd
import spark_deid as sd
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.range(1).count()  # a session adds to its settings when it is first used
before = dict(spark.sparkContext.getConf().getAll()), spark.conf.get("spark.sql.session.timeZone")
plan = {"patterns": {"kinds": "all"}, "repeats": {"k": 2, "min_length": 3}}
notes = pd.DataFrame({"doc_id": ["a", "b"], "text": ["Call 212-555-0147 now"] * 2})
of_spark = sd.sanitize(spark.createDataFrame(notes), plan).documents
of_pandas = sd.sanitize(notes, plan).documents
assert [row["text"] for row in of_spark.collect()] == list(of_pandas["text"]) == ["Call [PHONE] now"] * 2
assert before == (dict(spark.sparkContext.getConf().getAll()), spark.conf.get("spark.sql.session.timeZone"))
try:
    spark.createDataFrame(notes).write.format("delta").save("table")
except Exception as error:
    assert "DATA_SOURCE_NOT_FOUND" in str(error)
else:
    raise AssertionError("the session has Delta")
"""
ALONE = """
import runpy
import sys

from pyspark import SparkContext

del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
assert SparkContext._active_spark_context is None and SparkContext._gateway is None
"""


def python(folder: Path, *arguments: object) -> str:
    """Run Python in a folder, with a separate place for what is temporary."""
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "PYSPARK_PYTHON": sys.executable}
    given = [sys.executable, *map(str, arguments)]
    done = subprocess.run(given, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert not list(temporary.glob("spark-deid-*"))
    return done.stdout


def written_pages() -> str:
    """Return the pages whose blocks of Python run one after another: the how-to guide and the reference."""
    pages = (ROOT / "docs" / "how-to" / "sanitize-dataframe.md", ROOT / "docs" / "reference" / "python.md")
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run every block of the pages, one after another, in a folder with the plans; return the folder."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "conf").symlink_to(ROOT / "conf")
    blocks = re.findall(r"^```python\n(.*?)^```", written_pages(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 10
    script = folder / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    (folder / "told").write_text(python(folder, script), encoding="utf-8")
    return folder


@pytest.mark.thorough
def test_the_page_teaches_what_works(taught: Path) -> None:
    told = (taught / "told").read_text()
    assert "PHONE 212-555-0147" in told
    page = (ROOT / "docs" / "how-to" / "sanitize-dataframe.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert shown in told
    assert (taught / "out" / "release" / "report.html").exists()
    assert not (taught / "spark-warehouse").exists()


@pytest.mark.thorough
def test_the_script_sanitizes_a_table_in_a_session_that_is_started_and_ends(taught: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text(NOTES)
    script = ROOT / "examples" / "sanitize_frame.py"
    told = python(tmp_path, "-c", ALONE, script, "notes.csv", taught / "models" / "notes", "out.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"tmp", "notes.csv", "out.csv"}
    assert "rejects: no-text 1" in told
    published = (tmp_path / "out.csv").read_text()
    assert published.startswith("doc_id,text\n7,Datos")
    assert "212-555-0147" not in published
    assert "ana@example.org" not in published
    assert len([line for line in script.read_text().splitlines() if line and not line.startswith('"""')]) <= 10


@pytest.mark.thorough
def test_the_notebook_runs_and_its_page_shows_what_it_gives(tmp_path: Path) -> None:
    cells = written.executed(tmp_path)
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert all(output["output_type"] != "error" for output in outputs)
    shown = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert sum('class="spark-deid"' in html for html in shown) == 4  # spans twice, the result, its edits
    page = (written.PAGES / written.OF_NOTEBOOK).read_text(encoding="utf-8")
    assert written.notebook_page(cells) == page, "run resources/write_tutorials.py"


def test_the_notebook_is_kept_without_outputs() -> None:
    assert '"outputs": []' in (text := (ROOT / "examples" / "sanitize.ipynb").read_text())
    assert '"output_type"' not in text


@pytest.mark.thorough
def test_a_session_without_delta_is_enough_and_is_unchanged(tmp_path: Path) -> None:
    python(tmp_path, "-c", WITHOUT_DELTA)


def test_the_package_names_what_the_page_teaches() -> None:
    assert set(re.findall(r"\bsd\.(\w+)", written_pages())) <= set(dir(sd))
