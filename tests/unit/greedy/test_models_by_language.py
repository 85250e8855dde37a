"""A plan may name a model for each language: a text scans those of the languages that it may be in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

import spark_deid as sd
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.detector import KIND, ModelSettings, spans_by_language
from spark_deid.greedy.guarantee import KIND as RISK
from spark_deid.greedy.guarantee import ResidualRiskSettings, certificate_of
from spark_deid.greedy.shipped import LANGUAGES, MODELS
from spark_deid.pipeline.one_document import document_context
from spark_deid.plan.load import check_methods
from spark_deid.text.language import in_language

GERMAN = "Der Patient wurde gestern entlassen und kommt am Montag zur Kontrolle. "
ENGLISH = "The patient was discharged yesterday and will come back on Monday for another examination. "
FINNISH = "Potilas kotiutettiin eilen, ja hän tulee maanantaina uudelleen tutkittavaksi. "
BOTH = ModelSettings(model={"en": Path("english"), "de": Path("german")})


def marking(label: str) -> Callable[[str], list[Span]]:
    return lambda text: [Span(0, len(text), label)]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (GERMAN, ["DE"]),
        (ENGLISH, ["EN"]),
        (FINNISH, []),
        ("OK", ["DE", "EN"]),
        (GERMAN * 9 + ENGLISH * 9, ["DE", "EN"]),
    ],
)
def test_the_models_of_its_languages_look_through_a_text(text: str, labels: list[str]) -> None:
    found = spans_by_language(text, finders={"de": marking("DE"), "en": marking("EN")})
    assert [span.label for span in found] == labels


@pytest.mark.parametrize(
    ("said", "labels"), [("en", ["EN"]), ("de-AT", ["DE"]), ("fi", []), ("German", ["DE"]), (None, ["DE"])]
)
def test_what_a_text_is_declared_to_be_in_goes_before_what_it_looks_like(said: str | None, labels: list[str]) -> None:
    found = spans_by_language(in_language(GERMAN, said), finders={"de": marking("DE"), "en": marking("EN")})
    assert [span.label for span in found] == labels


def test_a_model_of_two_languages_looks_once() -> None:
    both = marking("BOTH")
    assert len(spans_by_language("OK", finders={"da": both, "no": both})) == 1
    nordic = ModelSettings(model={"da": Path("norwegian"), "no": Path("norwegian")})
    assert [model.path for model in KIND.models(nordic)] == ["norwegian"]
    assert KIND.make is not None
    find = KIND.make(nordic, document_context(check_methods({"patterns": {}}, "a plan"), key=b"k" * 32))
    assert find.keywords["finders"]["da"] is find.keywords["finders"]["no"]  # type: ignore[attr-defined]


def test_one_model_may_represent_every_text_or_one_for_each_language() -> None:
    assert ModelSettings(model=Path("m")).places == {"": Path("m")}
    assert BOTH.places == {"en": Path("english"), "de": Path("german")}
    assert BOTH.folders == {"en": MODELS.find("english"), "de": MODELS.find("german")}
    with pytest.raises(ValidationError, match="one per language"):
        ModelSettings(model={})


def test_relatives_represent_their_language() -> None:
    assert ModelSettings.model_validate({"model": {"nb": "norwegian"}}).places == {"no": Path("norwegian")}
    with pytest.raises(ValidationError, match="YAML reads no as false"):
        ModelSettings.model_validate({"model": {False: "norwegian"}})


def test_what_is_no_language_is_named_before_anything_is_read() -> None:
    assert KIND.check is not None
    KIND.check(BOTH)
    with pytest.raises(UsageError, match="expected languages such as en, es or pt, got 'english'"):
        KIND.check(ModelSettings(model={"english": Path("english")}))


def test_every_model_is_reported() -> None:
    assert [model.path for model in KIND.models(BOTH)] == ["english", "german"]
    assert len({model.sha256 for model in KIND.models(BOTH)}) == 2
    assert KIND.seeks(BOTH).labels == ("LOCATION", "NAME", "ORGANIZATION")
    assert "english (en), german (de)" in KIND.describe(BOTH)
    assert KIND.public(BOTH)["languages"] == ["de", "en"]
    assert "languages" not in KIND.public(ModelSettings(model=Path("english")))


def test_models_that_are_chosen_by_language_have_no_certificate() -> None:
    plan = check_methods({"model": {"en": "english", "de": "german"}}, "a plan")
    assert certificate_of(plan) is None
    assert RISK.before is not None
    (reason,) = RISK.before(ResidualRiskSettings(loss_ratio=10), plan)
    assert reason.startswith("the plan chooses a model by language")


def test_texts_in_other_languages_are_warned_of() -> None:
    assert KIND.warn is not None
    texts = [ENGLISH * 5, GERMAN * 5, FINNISH, FINNISH * 5]
    (told,) = KIND.warn(BOTH, texts)
    assert told.startswith("2 of the 4 documents looked at are in a language without a model (fi 2)")
    assert "model: {en: english, de: german, fi: FOLDER}" in told
    assert KIND.warn(BOTH, texts[:2]) == ()
    (alone,) = KIND.warn(ModelSettings(model=Path("german")), texts)
    assert "(en 1, fi 2)" in alone


def test_declared_languages_without_a_model_are_warned_of_by_their_counts() -> None:
    assert KIND.warn_of_said is not None
    (told,) = KIND.warn_of_said(BOTH, {"en": 500, "fi": 5000, "de": 1, "se": 40})
    assert "5,040 of the 5,541 documents with a stated language (91.0%)" in told
    assert "(fi 5000, se 40)" in told
    assert told.endswith("; se is Northern Sami. For Sweden write sv")
    assert KIND.warn_of_said(BOTH, {"en": 500, "de": 1}) == KIND.warn_of_said(BOTH, {}) == ()
    assert "(de 2)" in KIND.warn_of_said(ModelSettings(model=Path("english")), {"en": 1, "de": 2})[0]
    assert KIND.warn_of_said(ModelSettings(model=Path("my/folder")), {"fi": 1}) == ()


def test_of_texts_whose_language_is_stated_nothing_is_guessed() -> None:
    assert KIND.warn is not None
    texts = [in_language(GERMAN * 5, "fi"), in_language(FINNISH * 5, "de"), GERMAN * 5]
    assert KIND.warn(BOTH, texts) == ()
    (told,) = KIND.warn(BOTH, [*texts, FINNISH * 5])
    assert told.startswith("1 of the 2 documents looked at is in a language without a model (fi 1)")


def test_doubts_of_english_are_of_english_texts_only() -> None:
    assert KIND.warn is not None
    capitals = "THE PATIENT WAS SEEN BY THE DOCTOR AND WILL COME BACK TO THE WARD ON MONDAY. " * 10
    (told,) = KIND.warn(BOTH, [capitals, GERMAN * 50])
    assert "of the words are uppercase" in told
    assert KIND.warn(BOTH, [ENGLISH * 20, GERMAN * 50]) == ()


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        (
            "de",
            "Gestern hat uns Frau Sabine Wagner aus München geschrieben, dass sie am Montag kommt.",
            "Sabine Wagner",
        ),
        ("es", "Ayer nos escribió la señora Carmen Rodríguez desde Sevilla que viene el lunes.", "Carmen Rodríguez"),
        ("pt", "Ontem escreveu o senhor João Pereira que vem de Lisboa na segunda-feira.", "João Pereira"),
        ("fr", "Hier, Madame Claire Dubois nous a écrit de Lyon qu'elle viendra lundi prochain.", "Claire Dubois"),
        ("nl", "Gisteren schreef mevrouw Anna de Vries ons dat zij maandag uit Utrecht komt.", "Anna de Vries"),
        ("sv", "Igår skrev Anna Lindqvist till oss att hon kommer från Uppsala på måndag.", "Anna Lindqvist"),
        ("no", "I går skrev Kari Nordmann til oss at hun kommer fra Bergen på mandag.", "Kari Nordmann"),
    ],
)
def test_names_are_found_in_each_language_that_ships(language: str, text: str, name: str) -> None:
    shipped = {code: model for model, code in LANGUAGES.items()}
    start = text.index(name)
    hidden = {
        place for span in sd.detect(text, model=shipped[language]) for place in range(*span[:2]) if span[2] == "NAME"
    }
    assert hidden.issuperset(range(start, start + len(name)))
    assert len(hidden) < len(text) / 2
