"""Words of removed names that remain, counted by other code than the detector's."""

from random import Random

from spark_deid.release.remaining_names import add_remaining, count_remaining, remaining_words, removed_words


def test_words_of_names_are_those_with_an_uppercase_letter_if_there_are_any() -> None:
    assert sorted(removed_words([("NAME", "Dr. José van der Pérez, a nurse"), ("NAME", "anna")])) == [
        "anna",
        "jose",
        "perez",
    ]


def test_a_word_remains_where_it_begins_with_an_uppercase_letter() -> None:
    removed = removed_words([("NAME", "Robert Pérez"), ("NAME", "Ed")])
    text = "Robert, ROBERT, robert, Roberts, Perez, Pe\u0301rez, xPerez, Perez2, ED, Ed"
    assert [*remaining_words(text, removed)] == ["robert", "robert", "perez", "perez", "ed"]
    assert [*remaining_words("Robert, ROBERT, robert, Roberts, ED, Ed", removed)] == ["robert", "robert", "ed"]


def test_counts_of_parts_are_added() -> None:
    one, two = count_remaining([[("NAME", "robert")]]), count_remaining([[("PER", "may")], [("NAME", "white")]])
    assert {label: tuple(each) for label, each in add_remaining([one, two]).items()} == {
        "NAME": (2, 1, 1),
        "PER": (1, 1, 0),
    }


def test_words_of_latin_1_are_those_of_any_text() -> None:
    pieces = ("Ana", "ÉRIC", "ñandú", "Øl", "A", "x", "2", "_", "²", "ª", " ", "-", "É", "b", "ÿ", "\n")
    removed = dict.fromkeys(("ana", "eric", "ol", "anab", "erica", "ab", "ay"), ("NAME", True))
    draws = Random(3)
    for _ in range(2000):
        text = "".join(draws.choices(pieces, k=8))
        assert [*remaining_words(text, removed)] == [*remaining_words(f"{text} \u0416", removed)]
