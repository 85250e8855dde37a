"""Every mutant applies: its lines stand once in the package as it is, and the tests that must notice it are there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "tests" / "mutants").glob("*.patch"))


def lines_before(patch: str) -> Iterator[tuple[str, str]]:
    """Yield each file that a patch changes with lines that a hunk expects in it."""
    file = ""
    for part in re.split(r"^(?=--- a/|@@ )", patch, flags=re.MULTILINE):
        first, _, rest = part.partition("\n")
        if first.startswith("--- a/"):
            file = first.removeprefix("--- a/")
        elif first.startswith("@@ "):
            expected = [line[1:] for line in rest.splitlines() if not line.startswith("+")]
            yield file, "\n".join(expected) + "\n"


@pytest.mark.parametrize("path", PATCHES, ids=lambda path: path.stem)
def test_a_mutant_applies(path: Path) -> None:
    patch = path.read_text(encoding="utf-8")
    tests = patch.splitlines()[1].removeprefix("tests: ").split()
    assert tests
    assert [test for test in tests if not (ROOT / test).is_file()] == []
    hunks = list(lines_before(patch))
    assert hunks
    for file, lines in hunks:
        assert (ROOT / file).read_text(encoding="utf-8").count(lines) == 1, file
