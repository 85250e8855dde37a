"""Expressions that Python's own engine takes mean the same to the engine whose searches can be limited."""

import re
import warnings

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.patterns.config import LimitedPattern, as_python_reads

TEXTS = ("cat cut {e<=1} a{1 aa {} {,} x[[:alpha:]] :a] ab]c aaa \N{EM DASH} [ ] \\ ^", "at{e}", "[:alpha:]", "")
PIECES = (
    "a",
    "cat",
    "(?:cat)",
    "[ab]",
    "[^]a]",
    "[]a]",
    "[[:alpha:]]",
    r"[\]\[{e}]",
    r"\{",
    r"\[",
    r"\N{EM DASH}",
    ".",
)
AFTER = ("", "", "{e<=1}", "{e}", "{1}", "{1,}", "{,2}", "{}", "{1", "+", "{i<=2:[a]}", "{,}", "{2}?")


def found(matches: object) -> list[tuple[int, int]]:
    return [match.span() for match in matches]  # type: ignore[attr-defined]


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(AFTER)), min_size=1, max_size=4))
def test_both_engines_find_the_same(pieces: list[tuple[str, str]]) -> None:
    pattern = "".join(map("".join, pieces))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            ours = re.compile(pattern)
        except re.error:
            return
    theirs = regex.compile(as_python_reads(pattern), regex.V0)
    for text in TEXTS:
        assert found(theirs.finditer(text)) == found(ours.finditer(text)), pattern


@pytest.mark.parametrize(("pattern", "text"), [("(?:abc){e<=2}", "axc"), ("[[:alpha:]]{3}", "abc")])
def test_what_goes_beyond_python_s_own_engine_finds_nothing_more(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        assert [*LimitedPattern("WARD", pattern).finditer(text)] == []
