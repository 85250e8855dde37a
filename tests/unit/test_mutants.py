"""Every mutant applies: its text is in one place of the function that it names, and its test files exist."""

from pathlib import Path

import pytest

from tests.mutants.mutant import CodeChange, CodeMutant, MutantMismatch, find_tests, mutated_texts, read_mutants

ROOT = Path(__file__).parents[2]
MUTANTS = read_mutants()
CODE = '''
LIMIT = 3

def count(values):
    """Return len(values) if any."""
    return len(
        values,
    )

class Counter:
    def count(self, values):
        return sum(values) + LIMIT
'''


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_mutant_applies(mutant: CodeMutant) -> None:
    assert find_tests(ROOT / "tests", mutant)
    changed = mutated_texts(ROOT / "spark_deid", mutant)
    for path, text in changed.items():
        compile(text, str(path), "exec")
        assert text != path.read_text(encoding="utf-8")


def mutated(tmp_path: Path, *changes: CodeChange) -> str:
    """Change the one file of a small package."""
    path = tmp_path / "package" / "counting.py"
    path.parent.mkdir()
    path.write_text(CODE, encoding="utf-8")
    return mutated_texts(path.parent, CodeMutant("", "", (), changes))[path]


def test_a_change_is_found_by_name_whatever_docstrings_and_line_breaks_state(tmp_path: Path) -> None:
    change = CodeChange("count", "len(values)", "0")
    assert mutated(tmp_path, change) == CODE.replace("len(\n        values,\n    )", "0")


def test_a_class_and_a_constant_are_names_too(tmp_path: Path) -> None:
    changes = CodeChange("Counter.count", "LIMIT", "1"), CodeChange("LIMIT", "3", "4")
    assert mutated(tmp_path, *changes) == CODE.replace("+ LIMIT", "+ 1").replace("= 3", "= 4")


@pytest.mark.parametrize(
    "change", [CodeChange("count", "values", "0"), CodeChange("count", "value", "0")], ids=["two", "none"]
)
def test_a_change_of_several_places_or_none_is_refused(tmp_path: Path, change: CodeChange) -> None:
    with pytest.raises(MutantMismatch, match="expected one"):
        mutated(tmp_path, change)
