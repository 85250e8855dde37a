import pytest

from spark_deid.rewriting.telling_labels import (
    LONGEST_TAG,
    MOST_TAGS,
    LabelTexts,
    consists_of_tags,
    stand_ins,
    tags_among,
)

REMOVED = ["Quincy Zímtmann", "617-555-0143", "Li", "Mercy Hospital"]


@pytest.mark.parametrize(
    "label",
    [
        *("Zimt", "zimtmann", "ZÍMTMANN", "Quincy_Zimtmann", "DR_Zimtmann", "drzimtmann", "NAME_Zimtmann7", "Li", "LI"),
        *("6175550143", "X-6175550143", "mercy", "XMercyX", "z-i-m-t-m-a-n-n"),
    ],
)
def test_labels_that_hold_removed_text_or_are_in_it_are_reported(label: str) -> None:
    assert LabelTexts.of([label, "PERSONNEL"]).labels_in(REMOVED) == {label}


@pytest.mark.parametrize("label", ["PERSONNEL", "BADGE_7", "Lima", "merchant", "zim", "名前", "X555"])
def test_near_misses_show_nothing(label: str) -> None:
    assert not LabelTexts.of([label]).labels_in(REMOVED)


def test_named_labels_and_words_of_tags_are_not_looked_at() -> None:
    labels = ["Zimtmann", "HOSPITAL", "first-name", "WARD", "P" * LONGEST_TAG, "P" * (LONGEST_TAG + 1)]
    assert tags_among(labels, {"Zimtmann"}) == (["P" * LONGEST_TAG], ["P" * (LONGEST_TAG + 1)])
    assert tags_among(labels, {"WARD"})[0] == ["P" * LONGEST_TAG, "Zimtmann"]
    assert not consists_of_tags("NAME_" * 9)
    assert not consists_of_tags("ID_12345")


@pytest.mark.parametrize("label", ["\N{GREEK CAPITAL LETTER ZETA}imtmann", "DR_Zimtm\N{CYRILLIC SMALL LETTER A}nn"])
def test_words_of_letters_that_only_look_like_others_are_no_tags(label: str) -> None:
    assert tags_among([label], ()) == ([], [label])


@pytest.mark.parametrize("label", ["ID_Пациент", "Ιατρός", "Straßenname", "患者ID", "Ωμέγα-Zimt"])
def test_tags_of_one_alphabet_a_word_remain(label: str) -> None:
    assert tags_among([label], ()) == ([label], [])


def test_so_many_labels_are_no_tags() -> None:
    many = [f"Q{n}Q" for n in range(MOST_TAGS + 1)]
    assert tags_among(many[:-1], ()) == (sorted(many[:-1]), [])
    assert tags_among(many, ()) == ([], sorted(many))


def test_numbers_are_by_a_key_and_not_in_use() -> None:
    labels = [f"x{n}" for n in range(20)]
    shown = stand_ins(labels, {"LABEL_2"}, b"k" * 32)
    assert sorted(shown.values()) == sorted(f"LABEL_{n}" for n in range(1, 22) if n != 2)
    assert shown == stand_ins(reversed(labels), {"LABEL_2"}, b"k" * 32)
    assert shown != stand_ins(labels, {"LABEL_2"}, b"l" * 32)
    assert [shown[label] for label in labels] != sorted(shown.values(), key=lambda name: int(name[6:]))
