"""Plans whose aliases represent more than anybody writes, or for themselves: refused with the line, in linear time."""

import time
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.load import MOST_VALUES, load_plan

HEAD = "input: {path: notes, format: text}\nworkspace: w\nrelease: r\npatterns: {kinds: [email]}\n"


def bomb(levels: int, kind: str) -> str:
    """Write a plan of that many levels, each of which holds the one before ten times."""
    first, many = ("[x]", "[{}]") if kind == "lists" else ("{a: x}", "{{{}}}")
    lines = [f"a0: &a0 {first}"]
    for level in range(1, levels):
        names = [f"*a{level - 1}"] * 10
        inner = names if kind == "lists" else [f"k{number}: {name}" for number, name in enumerate(names)]
        lines.append(f"a{level}: &a{level} " + many.format(", ".join(inner)))
    return HEAD + "\n".join(lines) + "\n"


@pytest.mark.parametrize("kind", ["lists", "mappings"])
@pytest.mark.parametrize("levels", [9, 200])
def test_a_bomb_of_aliases_is_refused_soon(tmp_path: Path, kind: str, levels: int) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(bomb(levels, kind))
    began = time.process_time()
    with pytest.raises(UsageError, match=rf"plan.yaml: line \d+: .* more than {MOST_VALUES} values"):
        load_plan(plan)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("value", ["&a [*a]", "&a {b: *a}", "&a [[[{b: [*a]}]]]", "&a {? *a : b}"])
def test_what_holds_itself_is_refused_with_its_line(tmp_path: Path, value: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"{HEAD}rules: {value}\n")
    with pytest.raises(UsageError, match=r"plan.yaml: line 5: the value contains itself"):
        load_plan(plan)
    with pytest.raises(UsageError, match="--set rules: line 1: the value contains itself"):
        load_plan(Path("conf/patterns.yaml"), [f"rules={value}"])


@pytest.mark.thorough
def test_a_mapping_of_many_keys_is_read_in_linear_time(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(HEAD + "labels:\n" + "".join(f"  L{number}: M\n" for number in range(49_000)))
    began = time.process_time()
    assert len(load_plan(plan).labels) == 49_000
    assert time.process_time() - began < 12  # 20 s and more where each key was compared with all before it


def test_aliases_of_a_person_s_plan_are_taken(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"{HEAD}rules: {{NAME: &hide {{technique: mask, per: character}}, CITY: *hide}}\n")
    rules = load_plan(plan).rules_by_label
    assert rules["NAME"] == rules["CITY"]
