import random
from itertools import accumulate
from pathlib import Path

import pytest
from pydantic import ValidationError

from spark_deid.core.edit import apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule
from spark_deid.core.span import Span
from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.text.segments import starts_of
from spark_deid.plausibility.text.settings import GeneralizeRules, GeneralizeSettings, rules_of
from spark_deid.text.visible import visible
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule

DRUG = {"marijuana": "02953127-n"}


def made(path: Path, *concepts: SourceConcept) -> str:
    save_arrays(path / "own.npz", pack_source(ConceptSource(concepts)), {"name": "own"})
    return str(path / "own.npz")


def test_the_papers_example_in_text() -> None:
    text = "Uses marijuana for phantom limb pain"
    spans = marked(text, "marijuana", "phantom limb pain")
    for search in ("exact", "pruned", "one-step", "lub"):
        rules = rule(senses=DRUG, search=search)
        assert published(text, spans, rules) == "Uses soft drug for pain"


def test_article_plural_and_case_agree() -> None:
    text = "A cat and an ox. Cats sleep; she has AN OX."
    assert published(text, marked(text, "cat", "ox"), rule(t=100)) == (
        "A feline and a cattle. Felines sleep; she has A CATTLE."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("has an\nulcer", "has a\nlesion"),
        ("has an  \n  ulcer", "has a  \n  lesion"),
        ("an \u201culcer\u201d, as said", "a \u201clesion\u201d, as said"),
        ("an (*ulcer*)", "a (*lesion*)"),
        ("HAD AN ULCER", "HAD A LESION"),
        ("vitamin-an ulcer", "vitamin-a lesion"),
        ("than ulcer", "than lesion"),
        ("an old ulcer", "an old lesion"),
        ("an\n\nulcer", "an\n\nlesion"),
    ],
)
def test_articles_agree_across_lines_and_signs_and_in_uppercase(text: str, expected: str) -> None:
    spans = marked(text, "ULCER" if text.isupper() else "ulcer")
    found = decided(text, spans, rule(t=4))
    assert apply_edits(text, found.edits) == expected
    assert not recounted(text, spans, found.edits, rule(t=4)).faults


def test_articles_of_what_is_suppressed_go_along_across_lines_and_signs() -> None:
    text = "an\nxyzzy, AN (xyzzyx)"
    assert published(text, marked(text, "xyzzy", "xyzzyx"), rule()) == "[TERM]\n[TERM], [TERM] ([TERM])"


def test_a_capital_that_begins_a_sentence_does_not_choose_among_words() -> None:
    text = "Anemia came. Then anemia stayed."
    found = published(text, marked(text, "Anemia"), rule(t=20))
    assert found == "Blood disease came. Then blood disease stayed."


def test_synonyms_inflections_and_narrower_terms_go_along() -> None:
    text = "Took cannabis. A Persian cat, two cats; CANNABIS, ganja and marihuana."
    spans = marked(text, "cannabis", "cats")
    senses = {"cannabis": "02953127-n"}
    assert published(text, spans, rule(senses=senses, t=4)) == (
        "Took soft drug. A feline, two felines; SOFT DRUG, soft drug and soft drug."
    )


@pytest.mark.parametrize("seed", range(10))
def test_texts_are_generalized_as_they_look(seed: int) -> None:
    text = "Took cannabis. A Persian cat, two cats; CANNABIS, an ox, ganja and a xyzzy."
    spans = marked(text, "cannabis", "cats", "ox", "xyzzy")
    rules = rule(senses={"cannabis": "02953127-n"}, t=4)
    draw = random.Random(seed)
    pieces = [letter + "\u00ad" * (letter.isalpha() and draw.random() < 0.3) for letter in text]
    starts = [0, *accumulate(map(len, pieces))]
    noisy, moved = "".join(pieces), [span._replace(start=starts[span.start], end=starts[span.end]) for span in spans]
    edits = decided(noisy, moved, rules).edits
    assert visible(apply_edits(noisy, edits)).text == published(text, spans, rules)
    assert not recounted(noisy, moved, edits, rules).faults
    synonym = next(edit for edit in edits if edit.start == starts[text.index("ganja")])
    assert set(recounted(noisy, moved, [edit for edit in edits if edit != synonym], rules).faults) == {"kept"}


def test_what_the_ontology_lacks_is_suppressed_with_its_article() -> None:
    text = "He has an infarct, a xyzzy and an abba."
    found = decided(text, marked(text, "infarct", "xyzzy", "abba"), rule())
    assert found.handed_back == (("generalize", "article", 2), ("generalize", "outside-ontology", 2))
    assert published(text, marked(text, "infarct", "xyzzy", "abba"), rule()).startswith("He has a ")
    assert published(text, marked(text, "infarct", "xyzzy", "abba"), rule()).endswith(", [TERM] and [TERM].")


