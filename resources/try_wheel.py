"""Use installed packages from a folder where nothing of the project lies: version, plans, a stream, a release.

try_wheel.py SITE    SITE is the folder into which the wheels were installed

Delta's JARs are those of the package that brings them: what would be fetched comes from where nobody serves.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement

import spark_deid as sd
from spark_deid.engine.jars import find_jars
from spark_deid.plan.load import shipped_plans

GIVEN = "Write to ann@example.org.\nNo change.\n"
ENGINES = {"pyspark", "pyspark-client", "delta-spark", "pysail", "py4j"}
EXPECTED = "Write to [EMAIL].\nNo change.\n"


def said(*arguments: str, given: str = "") -> str:
    """Run a command as the installed script does, and return what it prints."""
    command = [sys.executable, "-m", "spark_deid.cli", *arguments]
    environment = os.environ | {"SPARK_DEID_MAVEN": "http://127.0.0.1:9"}
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return done.stdout


def reached(name: str) -> set[str]:
    """Return the packages that an installed one needs without extras, by the metadata of each."""
    found, waiting = set[str](), [Requirement(name)]
    while waiting:
        package = waiting.pop()
        for line in requires(package.name) or ():
            needed = Requirement(line)
            extras = package.extras or {""}
            is_needed = needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras)
            if is_needed and needed.name.lower() not in found:
                found.add(needed.name.lower())
                waiting.append(needed)
    return found


def try_wheel(site: Path) -> None:
    """Raise AssertionError where something that the wheel should hold is not there, or does not work."""
    assert Path(str(sd.__file__)).is_relative_to(site), f"{sd.__file__} is not the one that was installed"
    assert said("--version").strip() == sd.__version__ == version("spark-deid")
    base = reached("spark-deid")
    assert {"numpy", "jinja2", "markupsafe"} <= base
    assert not base & ENGINES, f"the base reaches packages of an engine: {base & ENGINES}"
    assert {path.parent for path in find_jars()} == {site / "spark_deid_jars" / "jars"}
    assert said("redact", "--plan", "patterns", given=GIVEN) == EXPECTED
    assert sd.Plan.load("names").settings.models[0].rounds  # the model is there, and whole
    listed = said("plans")
    assert all(name in listed for name in shipped_plans())
    said("plans", "patterns", "--copy")
    said("run", "patterns.yaml", "--json", "figures.json")  # its input is a sample, which lies in the package
    assert json.loads(Path("figures.json").read_text(encoding="utf-8"))["documents"] > 0
    assert Path("out/patterns/release/report.html").is_file()


if __name__ == "__main__":
    try_wheel(Path(sys.argv[1]).resolve())
    print("the wheel works from another folder")
