"""Terms of the user's own."""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spark_deid as sd
from spark_deid.text.terms.term_list import index_terms


def redacted(text: str, deny: Any) -> str:
    return str(sd.Redactor({"deny": deny}).redact(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Lighthouse, a LIGHTHOUSE.", "The [TERM], a(n) [TERM]."),
        ("lighthouses, unlighthouse", "lighthouses, unlighthouse"),
        ("light\u200bhouse's", "[TERM]'s"),
        ("in New\n\tYork and new york city", "in [TERM] and [TERM]"),
        ("東京塔に行く", "[TERM]に行く"),
        ("Jose\u0301 and JOSÉ", "[TERM] and [TERM]"),
        ("New", "New"),
        ("", ""),
    ],
)
def test_whole_words_are_found_however_they_are_written(text: str, expected: str) -> None:
    words = ["lighthouse", "New York", "New  York City", "東京塔", "José"]
    assert redacted(text, {"words": words}) == expected


def test_lists_have_labels_cases_and_expressions_of_their_own() -> None:
    deny = [
        {"words": ["May"], "label": "NAME", "match_case": True},
        {"expressions": [r"proj-\d+"], "label": "PROJECT"},
    ]
    assert redacted("May may see PROJ-77.", deny) == "[NAME] may see [PROJECT]."


def test_expressions_match_in_threads_too() -> None:
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(redacted, "See PROJ-77.", {"expressions": [r"proj-\d+"], "label": "PROJECT"})
        assert found.result() == "See [PROJECT]."


def test_files_hold_a_term_a_line(tmp_path: Path) -> None:
    file = tmp_path / "terms.txt"
    file.write_bytes(b"\xef\xbb\xbf# towns\nBoston\r\n\n  New York  \n")
    assert redacted("boston, new york, # towns", {"files": [str(file)]}) == "[TERM], [TERM], # towns"


@pytest.mark.parametrize(
    ("deny", "message"),
    [
        ({"label": "A"}, "expected words, files or expressions"),
        ({"words": ["a", "?"]}, "number 2 has neither"),
        ({"expressions": ["("]}, r"nothing closes the \( at character 1"),
        ({"expressions": ["a*"]}, "does not match the empty string"),
        ({"expressions": ["(?i)a"]}, "expected no flags"),
        ({"words": ["a"], "label": "a b"}, "deny.label: expected a label"),
        ({"wrds": ["a"]}, "did you mean words"),
        ([], "deny"),
    ],
)
def test_wrong_lists_are_reported(deny: Any, message: str) -> None:
    with pytest.raises(sd.UsageError, match=message):
        redacted("a", deny)


def test_a_file_that_cannot_be_used_is_named_with_its_line_and_without_its_terms(tmp_path: Path) -> None:
    file = tmp_path / "terms.txt"
    for content, message in (
        (b"secret\n\xff\n", f"{file}:2: expected UTF-8"),
        (b"secret\n-\n", f"{file}:2: expected a"),
    ):
        file.write_bytes(content)
        with pytest.raises(sd.UsageError, match=re.escape(message)) as caught:
            redacted("a", {"files": [str(file)]})
        assert "secret" not in str(caught.value)


def test_expressions_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SECONDS", 0.05)
    with pytest.raises(sd.SparkDeidError, match="of the plan's terms: a search of 41 characters took more than"):
        redacted("a" * 40 + "!", {"expressions": ["(a|a)+$"]})


def expression_of(term: str) -> str:
    """Write a term as an expression: two words need a space between them, marks need none."""
    parts = re.findall(r"\w+|-", term)
    written = parts[0]
    for one, other in pairwise(parts):
        written += (r"\s+" if one != "-" != other else r"\s*") + other
    return rf"(?<!\w){written}" + (r"(?!\w)" if parts[-1] != "-" else "")


def test_what_is_found_is_what_an_obvious_search_finds() -> None:
    """Compare with the longest alternative of one expression at each place, on random small texts."""
    random = np.random.default_rng(7)
    words = ["a", "b", "ab", "b-", "-"]
    for _ in range(300):
        terms = {" ".join(random.choice(words[:4], random.integers(1, 4))) for _ in range(3)}
        text = " ".join(random.choice(words, random.integers(0, 12)))
        ordered = sorted(terms, key=lambda term: -len(re.findall(r"\w+|-", term)))
        obvious = re.compile("|".join(map(expression_of, ordered)))
        found = list(index_terms(terms, match_case=False).find(text))
        assert found == [match.span() for match in obvious.finditer(text)], (terms, text)


def test_many_terms_take_no_longer() -> None:
    index = index_terms((f"word{number} other" for number in range(200_000)), match_case=False)
    assert list(index.find("word199999 other " * 2)) == [(0, 16), (17, 33)]


def test_manifest_and_explain_count_terms_and_do_not_name_them() -> None:
    plan = sd.Plan(deny={"words": ["lighthouse"], "expressions": ["tower"]})
    assert "1 words and 1 expressions" in plan.explain()
    assert "lighthouse" not in plan.explain() + repr(plan) + plan._repr_html_()