def test_remains_of_overlaps_and_pieces_of_terms_are_not_looked_up() -> None:
    text = "phantom limb pain relief, left and right kidney"
    spans = [
        Span(0, 17, "TERM", source="terms"),
        Span(13, 24, "TERM", source="terms"),
        Span(26, 30, "TERM", source="terms", annotation_id="1"),
        Span(41, 47, "TERM", source="terms", annotation_id="1"),
    ]
    found = decided(text, spans, rule(t=2))
    assert found.handed_back == (("generalize", "part-of-term", 3),)
    assert [edit.start for edit in found.edits if edit.technique == "generalize"] == [0]


def test_a_concept_has_one_node_the_highest_that_a_segment_needs() -> None:
    text = "Pain and aspirin and asthma.\n\nThe pain stayed."
    spans = marked(text, "Pain", "aspirin", "asthma", "pain")
    alone = published("The pain stayed.", marked("The pain stayed.", "pain"), rule(t=50, segment="paragraph"))
    both = published(text, spans, rule(t=50, segment="paragraph"))
    assert both.endswith(alone)
    assert both.startswith(alone[len("The ") : -len(" stayed.")].capitalize())


def test_an_infeasible_segment_is_suppressed() -> None:
    text = "pain here\n\npain and aspirin there"
    spans = marked(text, "pain", "pain", "aspirin")
    rules = rule(t=1 << 20, segment="paragraph")
    found = decided(text, spans, rules)
    assert found.handed_back == (("generalize", "infeasible", 1),)
    assert published(text, spans, rules).startswith("[TERM] here")
    assert not recounted(text, spans, found.edits, rules).faults


def test_names_that_hold_a_term_of_the_document_are_climbed_past(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        SourceConcept("thing", ("thing",)),
        SourceConcept("use", ("drug use",), ("thing",)),
        SourceConcept("smoke", ("smoking",), ("use",)),
        SourceConcept("sniff", ("sniffing",), ("use",)),
        SourceConcept("stuff", ("substance",), ("thing",)),
        SourceConcept("drug", ("drug",), ("stuff",)),
        SourceConcept("food", ("food",), ("stuff",)),
    )
    assert published("smoking", marked("smoking", "smoking"), rule(ontology=ontology, t=2)) == "drug use"
    text = "smoking a drug"
    assert published(text, marked(text, "smoking", "drug"), rule(ontology=ontology, t=2)) == "thing a substance"


def test_a_name_that_several_nodes_bear_counts_as_the_smallest(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        SourceConcept("top", ("thing",)),
        SourceConcept("wide", ("animal",), ("top",)),
        SourceConcept("narrow", ("beast", "animal"), ("wide",)),
        SourceConcept("cat", ("cat",), ("narrow",)),
        SourceConcept("dog", ("dog",), ("narrow",)),
        *(SourceConcept(f"bird{n}", (f"bird{n}",), ("wide",)) for n in range(5)),
    )
    rules = rule(ontology=ontology, t=3)
    assert published("cat", marked("cat", "cat"), rules) == "thing"


def test_a_word_that_shows_what_only_occurs_within_a_longer_term_is_not_generalized(tmp_path: Path) -> None:
    ontology = made(
        tmp_path,
        SourceConcept("thing", ("thing",)),
        SourceConcept("letter", ("T",), ("thing",)),
        SourceConcept("sign", ("sign",), ("thing",)),
        SourceConcept("unit", ("unit",), ("thing",)),
        SourceConcept("zton", ("ton", "T"), ("unit",)),
        SourceConcept("zlong", ("long ton",), ("unit",)),
    )
    text = "A unit, a long ton, T."
    rules = rule(ontology=ontology, t=2)
    found = decided(text, marked(text, "unit"), rules)
    assert [edit.technique for edit in found.edits] == ["generalize", "generalize", "suppress"]
    assert not recounted(text, marked(text, "unit"), found.edits, rules).faults


def test_originals_that_are_hardly_ever_written_hide_little(tmp_path: Path) -> None:
    table = tmp_path / "frequencies.csv"
    table.write_text("term,count\nphantom limb pain,5\n")
    text = "has phantom limb pain"
    spans = marked(text, "phantom limb pain")
    alike, known = rule(t=2), rule(t=2, frequencies=str(table), unseen=0.001)
    assert published(text, spans, alike) != published(text, spans, known)
    found = decided(text, spans, known)
    counted = recounted(text, spans, found.edits, known)
    assert not counted.faults
    assert counted.margin >= 0
    assert recounted(text, spans, decided(text, spans, alike).edits, known).faults == {"short": 1}


def test_each_rule_has_its_own_terms_and_t() -> None:
    text = "pain and aspirin"
    spans = [*marked(text, "pain", label="A"), *marked(text, "aspirin", label="B")]
    rules = GeneralizeRules({"A": GeneralizeSettings(t=2), "B": GeneralizeSettings(t=1 << 16)})
    assert published(text, spans, rules).split(" and ")[0] == published(text, spans, rule("A", t=2)).split(" and ")[0]


