"""Counts of gold that edits leave, on documents which a reader can count."""

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.evaluation.residual_text import (
    JudgedRules,
    JudgedText,
    TextPiece,
    count_mistakes,
    count_residuals,
    judged_pieces,
)

TEXT = "Ann Lee, born 3/4/1960, of Boston."
GOLD = [Span(0, 7, "NAME"), Span(14, 22, "DATE"), Span(27, 33, "CITY")]
RULES = JudgedRules(frozenset({"patterns"}), generic=frozenset({"hospital"}), moving=frozenset({"shift"}))
KINDS = ("whole", "part", "by_rule", "by_allow", "all")


def residual(document: JudgedText, measure: str, label: str, rules: JudgedRules = RULES) -> tuple[int, ...]:
    counts = count_residuals([document], rules)
    return tuple(counts[measure, label, kind] for kind in KINDS)


def edited(text: str, before: str, after: str, technique: str = "surrogate") -> JudgedText:
    start = text.index(before)
    end = start + len(before)
    return JudgedText(text, [Span(start, end, "X")], [], [LabelledEdit(start, end, technique, after, "X")])


def test_patterns_hide_the_date_and_leave_name_and_city() -> None:
    document = JudgedText(TEXT, GOLD, [], [LabelledEdit(14, 22, "suppress", "[DATE]", "DATE")])

    assert [residual(document, "residual_entities", label)[::4] for label in ("NAME", "DATE", "CITY")] == [
        (1, 1),
        (0, 1),
        (1, 1),
    ]
    assert [residual(document, "residual_words", label)[::4] for label in ("NAME", "DATE", "CITY")] == [
        (2, 2),
        (0, 3),
        (1, 1),
    ]
    counts = count_residuals([document], RULES)
    assert (counts["other_words", "", "hidden"], counts["other_words", "", "all"]) == (0, 2)
    assert residual(document, "residual_words", "") == (3, 0, 0, 0, 6)
    assert count_mistakes(document, RULES) == (3, 0)


def test_a_word_of_which_a_character_remains_is_left_in_part() -> None:
    document = JudgedText(TEXT, GOLD, [], [LabelledEdit(0, 6, "suppress", "[NAME]", "NAME")])

    assert residual(document, "residual_words", "NAME") == (0, 1, 0, 0, 2)
    assert residual(document, "residual_entities", "NAME") == (0, 1, 0, 0, 1)


def test_an_edit_that_changes_no_character_hides_nothing() -> None:
    assert residual(edited("of Boston", "Boston", "Boston"), "residual_words", "X") == (1, 0, 0, 0, 1)


def test_an_unchanged_number_or_general_word_is_not_hidden() -> None:
    for text, word in (("age 43", "43"), ("is J", "J"), ("at hospital", "hospital")):
        for technique in ("surrogate", "shift"):
            assert residual(edited(text, word, word, technique), "residual_words", "X") == (1, 0, 0, 0, 1)


def test_a_word_that_keeps_its_place_in_a_replacement_is_left() -> None:
    assert residual(edited("by Ann Lee", "Ann Lee", "Ann Moor"), "residual_words", "X") == (1, 0, 0, 0, 2)
    assert residual(edited("by Ann Lee", "Ann Lee", "Eva May LEE"), "residual_words", "X") == (1, 0, 0, 0, 2)


def test_what_surrogates_leave_equal_by_rule_is_hidden() -> None:
    for before, after in (
        ("J. Lee", "J. Moor"),
        ("7b, 3", "9c, 3"),
        ("43 years", "43 months"),
        ("Lee Hospital", "Moor Hospital"),
    ):
        assert residual(edited(f"at {before}", before, after), "residual_words", "X")[0] == 0


def test_the_year_of_a_moved_date_is_hidden_with_it() -> None:
    assert residual(edited("on 3/4/1960", "3/4/1960", "3/9/1960", "shift"), "residual_words", "X") == (0, 0, 0, 0, 3)


def test_what_rules_and_allow_keep_is_counted_separately() -> None:
    found = [Span(0, 7, "NAME", None, "patterns/allowed"), Span(27, 33, "CITY", None, "patterns")]
    document = JudgedText(TEXT, GOLD, found, [])
    keeping = RULES._replace(kept_labels=frozenset({"CITY"}))

    assert residual(document, "residual_words", "NAME", keeping) == (2, 0, 0, 2, 2)
    assert residual(document, "residual_entities", "CITY", keeping) == (1, 0, 1, 0, 1)
    assert residual(document, "residual_words", "CITY", keeping._replace(detectors=frozenset())) == (1, 0, 0, 0, 1)


def test_pieces_show_mistakes_and_make_up_the_text() -> None:
    edits = [LabelledEdit(14, 22, "suppress", "[DATE]", "DATE"), LabelledEdit(9, 13, "suppress", "[X]", "X")]
    pieces = judged_pieces(JudgedText(TEXT, GOLD, [], edits), RULES)

    assert "".join(piece.text for piece in pieces) == TEXT
    assert [piece for piece in pieces if piece.kind] == [
        TextPiece("Ann Lee", "missed", "NAME"),
        TextPiece("born", "vain"),
        TextPiece("3/4/1960", "hidden", "DATE"),
        TextPiece("Boston", "missed", "CITY"),
    ]


def test_an_entity_in_pieces_is_one() -> None:
    gold = [Span(0, 3, "NAME", None, "gold", "T1"), Span(27, 33, "NAME", None, "gold", "T1")]

    assert residual(JudgedText(TEXT, gold, [], []), "residual_entities", "NAME") == (1, 0, 0, 0, 1)
