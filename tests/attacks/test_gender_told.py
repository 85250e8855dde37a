"""A gender that is hidden, and what shows it: addresses, kin, occupations, a letter after an age, Spanish endings."""

import re
from pathlib import Path

import pytest
import yaml

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.identity.gendered import gendered_spans
from spark_deid.identity.recount.reading import PlacedEdit, gendered_words
from spark_deid.plan.load import check_methods

CONF = Path(__file__).parents[2] / "conf"
TELLING = (
    "Thank you, sir.",
    "Ma'am, your results are in.",
    "Seen with mrs Fox.",
    "Works as a spokeswoman.",
    "Retired mailman.",
    "A 54M with gout.",
    "A 61 y/o F, well.",
    "Sex: F",
    "Her fiancée waits.",
)


def hidden(text: str) -> str:
    for span in reversed(gendered_spans(text, [])):
        text = text[: span.start] + "[GENDERED]" + text[span.end :]
    return text


@pytest.mark.parametrize("text", TELLING)
def test_nothing_shows_a_hidden_gender(text: str) -> None:
    left = hidden(text)
    assert left != text
    assert not re.search(r"(?i)\b(?:sir|ma'am|mrs|her|fiancée|\w+woman|\w+man)\b|\d ?(?:y/o )?[MF]\b|: F", left)


@pytest.mark.parametrize("text", TELLING)
def test_the_recount_sees_what_shows_by_a_list_of_its_own(text: str) -> None:
    assert gendered_words(text, []) >= 1
    assert gendered_words(hidden(text), []) == 0


def test_a_letter_after_an_age_that_is_recoded_shows() -> None:
    text = "A 54M."
    age = Span(2, 4, "AGE")
    assert [span[:2] for span in gendered_spans(text, [age])] == [(4, 5)]
    assert gendered_words("Sex: F, [50-59]", [PlacedEdit(8, 10, "recode", "[50-59]", "AGE")]) == 1


@pytest.mark.parametrize("roles", [{"quasi": ["gender", "age"]}, {"quasi": ["age"], "identifiers": ["gender"]}])
def test_a_gender_that_can_t_be_hidden_is_refused_in_either_role(roles: dict[str, list[str]]) -> None:
    plan = {
        "sources": ["gold", "identity"],
        "rules": {"AGE": "recode"},
        "identity": {"attributes": {"AGE": "age", "SEX": "gender"}, "roles": roles, "locale": "es_ES"},
        "anonymity": {"model": {"k": 5}},
    }
    with pytest.raises(UsageError, match="only English texts can hide gender"):
        check_methods(plan, "plan")


def test_the_shipped_plan_for_spanish_notes_claims_no_hidden_gender() -> None:
    plan = yaml.safe_load((CONF / "identifier-view.yaml").read_text(encoding="utf-8"))
    assert plan["identity"]["locale"] == "es_ES"
    assert "gender" not in plan["identity"]["attributes"].values()
