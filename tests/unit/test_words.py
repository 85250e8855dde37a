"""The checker of prose sees each kind of fault, in each kind of file."""

import json

import pytest

from resources.prose import exemptions, prose_of
from resources.words import (
    ProseMeasures,
    breaches,
    counted,
    exemption_breaches,
    is_rewritten,
    measure,
    without_moved,
    word_list,
)

FAULT = "The table stays beside the plan."


def strong(path: str, text: str) -> dict[str, int]:
    """Return the number of words of level E by kind of prose."""
    return {kind: count for kind, count in measure(prose_of(path, text)).strong.items() if count}


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("docs/a.md", f"# Title\n\n{FAULT}\n", "docs"),
        ("a.py", f'"""{FAULT}"""\n', "docstrings"),
        ("a.py", f'LIMIT = 3\n"""{FAULT}"""\n', "docstrings"),
        ("a.py", f"x = 1  # {FAULT}\n", "comments"),
        ("a.py", f'raise ValueError("{FAULT}")\n', "messages"),
        ("a.py", f'raise ValueError(f"{{name}}: {FAULT}")\n', "messages"),
        ("a/templates/b.html", f"<p>{FAULT}</p>\n", "templates"),
        ("conf/a.yaml", f"model: english  # {FAULT}\n", "messages"),
        ("mkdocs.yml", f"site_description: {FAULT}\n", "messages"),
        ("dev", f'say "{FAULT}"\n', "messages"),
        ("dev", f"cat <<'TEXT'\n{FAULT}\nTEXT\n", "messages"),
        ("dev", f"# {FAULT}\n", "comments"),
        ("a.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": [FAULT]}]}), "docs"),
        ("a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": ["# " + FAULT]}]}), "comments"),
    ],
)
def test_words_are_found_in_each_kind_of_prose(path: str, text: str, kind: str) -> None:
    assert strong(path, text) == {kind: 2}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/a.md", f"```console\n{FAULT}\n```\n"),
        ("docs/a.md", f"`{FAULT}`\n"),
        ("docs/a.md", f"{FAULT} <!-- words: ok (a quotation) -->\n"),
        ("a.py", f'"""Return 1.\n\n>>> f()\n{FAULT}\n"""\n'),
        ("a.py", f'TEXT = "{FAULT}"  # words: ok (a quotation)\n'),
        ("tests/unit/test_a.py", f'NOTE = "{FAULT}"\n'),
        ("a/templates/b.html", f"<script>\n// {FAULT}\n</script>\n"),
        ("a.csv", f"{FAULT}\n"),
    ],
)
def test_code_output_data_and_exempt_lines_are_no_prose(path: str, text: str) -> None:
    assert strong(path, text) == {}


def test_an_exemption_has_a_reason() -> None:
    assert exemptions("a  # words: ok (the paper's term)\nb\nc  # words: ok\n") == [(1, "the paper's term"), (3, "")]
    assert exemption_breaches() == []


def test_sentences_end_at_full_stops_and_not_at_semicolons() -> None:
    measures = measure(prose_of("docs/a.md", "One two three; four five.\n\n- Six seven `eight`. Nine ten eleven?\n"))
    assert (measures.sentences, measures.semicolons) == ([5, 4, 3], 1)


def test_a_page_with_long_sentences_exceeds_its_limits_unless_its_base_does() -> None:
    page = measure(prose_of("docs/a.md", "word " * 36 + ".\n\n" + "word " * 36 + "; end.\n"))
    names = [breach.split(":")[0] for breach in breaches(page, None, page=True)]
    assert names == ["words per sentence", "sentences over 25 words (%)", "sentences over 35 words (%)"]
    assert breaches(page, page, page=True) == []


def test_a_file_may_not_get_worse() -> None:
    base, now = (measure(prose_of("docs/a.md", FAULT * count)) for count in (1, 2))
    assert breaches(base, base, page=True) == []
    assert breaches(now, base, page=True)[0] == "words of level E in docs: 4, at most 2"
    assert breaches(base, ProseMeasures(), page=True)[0] == "words of level E in docs: 2, at most 0"


def test_docstrings_may_keep_one_word_per_thousand() -> None:
    short, long = (measure(prose_of("a.py", f'"""{"word " * count} alone."""\n')) for count in (900, 1000))
    assert breaches(short, None, page=False) == ["words of level E in docstrings and comments: 1, at most 0"]
    assert breaches(long, None, page=False) == []


def test_a_file_is_rewritten_if_fewer_than_half_of_its_lines_remain() -> None:
    old, half, new = (prose_of("docs/a.md", text) for text in ("one\ntwo\n", "one\nthree\n", "three\nfour\ntwo\n"))
    assert not is_rewritten(half, old)
    assert is_rewritten(new, old)


def test_a_line_that_another_file_lost_does_not_count_once() -> None:
    now = prose_of("a.py", f"x = 1  # {FAULT}\ny = 2  # A reason.\nz = 3  # {FAULT}\n")
    moved = counted(prose_of("b.py", f"x = 1  # {FAULT}\n"))
    kept = without_moved(now, [], moved)
    assert [line.text for line in kept if line.text] == ["A reason.", FAULT]
    assert moved[FAULT] == 0


def test_exempt_words_are_kept() -> None:
    assert word_list().matches("A stand-alone program and a held-out set.", "E") == []
    assert [word for word, _ in word_list().matches("What stays is said.", "E")] == ["said", "What", "stays"]
