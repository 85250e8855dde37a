"""Apply each mutant to a copy of the package, and see that a unit test fails.

    python tests/mutants/run.py [NAME...]

A mutant is a patch of a line or two, written by hand. Above it stand what is wrong with the code that it makes, and the
test files that must notice: these alone run. A mutant is killed where a test fails; one that survives, that no longer
applies, or whose tests can't be collected ends the run with exit code 1, as do tests that fail without any mutant.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PATCHES = Path(__file__).parent
COPIED = ("spark_deid", "tests", "pyproject.toml")
PRELOADED = ("numba", "numpy", "pyarrow", "pydantic", "pytest", "scipy.sparse", "sklearn.linear_model")
"""Imported once: each mutant's tests run in a fork of this process, which has none of the package's own modules."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest; others tell of tests that were not run."""


class Mutant(NamedTuple):
    """A patch, what is wrong with the code that it makes, and the test files that must notice."""

    patch: Path
    fault: str
    tests: tuple[str, ...]


def read_mutant(patch: Path) -> Mutant:
    """Read the two lines above a patch."""
    fault, tests = patch.read_text(encoding="utf-8").splitlines()[:2]
    return Mutant(patch, fault, tuple(tests.removeprefix("tests: ").split()))


def mutants(names: Sequence[str]) -> Iterator[Mutant]:
    """Yield the mutants of these names, or all."""
    patches = {path.stem: path for path in sorted(PATCHES.glob("*.patch"))}
    unknown = sorted(set(names) - set(patches))
    if unknown:
        raise SystemExit(f"no such mutant: {', '.join(unknown)}")
    yield from (read_mutant(patches[name]) for name in names or patches)


def run_tests(copy: Path, tests: Sequence[str]) -> int:
    """Run test files in a fork of this process, and return pytest's exit code; what they print is thrown away."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 2
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        sys.dont_write_bytecode = True
        # One failing example is enough: the smallest is for people.
        os.environ["HYPOTHESIS_PROFILE"] = "brief"
        import pytest

        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))
    finally:
        os._exit(code)


def apply(copy: Path, mutant: Mutant, *options: str) -> bool:
    """Patch the copy, and tell whether that went without fuzz."""
    command = ["patch", "--strip=1", "--fuzz=0", "--silent", "--force", *options, f"--input={mutant.patch}"]
    return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


def try_mutant(copy: Path, mutant: Mutant) -> str:
    """Return what became of a mutant: ``killed``, or what is wrong."""
    if not apply(copy, mutant, "--dry-run"):
        return "DOES NOT APPLY"
    apply(copy, mutant)
    code = run_tests(copy, mutant.tests)
    apply(copy, mutant, "--reverse")
    return {PASSED: "SURVIVED", FAILED: "killed"}.get(code, f"BROKEN (pytest ended with {code})")


def main() -> None:
    """Try mutants in turn on one copy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="mutants, without .patch; all by default")
    chosen = list(mutants(parser.parse_args().names))
    for name in PRELOADED:
        __import__(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / name)
        everything = sorted({test for mutant in chosen for test in mutant.tests})
        if run_tests(copy, everything) != PASSED:
            raise SystemExit("tests fail without any mutant")
        left = 0
        for mutant in chosen:
            became = try_mutant(copy, mutant)
            left += became != "killed"
            print(f"{became:10} {mutant.patch.stem}: {mutant.fault}", flush=True)
    print(f"{len(chosen) - left} of {len(chosen)} mutants were killed")
    raise SystemExit(1 if left else 0)


if __name__ == "__main__":
    main()
