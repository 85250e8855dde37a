"""Tokens with which terms begin, against the obvious way to find them."""

import random

import numpy as np

from spark_deid.plausibility.kernels.words import ENDINGS
from spark_deid.plausibility.ontology import wordnet
from spark_deid.plausibility.recount.heads import Heads
from spark_deid.plausibility.recount.table import Table
from spark_deid.plausibility.recount.tokens import words_of


def _obvious(table: Table, lemmas: list[int]) -> tuple[set[str], set[tuple[str, str]], dict[str, int]]:
    """Return first tokens, pairs of first and second ones, and the most tokens of a word by its first."""
    heads, pairs, most = set[str](), set[tuple[str, str]](), dict[str, int]()
    for lemma in {alike for each in lemmas for alike in table.alike(each)}:
        for word in (table.word(lemma), *table.irregular(lemma)):
            *others, last = words_of(word)
            plurals = {last.removesuffix(s) + plural for plural, s in ENDINGS if last.endswith(s)}
            for tokens in ((*others, form) for form in ((last, *plurals) if len(others) < 2 else (last,))):
                heads.add(tokens[0])
                pairs |= {(tokens[0], tokens[1])} if len(tokens) > 1 else set()
                most[tokens[0]] = max(most.get(tokens[0], 1), len(tokens))
    return heads, pairs, most


def test_words_are_found_by_what_they_begin_with() -> None:
    ontology, draw = wordnet(), random.Random(3)
    table = Table(ontology)
    with_many = [
        lemma for lemma in map(ontology.lemma, ("ox", "wolf", "fez", "pox", "human", "US")) if lemma is not None
    ]
    assert len(with_many) == 6
    told_apart = asked = 0
    for _ in range(40):
        heads = Heads(table, ontology.n_lemmas)
        lemmas = sorted({draw.randrange(ontology.n_lemmas) for _ in range(300)} | set(with_many))
        expected, pairs, most = _obvious(table, lemmas)
        assert heads.of(np.array(lemmas, np.int32)) == expected
        assert {head: heads.most(head) for head in expected} == most
        assert all(heads.go_on(*pair) for pair in pairs)
        others = {(first, second) for first, _ in pairs for _, second in pairs} - pairs
        told_apart, asked = told_apart + sum(not heads.go_on(*pair) for pair in others), asked + len(others)
    assert told_apart > 0.99 * asked


def test_heads_of_an_ontology_are_those_of_homonyms_and_of_their_forms() -> None:
    ontology = wordnet()
    for word in ("man", "Man", "polish", "goose", "cat"):
        lemma = ontology.lemma(word)
        assert lemma is not None
        own = ontology.heads_of(np.array([lemma], np.int32))
        alike = ontology.heads_of(np.array(ontology.homonyms(lemma), np.int32))
        assert own.tolist() == alike.tolist()
    goose = ontology.lemma("goose")
    assert goose is not None
    wanted = np.zeros(1 << 16, np.uint8)
    wanted[ontology.heads_of(np.array([goose], np.int32))] = 1
    assert [row[:2] for row in ontology.matches("geese, a goose and cats", wanted).tolist()] == [[0, 5], [9, 14]]
