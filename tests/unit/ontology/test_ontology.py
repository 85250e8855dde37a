import random
import re
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.ontology.array_validation import map_arrays, save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, leaf_volumes, pack_source
from spark_deid.ontology.glosses import hashed_words
from spark_deid.ontology.kernels.words import ENDINGS
from spark_deid.ontology.lesk import sense_in
from spark_deid.ontology.ontology import Ontology, from_arrays, ontology_at, wordnet

ANIMALS = (
    SourceConcept("animal", ("animal",)),
    SourceConcept("pet", ("pet",), ("animal",)),
    SourceConcept("feline", ("feline", "felid"), ("animal",)),
    SourceConcept("cat", ("cat", "house cat"), ("feline", "pet")),
    SourceConcept("tabby", ("tabby",), ("cat",)),
    SourceConcept("ox", ("ox",), ("animal",)),
)


def made(concepts: tuple[SourceConcept, ...], **more: object) -> Ontology:
    return from_arrays(pack_source(ConceptSource(concepts, **more)), {"name": "test"})  # type: ignore[arg-type]


def found(ontology: Ontology, text: str) -> list[tuple[str, str]]:
    return [(text[start:end], ontology.word(word)) for start, end, word, _ in ontology.mentions(text).tolist()]


def test_the_longest_word_wins_in_any_case_and_number() -> None:
    animals = made(ANIMALS, forms={"oxen": "ox"})
    text = "House-cats and a CAT;\nOxen, felids. A catalogue"
    assert found(animals, text) == [
        ("House-cats", "house cat"),
        ("CAT", "cat"),
        ("Oxen", "ox"),
        ("felids", "felid"),
    ]


def test_a_token_that_no_word_is_as_long_as_is_looked_up_once() -> None:
    long = "q" * 1_000_000  # looked up from each of its characters on, it would take minutes
    assert wordnet().mentions(f"{long}cat").tolist() == []
    assert len(wordnet().mentions(f"{long} cat")) == 1


def test_a_blank_line_parts_words() -> None:
    assert found(made(ANIMALS), "house\ncat house\n\ncat") == [("house\ncat", "house cat"), ("cat", "cat")]


def test_words_that_differ_in_case_are_taken_as_written() -> None:
    both = made((SourceConcept("a", ("Turkey",)), SourceConcept("b", ("turkey",))))
    assert found(both, "turkey Turkey TURKEY") == [("turkey", "turkey"), ("Turkey", "Turkey"), ("TURKEY", "turkey")]
    assert [both.word(word) for word in both.homonyms(both.lemma("Turkey") or 0)] == ["turkey", "Turkey"]


def test_words_hold_marks_digits_and_letters_of_any_script() -> None:
    words = ("U.S.", "St. Louis", "Alzheimer's disease", "vitamin B12", "Señor", "日本")
    some = made(tuple(SourceConcept(word, (word,)) for word in words))
    text = "U.S., st. louis: Alzheimer’s  disease (vitamin-b12) SEÑOR 日本"
    assert [word for _, word in found(some, text)] == list(words)


def test_whole_terms_are_looked_up_by_their_bounds() -> None:
    animals = made(ANIMALS, forms={"oxen": "ox"})
    rows = animals.terms("two house cats, oxen", [(4, 14), (10, 14), (0, 3), (16, 20), (4, 8)]).tolist()
    assert [(animals.word(word) if word >= 0 else None, form) for word, form in rows] == [
        ("house cat", 1),
        ("cat", 1),
        (None, 0),
        ("ox", 1),
        (None, 0),
    ]
    assert animals.lemma("dog") is None
    assert animals.lemma("") is None


def test_mentions_equal_a_plain_search() -> None:
    draw = random.Random(3)
    letters = ("a", "b", "ab", "bs", "as", "b c")
    for _ in range(200):
        words = {" ".join(draw.choices(letters, k=draw.randint(1, 3))) for _ in range(5)}
        some = made(tuple(SourceConcept(word, (word,)) for word in sorted(words)))
        text = " ".join(draw.choices((*letters, "c", ",", "-"), k=12))
        assert [row[:3] for row in some.mentions(text).tolist()] == plain_mentions(some, words, text)


def plain_mentions(ontology: Ontology, words: set[str], text: str) -> list[list[int]]:
    rows, place = [], 0
    while place < len(text):
        starts = text[place].isalnum() and not text[place - 1 : place].isalnum()
        ends = [e for e in range(len(text), place, -1) if text[e - 1].isalnum() and not text[e : e + 1].isalnum()]
        hits = [(e, word) for e in ends if starts and (word := plain_word(words, text[place:e]))]
        if hits:
            rows.append([place, hits[0][0], ontology.lemma(hits[0][1]) or 0])
        place = hits[0][0] if hits else place + 1
    return rows


