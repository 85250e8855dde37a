"""When nothing is estimated of a text: where detectors may not know more than some of its documents."""

from spark_deid.core.missed_names import TextDoubt
from spark_deid.greedy.familiarity import warnings_of_language, warnings_of_said
from spark_deid.pipeline.missed_names import is_doubted

ENGLISH = "The patient was discharged yesterday and will come back on Monday for another examination. "
GERMAN = "Der Patient wurde gestern entlassen und kommt am Montag zur Kontrolle. "
MODELS = {"en": "english"}


def test_a_few_documents_in_another_language_are_warned_of_and_no_matter_of_doubt() -> None:
    few = warnings_of_language([*[ENGLISH] * 39, GERMAN], MODELS)
    many = warnings_of_language([*[ENGLISH] * 37, *[GERMAN] * 3], MODELS)
    assert len(few) == len(many) == 1
    assert (is_doubted(few), is_doubted(many)) == (False, True)


def test_declared_languages_and_programs_are_doubted_and_other_warnings_are_not() -> None:
    assert is_doubted(warnings_of_said({"en": 9, "fi": 1}, MODELS))
    assert not is_doubted(warnings_of_said({"en": 99, "fi": 1}, MODELS))
    assert is_doubted(warnings_of_language(["for (int i = 0; i < n; ++i) { x[i] = y_i; } " * 40], MODELS))
    assert not is_doubted(["persons without a record keep their names"])
    assert TextDoubt("some", 0.2).share == 0.2
