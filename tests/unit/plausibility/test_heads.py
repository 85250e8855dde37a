"""Tokens with which terms begin, against the obvious way to find them."""

import random

import numpy as np

from spark_deid.plausibility.kernels.words import ENDINGS
from spark_deid.plausibility.ontology import wordnet
from spark_deid.plausibility.recount.heads import Heads
from spark_deid.plausibility.recount.table import Table
from spark_deid.plausibility.recount.tokens import words_of


def _obvious(table: Table, lemmas: list[int]) -> dict[int, int]:
    heads: dict[int, int] = {}
    for lemma in {alike for each in lemmas for alike in table.alike(each)}:
        for word in (table.word(lemma), *table.irregular(lemma)):
            first, *others = words_of(word)
            plurals = [first.removesuffix(s) + plural for plural, s in ENDINGS if first.endswith(s) and not others]
            for head in (first, *plurals):
                heads[hash(head)] = max(heads.get(hash(head), 1), 1 + len(others))
    return heads


def test_words_are_found_by_what_they_begin_with() -> None:
    ontology, draw = wordnet(), random.Random(3)
    table = Table(ontology)
    heads = Heads(table, ontology.n_lemmas)
    with_many = [
        lemma for lemma in map(ontology.lemma, ("ox", "wolf", "fez", "pox", "human", "US")) if lemma is not None
    ]
    for _ in range(40):
        lemmas = sorted({draw.randrange(ontology.n_lemmas) for _ in range(300)} | set(with_many))
        found = heads.of(np.array(lemmas, np.int32))
        assert {head: size for head, size in found.items() if head != hash("")} == _obvious(table, lemmas)
    assert len(with_many) == 6


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