@pytest.mark.parametrize(
    ("ontology", "text", "terms", "t", "expected"),
    [
        (
            "ages",
            "45 years old, his 49-year-old wife; 45.",
            ("45 years old", "49-year-old"),
            5,
            "45-49 years old, his 45-49-year-old wife; 45-49.",
        ),
        ("ages", "She is 93.", ("93",), 5, "She is 90 or older."),
        ("dates", "Seen 3/14/2015 and on 14 March 2015.", ("3/14/2015",), 20, "Seen March 2015 and on March 2015."),
        ("places", "From Boston.", ("Boston",), 3, "From Massachusetts."),
    ],
)
def test_ages_dates_and_places(ontology: str, text: str, terms: tuple[str, ...], t: int, expected: str) -> None:
    rules = rule(ontology=ontology, t=t, segment="document")
    spans = marked(text, *terms)
    found = decided(text, spans, rules)
    assert published(text, spans, rules) == expected
    assert not recounted(text, spans, found.edits, rules).faults


def test_other_edits_are_not_gone_over() -> None:
    text = "cannabis for Ann Cannabis"
    spans = [*marked(text, "cannabis"), *marked(text, "Ann Cannabis", label="NAME")]
    assert published(text, spans, rule(senses={"cannabis": "02953127-n"}, t=4)) == "soft drug for [NAME]"


def test_an_exact_search_that_gives_way_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "pain and aspirin and a cat"
    spans = marked(text, "pain", "aspirin", "cat")
    exact = decided(text, spans, rule(t=100))
    monkeypatch.setattr("spark_deid.plausibility.search.MOST_STATES", 1)
    found = decided(text, spans, rule(t=100))
    assert not exact.handed_back
    assert found.handed_back == (("generalize", "greedy-search", 1),)
    assert {edit.technique for edit in found.edits} == {"generalize"}


def test_bad_settings_are_reported() -> None:
    with pytest.raises(ValidationError, match="no sense 1"):
        GeneralizeSettings(senses={"marijuana": "1"})
    with pytest.raises(ValidationError):
        GeneralizeSettings(t=1)
    with pytest.raises(UsageError, match="no such ontology"):
        GeneralizeSettings(ontology="nowhere")
    differ = {"A": {"paths": "first"}, "B": {"paths": "shortest"}}
    with pytest.raises(UsageError, match="expected equal paths"):
        rules_of(
            {label: LabelRule("generalize", GeneralizeSettings.model_validate(each)) for label, each in differ.items()}
        )


def test_sentences_and_paragraphs() -> None:
    text = "Dr. May came. He left.\nAll is well (3 p.m. or so).\n\nnext. part"
    assert [text[s:][:4] for s in starts_of(text, "sentence")] == ["Dr. ", "He l", "All ", "next"]
    assert [text[s:][:4] for s in starts_of(text, "paragraph")] == ["Dr. ", "next"]
    assert starts_of("", "sentence") == (0,)


@pytest.mark.thorough
def test_whatever_is_generalized_is_counted_to_hold(tmp_path: Path) -> None:
    draw = random.Random(5)
    table = str(tmp_path / "frequencies.csv")
    Path(table).write_text("term,count\ncat,5\ndog,9\nheroin,2\nlung,3\ncity,8\ncar,10\nperson,4\n")
    ontology = wordnet()
    words = [ontology.word(draw.randrange(ontology.n_lemmas)) for _ in range(300)]
    common = ["a", "an", "the", "of", "pain", "cat", "cats", "animal", "drug", "drugs", "person", "disease", "A", "The"]
    common += ["In", "use", "state", "user;", "city.", "car", "car\n\n"]
    terms = 0
    for _ in range(150):
        drawn = [draw.choice(words if draw.random() < 0.2 else common) for _ in range(40)]
        text = " ".join(drawn)
        starts = [len(" ".join(drawn[:n])) + (n > 0) for n in range(len(drawn))]
        chosen = [n for n in range(len(drawn)) if draw.random() < 0.2]
        labels = ("A", "B", "C")
        spans = [Span(starts[n], starts[n] + len(drawn[n]), draw.choice(labels), source="x") for n in chosen]
        spans += [Span(s.start, min(s.end + 5, len(text)), "C", source="x") for s in spans[:1]]
        segment = draw.choice(("document", "sentence", "paragraph"))
        objective = draw.choice(("uniform", "volume"))
        frequencies = {"frequencies": table, "unseen": 0.1} if draw.random() < 0.3 else {}
        more = {
            **frequencies,
            "segment": segment,
            "objective": objective,
            "paths": draw.choice(("first", "shortest", "smallest")),
        }
        rules = GeneralizeRules(
            {
                "A": GeneralizeSettings.model_validate({"t": draw.choice((2, 50, 4096)), **more}),
                "B": GeneralizeSettings.model_validate({"t": 20, **more}),
            }
        )
        found = decided(text, spans, rules)
        counted = recounted(text, spans, found.edits, rules)
        assert not counted.faults, text
        terms += counted.terms
    assert terms > 500