def plain_word(words: set[str], term: str) -> str | None:
    folded = " ".join(term.replace("-", " ").split())
    singulars = [folded.removesuffix(ending) + single for ending, single in ENDINGS if folded.endswith(ending)]
    return next((form for form in (folded, *(s for s in singulars if len(s) > 1)) if form in words), None)


def test_plurals_are_those_of_nltk() -> None:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    rules = WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS["n"]
    assert list(ENDINGS[: len(rules)]) == rules


def test_volumes_count_each_leaf_once() -> None:
    volumes = leaf_volumes({concept.id: concept.hypernyms for concept in ANIMALS})
    assert volumes == {"animal": 2, "pet": 1, "feline": 1, "cat": 1, "tabby": 0, "ox": 0}


def test_volumes_of_random_graphs_equal_plain_counts() -> None:
    draw = random.Random(5)
    for _ in range(100):
        number = draw.randint(1, 12)
        above = {
            str(node): tuple(str(up) for up in draw.sample(range(node), min(node, draw.randint(0, 3))))
            for node in range(number)
        }
        below = {up: {node for node in above if up in above[node]} for up in above}
        plain = {node: len(leaves(node, below)) if below[node] else 0 for node in above}
        assert leaf_volumes(above) == plain


def leaves(node: str, below: dict[str, set[str]]) -> set[str]:
    return {leaf for under in below[node] for leaf in leaves(under, below)} or {node}


def test_what_is_above_and_below_equals_plain_search() -> None:
    draw = random.Random(7)
    for _ in range(60):
        concepts = tuple(
            SourceConcept(f"c{node}", (f"c{node}",), tuple(f"c{up}" for up in draw.sample(range(node), min(node, 2))))
            for node in range(draw.randint(1, 12))
        )
        some = made(concepts)
        number = {concept.id: some.concept(concept.id) for concept in concepts}
        plain = {number[c.id]: {number[up] for up in ancestors(c.id, concepts)} for c in concepts}
        assert {node: set(some.above(node).tolist()) for node in plain} == plain
        tops = draw.sample(sorted(plain), min(2, len(plain)))
        below = some.lie_below(np.array(list(plain), np.int32), np.array(tops, np.int32)).tolist()
        assert below == [node in tops or bool(ups.intersection(tops)) for node, ups in plain.items()]


def ancestors(identifier: str, concepts: tuple[SourceConcept, ...]) -> set[str]:
    direct = next(concept.hypernyms for concept in concepts if concept.id == identifier)
    return {*direct, *(far for near in direct for far in ancestors(near, concepts))}


def test_all_matches_are_reported_where_asked() -> None:
    animals = made(ANIMALS)
    text = "a house cat, cats"
    assert [text[start:end] for start, end, *_ in animals.matches(text).tolist()] == ["house cat", "cat", "cats"]


def looked_up(ontology: Ontology, text: str) -> list[list[int]]:
    """Look every run of tokens up separately, and those before a full stop with it."""
    tokens = [match.span() for match in re.finditer(r"[^\W_]+", text)]
    runs = [(start, end) for first, (start, _) in enumerate(tokens) for _, end in tokens[first : first + 12]]
    bounds = [(start, each) for start, end in runs for each in (end, end + 1) if each == end or text[end:each] == "."]
    rows = zip(bounds, ontology.terms(text, bounds).tolist(), strict=True)
    return [[*place, lemma, form] for place, (lemma, form) in rows if lemma >= 0]


