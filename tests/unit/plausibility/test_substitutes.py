"""Other originals of a released text, tried as a reader with the program tries them."""

import numpy as np

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.plausibility import substitutes
from spark_deid.plausibility.recount.telling import word_concepts_of
from spark_deid.plausibility.substitutes import SubstituteCounts, try_substitutes
from tests.unit.plausibility.generalized import decided, marked, rule


def by_hand(word: str, below: str) -> SubstituteCounts:
    """Put every leaf below what is written in the term's place, by each of its words."""
    rules = rule(t=64, below=[below])
    words = word_concepts_of(next(iter(rules.readings)))

    def released(term: str) -> str:
        text = f"He has {term}."
        return apply_edits(text, decided(text, marked(text, term), rules).edits)

    seen = released(word)
    node = words.bearers(words.read(seen.removeprefix("He has ").rstrip(".")) or 0)[0]
    own = words.concept(words.read(word) or 0, None)
    leaves = [leaf for leaf in words.table.leaves(node).tolist() if leaf != own]
    alike = 0
    for leaf in leaves:
        read = [each for each in words.spelled(leaf) if words.concept(words.read(each) or 0, None) == leaf]
        alike += any(released(each) == seen for each in read)
    return SubstituteCounts(len(leaves), alike)


def test_each_other_original_is_put_through_the_tool() -> None:
    rules = rule(t=64, below=["disease"])
    substitutes._MOST_WORDS, before = 10_000, substitutes._MOST_WORDS
    try:
        text = "He has gout."
        found = try_substitutes(text, marked(text, "gout"), rules, np.random.default_rng(0))
    finally:
        substitutes._MOST_WORDS = before
    assert found == {"TERM": by_hand("gout", "disease")}
    tried, alike = found["TERM"]
    assert 0 < alike < tried, "the reader is left with fewer originals than |D| says"


def test_articles_numbers_and_uppercase_go_with_the_other_original() -> None:
    text = "DX: AN ASTHMA. Two fractures."
    changes = substitutes._with(text, [Span(7, 13, "TERM")], [Edit(4, 6, "g", "A"), Edit(7, 13, "g", "GOUT")])
    assert changes == ([Span(6, 10, "TERM")], "DX: A GOUT. Two fractures.")


def test_a_partition_needs_no_trial_and_terms_that_occur_twice_are_passed_over() -> None:
    text = "He has gout. Gout is bad."
    random = np.random.default_rng(0)
    assert try_substitutes(text, marked(text, "gout"), rule(t=64, below=["disease"]), random) == {}
    one = "He has gout."
    assert try_substitutes(one, marked(one, "gout"), rule(t=64, search="cut", below=["disease"]), random) == {}
    assert try_substitutes("He has go\u200but.", [Span(7, 12, "TERM")], rule(t=64), random) == {}
