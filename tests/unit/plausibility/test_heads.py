"""Tokens with which terms begin, against the obvious way to find them."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from spark_deid.ontology.kernels.words import ENDINGS
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.recount.heads import WordHeads
from spark_deid.plausibility.recount.table import RecountOntology
from spark_deid.plausibility.recount.tokens import words_of


def _obvious(table: RecountOntology, lemmas: list[int]) -> tuple[set[str], set[tuple[str, str]], dict[str, int]]:
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
    table = RecountOntology(ontology)
    with_many = [
        lemma for lemma in map(ontology.lemma, ("ox", "wolf", "fez", "pox", "human", "US")) if lemma is not None
    ]
    assert len(with_many) == 6
    told_apart = asked = 0
    for _ in range(40):
        heads = WordHeads(table, ontology.n_lemmas)
        lemmas = sorted({draw.randrange(ontology.n_lemmas) for _ in range(300)} | set(with_many))
        expected, pairs, most = _obvious(table, lemmas)
        assert heads.of(np.array(lemmas, np.int32)) == expected
        assert {head: heads.most(head) for head in expected} == most
        assert all(heads.go_on(*pair) for pair in pairs)
        others = {(first, second) for first, _ in pairs for _, second in pairs} - pairs
        told_apart, asked = told_apart + sum(not heads.go_on(*pair) for pair in others), asked + len(others)
    assert told_apart > 0.99 * asked


def test_marks_of_words_are_those_of_homonyms_and_of_their_forms() -> None:
    ontology = wordnet()
    for word in ("man", "Man", "polish", "goose", "cat"):
        lemma = ontology.lemma(word)
        assert lemma is not None
        own = ontology.marks_of(np.array([lemma], np.int32))
        alike = ontology.marks_of(np.array(ontology.homonyms(lemma), np.int32))
        assert own.tolist() == alike.tolist()
    goose = ontology.lemma("goose")
    assert goose is not None
    wanted = ontology.marked(ontology.marks_of(np.array([goose], np.int32)))
    assert [row[:2] for row in ontology.matches("geese, a goose and cats", wanted).tolist()] == [[0, 5], [9, 14]]


def test_words_that_are_looked_for_are_found_as_if_all_were() -> None:
    ontology, draw = wordnet(), random.Random(5)
    asked = (ontology.lemma(word) for word in ("U.S.", "attorney general", "ox", "lung cancer", "man-of-war", "e.g."))
    listed = [lemma for lemma in asked if lemma is not None]
    others = found = 0
    for _ in range(60):
        lemmas = sorted({*draw.sample(range(ontology.n_lemmas), 30), *listed})
        given = [*draw.sample(lemmas, 12), *draw.sample(range(ontology.n_lemmas), 12)]
        words = [
            draw.choice((str, str.upper, str.title))(ontology.word(lemma)) + draw.choice(("", "s", "es", "."))
            for lemma in given
        ]
        draw.shuffle(words)
        text = draw.choice((" ", ", ", "-")).join(words)
        wanted = ontology.marked(ontology.marks_of(np.array(lemmas, np.int32)))
        whole = {each for lemma in lemmas for each in ontology.homonyms(lemma)}
        rows = set(map(tuple, ontology.matches(text, wanted).tolist()))
        every = set(map(tuple, ontology.matches(text).tolist()))
        expected = {row for row in every if row[2] in whole}
        assert expected <= rows <= every
        found, others = found + len(expected), others + len(rows - expected)
    assert others < found / 20
    assert not ontology.matches("a cat", ontology.marked(np.zeros(0, np.int32))).tolist()


def test_threads_may_ask_at_once() -> None:
    ontology, draw = wordnet(), random.Random(5)
    table = RecountOntology(ontology)
    asked = [sorted({draw.randrange(ontology.n_lemmas) for _ in range(700)}) for _ in range(7)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        heads = WordHeads(table, ontology.n_lemmas)
        with ThreadPoolExecutor(7) as pool:
            found = list(pool.map(lambda lemmas: heads.of(np.array(lemmas, np.int32)), asked))
    finally:
        sys.setswitchinterval(before)
    for lemmas, own in zip(asked, found, strict=True):
        assert own == WordHeads(table, ontology.n_lemmas).of(np.array(lemmas, np.int32))
