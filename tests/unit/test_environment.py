"""The page of environment variables: it lists the variables of the package that the code names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
VARIABLE = re.compile(r"\bSPARK_DEID_[A-Z_]+\b")


def test_each_variable_of_the_package_is_listed() -> None:
    files = [*ROOT.glob("spark_deid/**/*.py"), *ROOT.glob("jobs/*.py"), *ROOT.glob("docker/*.y*ml"), ROOT / "dev"]
    used = {name for file in files for name in VARIABLE.findall(file.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    assert set(VARIABLE.findall(page)) == used
