"""Pseudonyms give way to originals: exactly in a released text, by the longest form elsewhere."""

from pathlib import Path

import pytest

from spark_deid.app.options.assessing import RestoreOptions
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.surrogates.restoring import PseudonymizedText, restore

TEXT = "Ann Lee, 40, slept. LEE woke; [NAME 10] is a form."
EDITS = (
    Edit(0, 7, "pseudonym", "[NAME 1]"),
    Edit(9, 11, "suppress", "[AGE]"),
    Edit(20, 23, "pseudonym", "[NAME 1]"),
)
DOCUMENT = PseudonymizedText(TEXT, EDITS)


def test_a_released_text_comes_back_exactly_but_for_other_edits() -> None:
    found = restore(apply_edits(TEXT, EDITS), [PseudonymizedText("other", ()), DOCUMENT])
    assert found == ("Ann Lee, [AGE], slept. LEE woke; [NAME 10] is a form.", 2, 0, True)


def test_other_text_has_the_longest_form() -> None:
    found = restore("[NAME 1] and [NAME 10] and [name 1] and name 1", [DOCUMENT])
    assert found == ("Ann Lee and [NAME 10] and [name 1] and name 1", 1, 0, False)


def test_leniently_case_and_brackets_do_not_matter_and_are_counted() -> None:
    found = restore("[NAME 1], [name 1], Name 1, surname 1, name 12", [DOCUMENT], lenient=True)
    assert found == ("Ann Lee, Ann Lee, Ann Lee, surname 1, name 12", 3, 2, False)


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("ISIM", "İsım 1"),
        ("TITEL", "titel\u00ad 1"),
        ("FIRM", "ﬁrm 1"),
        ("STRASSE", "Straße 1"),
        ("ΟΔΟΣ", "οδος 1"),
        ("KEY", "\u212aey 1"),
        ("CAFÉ", "cafe\u0301 1"),
    ],
)
def test_odd_letters_are_read_leniently_and_places_remain_right(label: str, written: str) -> None:
    document = PseudonymizedText("Ann", (Edit(0, 3, "pseudonym", f"[{label} 1]"),))
    around = "ẞﬁİ ς: {}, {}12, ﬁnal."
    found = restore(around.format(written, written), [document], lenient=True)
    assert found == (around.format("Ann", written), 1, 1, False)


def test_labels_that_differ_in_case_are_two_and_leniently_left_where_both_may_be_meant() -> None:
    edits = (Edit(0, 3, "pseudonym", "[NAME 1]"), Edit(4, 7, "pseudonym", "[Name 1]"))
    documents = [PseudonymizedText("Ann Eve", edits)]
    assert restore("[NAME 1], [Name 1].", documents).text == "Ann, Eve."
    found = restore("[NAME 1], [Name 1], name 1.", documents, lenient=True)
    assert found == ("Ann, Eve, name 1.", 2, 0, False)


def test_without_pseudonyms_nothing_changes() -> None:
    assert restore("[NAME 1]", [PseudonymizedText("x", ())]).text == "[NAME 1]"


def test_originals_are_not_written_into_a_release(tmp_path: Path) -> None:
    (tmp_path / "documents" / "_delta_log").mkdir(parents=True)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match="outside of releases"):
        RestoreOptions(file="x", workspace="w", document="d", output=str(tmp_path / "deep" / "restored.txt"))
    with pytest.raises(UsageError, match="either --document or --subject"):
        RestoreOptions(file="x", workspace="w")
