"""Apply each mutant to a copy of the package, and see that a unit test fails.

    python tests/mutants/run.py [NAME...]

A mutant replaces an expression of a function. It states what is wrong with the changed code, and names the test files
that must notice: these alone run. A mutant is killed where a test fails; one that survives, that fits no place of the
code, or whose tests can't be collected ends the run with exit code 1, as do tests that fail without any mutant.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.mutants.mutant import CodeMutant, MutantMismatch, find_tests, mutated_texts, read_mutants  # noqa: E402

COPIED = ("spark_deid", "tests", "pyproject.toml")
PRELOADED = ("numba", "numpy", "pyarrow", "pydantic", "pytest", "scipy.sparse", "sklearn.linear_model")
"""Imported once: each mutant's tests run in a fork of this process, which has not one of the package's own modules."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest; others reveal tests that were not run."""


def chosen_mutants(names: Sequence[str]) -> list[CodeMutant]:
    """Return the mutants of these names, or all."""
    mutants = read_mutants()
    unknown = sorted(set(names) - set(mutants))
    if unknown:
        raise SystemExit(f"no such mutant: {', '.join(unknown)}")
    return [mutants[name] for name in names or mutants]


def run_tests(copy: Path, tests: Sequence[Path]) -> int:
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

        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *map(str, tests)]))
    finally:
        os._exit(code)


def try_mutant(copy: Path, mutant: CodeMutant) -> str:
    """Return what became of a mutant: ``killed``, or what is wrong."""
    try:
        changed = mutated_texts(copy / "spark_deid", mutant)
    except MutantMismatch as error:
        return f"DOES NOT APPLY: {error}"
    before = {path: path.read_text(encoding="utf-8") for path in changed}
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    code = run_tests(copy, find_tests(copy / "tests", mutant))
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")
    return {PASSED: "SURVIVED", FAILED: "killed"}.get(code, f"BROKEN (pytest ended with {code})")


def main() -> None:
    """Try mutants in turn on one copy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="mutants; all by default")
    chosen = chosen_mutants(parser.parse_args().names)
    for name in PRELOADED:
        __import__(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / name)
        everything = sorted({test for mutant in chosen for test in find_tests(copy / "tests", mutant)})
        if run_tests(copy, everything) != PASSED:
            raise SystemExit("tests fail without any mutant")
        left = 0
        for mutant in chosen:
            became = try_mutant(copy, mutant)
            left += became != "killed"
            print(f"{became:10} {mutant.name}: {mutant.fault}", flush=True)
    print(f"{len(chosen) - left} of {len(chosen)} mutants were killed")
    raise SystemExit(1 if left else 0)


if __name__ == "__main__":
    main()