def test_words_are_found_as_if_every_run_was_looked_up() -> None:
    ontology, draw = wordnet(), random.Random(8)
    some = [ontology.word(draw.randrange(ontology.n_words)) for _ in range(300)]
    words = [
        *some,
        *(word.split()[0] for word in some),
        *("the", "a", "in", "St.", "new", "élan", "AND", "\0", "phantom limb"),
    ]
    gaps = (" ", " ", "-", ", ", ". ", "s ", "men ", ".\n", "\n\n", "\u2019s ", "\0")
    by_place = 0
    for _ in range(60):
        text = "".join(draw.choice(words) + draw.choice(gaps) for _ in range(25))
        rows = ontology.matches(text).tolist()
        assert rows == looked_up(ontology, text)
        stops = [place for place, letter in enumerate(text) if letter == "."][:3]
        borders = sorted({*draw.sample(range(len(text)), 8 - len(stops)), *stops})
        borders = borders[: len(borders) // 2 * 2]
        places = np.array(borders, np.int32).reshape(-1, 2)
        near = ontology.matches(text, places=places).tolist()
        assert near == [row for row in rows if any(row[0] < end and start < row[1] for start, end in places.tolist())]
        by_place += len(near)
    assert by_place > 100
    stop = np.array([[7, 8]], np.int32)
    assert [row[:2] for row in ontology.matches("the U.S. and", places=stop).tolist()] == [[4, 8]]


def test_circles_and_unknown_hypernyms_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^a: .*circle"):
        leaf_volumes({"a": ("b",), "b": ("a",)})
    with pytest.raises(UsageError, match="b is missing"):
        leaf_volumes({"a": ("b",)})


def test_a_path_goes_by_the_policy() -> None:
    some = made(
        (
            SourceConcept("root", ("root",)),
            SourceConcept("far", ("far",), ("root",)),
            SourceConcept("farther", ("farther",), ("far",)),
            SourceConcept("near", ("near",), ("root",)),
            SourceConcept("leaf", ("leaf",), ("farther", "near")),
            SourceConcept("other", ("other",), ("near",)),
        )
    )
    leaf = some.concept("leaf")
    names = {policy: [some.name_of(node) for node in some.path(leaf, policy)] for policy in ("first", "shortest")}
    assert names == {"first": ["leaf", "farther", "far", "root"], "shortest": ["leaf", "near", "root"]}
    assert [some.name_of(node) for node in some.path(leaf, "smallest")][:2] == ["leaf", "farther"]
    nodes, starts = some.paths([some.concept("far"), leaf])
    assert some.volumes_of(nodes, starts).tolist() == [1, 2, 1, 1, 1, 2]
    assert starts.tolist() == [0, 2, 6]


def test_files_of_equal_ontologies_are_equal_and_open_as_they_were(tmp_path: Path) -> None:
    arrays = pack_source(ConceptSource(ANIMALS, forms={"oxen": "ox"}))
    for name in ("a", "b"):
        save_arrays(tmp_path / name, arrays, {"name": "animals"})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again, about = map_arrays(tmp_path / "a")
    assert about == {"name": "animals"}
    assert {name: (values.dtype, values.tolist()) for name, values in again.items()} == {
        name: (values.dtype, values.tolist()) for name, values in arrays.items()
    }
    assert ontology_at(str(tmp_path / "a")).lemma("oxen") is not None


def test_other_files_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_text("term,parent\n")
    with pytest.raises(Exception, match=r"x\.npz: .*Expected a file of"):
        ontology_at(str(tmp_path / "x.npz"))
    with pytest.raises(UsageError, match="no such ontology"):
        ontology_at("nowhere")


def test_wordnet_has_the_papers_examples() -> None:
    drug = wordnet().concept("marijuana", "02953127-n")
    pain = wordnet().concept("Phantom limb pains")
    told = {node: (wordnet().name_of(node), int(wordnet().volumes[node])) for node in wordnet().path(drug)[1:2]}
    assert list(told.values()) == [("soft drug", 5)]
    assert [(wordnet().name_of(node), int(wordnet().volumes[node])) for node in wordnet().path(pain)[:2]] == [
        ("phantom limb pain", 1),
        ("pain", 3),
    ]
    assert wordnet().concept("marijuana", "marijuana%1:06:00::") == drug
    assert wordnet().name_of(wordnet().path(wordnet().concept("Sacramento"))[1]) == "state capital"
    assert wordnet().lemma("children") == wordnet().lemma("child")


def test_wordnet_has_one_root_and_no_nameless_concept() -> None:
    all_words = wordnet()
    assert (all_words.ups() < 0).sum() == 1
    assert all_words.volumes.max() == 67206
    bearers = [set(all_words.senses_of(int(name)).tolist()) for name in all_words.names[:2000]]
    assert all(concept in bearer for concept, bearer in enumerate(bearers))


def test_the_context_shows_the_sense() -> None:
    bank = wordnet().lemma("bank") or 0
    water = sense_in(wordnet(), bank, hashed_words("They pulled the canoe up on the sloping land by the river"))
    money = sense_in(wordnet(), bank, hashed_words("He cashed a check and made a deposit of money for lending"))
    assert [wordnet().name_of(wordnet().path(sense)[1]) for sense in (water, money)] == [
        "slope",
        "financial institution",
    ]


def test_an_unknown_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="no sense 00000000-n"):
        wordnet().concept("marijuana", "00000000-n")
