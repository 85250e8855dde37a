"""Answers of fields in forms."""

import pytest

from spark_deid.repeats.fields import answers_of, find_answers, has_few_answers, rare_answers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Result: negative", [("result", "negative")]),
        ("HIV test, result = NOT detected.\nNext: none", [("test result", "not detected"), ("next", "none")]),
        ("Smoker? no; Alcohol: yes | Drugs: no", [("smoker", "no"), ("alcohol", "yes"), ("drugs", "no")]),
        ("Ratio: 3.5 mg, daily", [("ratio", "3.5 mg")]),
        ("Result:\nnegative", []),
        ("Result: ", []),
        ("Größe: groß", [("größe", "groß".casefold())]),
    ],
)
def test_answers_end_with_their_line_or_clause(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.field, each.answer) for each in find_answers(text)] == found


def test_places_are_those_of_the_answers() -> None:
    text = "Result: negative. Sex: f"
    assert [text[start:end] for start, end in answers_of(text, {"result"})] == ["negative"]
    assert [(each.field, hidden) for each, hidden in rare_answers(text, [(10, 12)])] == [
        ("result", True),
        ("sex", False),
    ]
    assert not any(hidden for _, hidden in rare_answers(text, [(0, 8), (16, 17)]))


@pytest.mark.parametrize(("uses", "answers", "few"), [(4, 2, True), (3, 2, False), (1, 1, False), (2, 1, True)])
def test_a_field_has_few_answers_if_each_is_used_twice_on_average(uses: int, answers: int, few: bool) -> None:
    assert has_few_answers(uses, answers) is few
