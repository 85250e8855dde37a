"""Languages are recognized by a short sample: near ones are one, and a text without one goes to every model."""

import copy
import pickle

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.text.language import (
    checked_language,
    in_language,
    known_languages,
    language_chances,
    language_of,
    languages_for,
    plain_language,
    said_of,
)

GERMAN = "Der Patient wurde gestern entlassen und kommt am Montag zur Kontrolle. "
SPANISH = "El paciente fue dado de alta ayer y vuelve el lunes para una revisión. "
FINNISH = "Potilas kotiutettiin eilen, ja hän tulee maanantaina uudelleen tutkittavaksi. "
NYNORSK = "Pasienten vart skriven ut i går, og han kjem attende til kontroll på måndag. Eg veit ikkje meir. "
KNOWN = {"de", "en", "es", "no"}


@pytest.mark.parametrize(("text", "language"), [(GERMAN, "de"), (SPANISH, "es"), (NYNORSK, "no"), (FINNISH, "fi")])
def test_a_text_is_in_its_language(text: str, language: str) -> None:
    assert language_of(text) == language_of(text * 20) == language
    assert languages_for(text * 20, KNOWN) == ((language,) if language in KNOWN else ())


def test_the_head_of_a_text_is_not_what_shows() -> None:
    head = "Dear Sir or Madam, please find the letter of our colleagues below. We would be glad to hear from you. "
    assert languages_for(head + GERMAN * 10, KNOWN) == ("de",)


def test_a_text_of_few_letters_may_be_in_every_language() -> None:
    assert languages_for("", KNOWN) == languages_for("1.2.3 " * 99, KNOWN) == tuple(sorted(KNOWN))
    assert languages_for("Frau Maier kommt.", KNOWN) == tuple(sorted(KNOWN))
    assert languages_for("Frau Maier kommt.", {"en"}) == ("en",)


def test_chances_add_up_and_relatives_are_no_languages_of_their_own() -> None:
    chances = language_chances(NYNORSK)
    assert sum(chances.values()) == pytest.approx(1, abs=1e-4)
    assert "nn" not in chances
    assert {"no", "fi"} <= known_languages()
    assert "nn" not in known_languages()
    assert known_languages() == {*language_chances("OK")}


@pytest.mark.parametrize("said", ["sp", "Spanish", "e", "es mx", "zzz", "-es", "", None])
def test_what_is_no_code_reports_nothing(said: str | None) -> None:
    assert plain_language(said) is None
    assert said_of(in_language("Hola", said)) is None
    with pytest.raises(UsageError, match="lang: expected a language such as en, es or pt, got"):
        checked_language("lang", said)


def test_a_text_may_know_its_language_and_is_a_text_all_the_same() -> None:
    text = in_language("Hola", "ES_mx")
    assert (text, said_of(text), type(str(text)), said_of("Hola")) == ("Hola", "es", str, None)
    for again in (pickle.loads(pickle.dumps(text)), copy.copy(text), copy.deepcopy(text)):
        assert (again, said_of(again)) == ("Hola", "es")


@pytest.mark.parametrize("said", ["Anna Schmidt wohnt in Bonn", "Schmidt-Wegener", "Größe", "Bonn.", ["Anna"]])
def test_no_text_is_quoted_that_is_taken_for_a_language(said: object) -> None:
    with pytest.raises(UsageError, match=r"lang: expected a language such as .*, got (text that is not a code|list)$"):
        checked_language("lang", said)


def test_what_looks_like_a_code_is_quoted() -> None:
    with pytest.raises(UsageError, match=r"got 'english'$"):
        checked_language("lang", "english")
