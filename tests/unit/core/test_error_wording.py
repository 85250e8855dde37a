"""What was expected, in words of our own."""

from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from spark_deid.core.error_wording import NotOneOf, allowed_words, explain_error, likely_word


class Every(BaseModel):
    whole: int = Field(default=3, ge=2)
    part: float = Field(default=0.5, gt=0, lt=1)
    word: Literal["run", "character"] = "run"
    text: str = Field(default="x", min_length=1, pattern="^[a-z]+$")
    yes: bool = True
    path: Path = Path("x")
    names: tuple[str, ...] = Field(default=("a",), min_length=1)
    table: dict[str, int] = Field(default_factory=dict)


def error_of(**values: object) -> Any:
    with pytest.raises(ValidationError) as caught:
        Every.model_validate(values)
    return caught.value.errors()[0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"whole": 1}, "expected an integer >= 2, got 1"),
        ({"whole": "many"}, "expected an integer, got 'many'"),
        ({"whole": 1.5}, "expected an integer, got 1.5"),
        ({"whole": None}, "expected an integer, got nothing"),
        ({"part": 0}, "expected a number above 0, got 0"),
        ({"part": 1.5}, "expected a number below 1, got 1.5"),
        ({"word": "char"}, "expected 'run' or 'character', got 'char'; did you mean character?"),
        ({"word": "every"}, "expected 'run' or 'character', got 'every'"),
        ({"text": ""}, "expected text, got nothing"),
        ({"text": "X" * 50}, "expected text of the form ^[a-z]+$"),
        ({"text": {"a": 1}}, "expected text, got keys and values"),
        ({"yes": "perhaps"}, "expected true or false, got 'perhaps'"),
        ({"path": 3}, "expected a path, got 3"),
        ({"names": "a"}, "expected a list, such as [a, b], got 'a'"),
        ({"names": []}, "expected at least one"),
        ({"table": [1]}, "expected keys and values, such as {key: value}, got a list"),
    ],
)
def test_what_was_expected_is_reported_in_our_words(values: dict[str, object], message: str) -> None:
    assert explain_error(error_of(**values)) == message


def test_the_words_that_a_place_takes_are_known() -> None:
    assert allowed_words(error_of(word="x")) == ("run", "character")


@pytest.mark.parametrize(
    ("got", "meant"), [("txt", "text"), ("TEXT", "text"), ("labelstudio", "label-studio"), ("pdf", None), ("", None)]
)
def test_a_slip_is_known_by_its_letters(got: str, meant: str | None) -> None:
    assert likely_word(got, ("text", "jsonl", "label-studio")) == meant
    assert NotOneOf(got, ("text", "jsonl", "label-studio")).meant == meant
