"""A suppression that writes what was there, and a placeholder that states what it hides, must not pass."""

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, faults_of
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.mask import mask
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.rewriting.suppress import placeholder

PLACEHOLDERS = {"suppress": placeholder, "mask": lambda label: "★"}
STARS = PreparedRule("mask", lambda document, spans: mask(document, spans, per="run"), PLACEHOLDERS["mask"])


def written(text: str, span: Span, *, listed: tuple[str, ...] = ()) -> str:
    return apply_edits(text, decide(Document("d", text), [span], PreparedRules({}, listed=frozenset(listed))).edits)


def faults(text: str, replacement: str, label: str, technique: str = "suppress", *, listed: str = "") -> CoverageFaults:
    whole = len(text)
    edit = CheckedEdit(0, whole, technique, replacement, "whatever the edit says")
    return faults_of(text, replacement, [(0, whole, label)], [edit], PLACEHOLDERS, (listed,))


@pytest.mark.parametrize("label", ["Smith", "NAME"])
def test_text_that_is_its_own_placeholder_is_removed(label: str) -> None:
    text = f"[{label}]"
    span = Span(0, len(text), label)
    assert written(text, span) == "[REMOVED]"
    assert written(text, span, listed=(text,)) == text


@pytest.mark.parametrize(
    ("text", "replacement", "label"),
    [
        ("Ann", "Ann", "NAME"),
        ("[Smith]", "[Smith]", "Smith"),
        ("Ann", "[Ann]", "NAME"),
        ("Ann", "[REMOVED]", "NAME"),
        ("Ann", "[NAME][NAME]", "NAME"),
        ("Ann", "", "NAME"),
        ("[REMOVED]", "[REMOVED]", "NAME"),
    ],
)
def test_the_checker_makes_the_expected_placeholder_itself(text: str, replacement: str, label: str) -> None:
    told = faults(text, replacement, label)
    assert told.unchanged + told.unexpected > 0


@pytest.mark.parametrize(
    ("text", "replacement", "label"), [("Ann", "[NAME]", "NAME"), ("[Smith]", "[REMOVED]", "Smith")]
)
def test_what_the_enforcer_writes_passes(text: str, replacement: str, label: str) -> None:
    assert written(text, Span(0, len(text), label)) == replacement
    assert faults(text, replacement, label) == CoverageFaults(documents=1)


def test_what_is_listed_and_a_star_may_be_put_back() -> None:
    assert faults("[NAME]", "[NAME]", "NAME", listed="[NAME]") == CoverageFaults(documents=1)
    assert faults("[NAME]", "[NAME]", "CITY", listed="[NAME]").unexpected == 1
    assert faults("★", "★", "RARE", technique="mask") == CoverageFaults(documents=1)
    stars = decide(Document("d", "★"), [Span(0, 1, "RARE")], PreparedRules({"RARE": STARS}))
    assert [edit.replacement for edit in stars.edits] == ["★"]


def test_a_text_with_a_mark_of_a_technique_s_own_is_suppressed() -> None:
    angle = PreparedRule("angle", lambda document, spans: [Edit(0, 3, "angle", "<A>")], "<{}>".format)
    decided = decide(Document("d", "<A>"), [Span(0, 3, "A")], PreparedRules({"A": angle}))
    assert [edit.replacement for edit in decided.edits] == ["[A]"]
    assert decided.handed_back == (("angle", "unchanged", 1),)
