import random
from collections import Counter

import pytest

from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.recount.cut import PlausibilityCounts, sum_up
from spark_deid.plausibility.recount.table import RecountOntology
from spark_deid.plausibility.recount.telling import word_concepts_of
from spark_deid.plausibility.text.settings import GENERALIZE, OntologyReading
from spark_deid.plausibility.text.uses import FUNCTION_WORDS, WordUse, use_of
from tests.unit.plausibility.generalized import decided, marked, recounted, rule

TEXT = "Uses marijuana and aspirin; marijuana again."
SPANS = marked(TEXT, "marijuana", "aspirin")
RULES = rule(senses={"marijuana": "02953127-n"}, t=100)
SECOND = TEXT.rindex("marijuana")


def changed(start: int, replacement: str | None) -> list[LabelledEdit]:
    """Return the edits with another replacement at one place, or without that edit."""
    edits = decided(TEXT, SPANS, RULES).edits
    others = [edit for edit in edits if edit.start != start]
    kept = next(edit for edit in edits if edit.start == start)
    return sorted(others if replacement is None else [*others, kept._replace(replacement=replacement)])


def faults(edits: list[LabelledEdit]) -> set[str]:
    return set(recounted(TEXT, SPANS, edits, RULES).faults)


def test_what_the_technique_writes_holds() -> None:
    counted = recounted(TEXT, SPANS, decided(TEXT, SPANS, RULES).edits, RULES)
    assert not counted.faults
    assert (counted.terms, counted.segments) == (3, 1)
    assert counted.margin >= 0


@pytest.mark.parametrize(
    ("start", "replacement", "fault"),
    [
        (5, "hashish", "narrow"),
        (5, "aardvark", "narrow"),
        (5, "xyzzy", "unknown"),
        (5, "softdrug", "unknown"),
        (5, "marijuanas", "same"),
        (5, "MARIJUANA", "same"),
        (5, "ganja", "same"),
        (5, "cannabis", "same"),
        (5, "drug of abuse", "split"),
        (SECOND, None, "kept"),
        (SECOND, "ganja", "kept"),
        (19, "aspirin powder", "narrow"),
        (19, "salicylate", "short"),
    ],
)
def test_edits_changed_by_hand_are_refused(start: int, replacement: str | None, fault: str) -> None:
    assert fault in faults(changed(start, replacement))


def test_an_edit_that_nothing_asked_for_is_refused() -> None:
    text = "marijuana and cats"
    spans = marked(text, "marijuana")
    edits = [*decided(text, spans, RULES).edits, LabelledEdit(14, 18, "generalize", "animals", "TERM")]
    assert "foreign" in recounted(text, spans, edits, RULES).faults


@pytest.mark.parametrize(
    ("technique", "replacement", "told"),
    [
        ("recode", "{ganja, tea}", {"kept"}),
        ("recode", "[70-79]", set()),
        ("erase", "Ganjas", {"kept"}),
        ("recode", "[MARIJUANA]", set()),
        ("suppress", "[MARIJUANA]", set()),
        ("suppress", "[REMOVED]", set()),
    ],
)
def test_what_other_techniques_write_shows_as_well(technique: str, replacement: str, told: set[str]) -> None:
    text = "Uses marijuana at Xyzzy."
    spans = marked(text, "marijuana")
    other = LabelledEdit(18, 23, technique, replacement, "MARIJUANA")
    edits = [*decided(text, spans, RULES).edits, other]
    assert set(recounted(text, spans, edits, rule(senses={"marijuana": "02953127-n"}, t=2)).faults) == told


def test_of_concepts_below_one_another_the_smaller_volume_counts() -> None:
    text = "cat and Persian cat and aspirin"
    spans = marked(text, "cat", "Persian cat", "aspirin")
    edits = [
        LabelledEdit(0, 3, "generalize", "animal", "TERM"),
        LabelledEdit(8, 19, "generalize", "animal", "TERM"),
        LabelledEdit(24, 31, "generalize", "medicine", "TERM"),
    ]
    alone = recounted(text, spans, edits[:1] + edits[2:], rule())
    assert recounted(text, spans, edits, rule()).margin == pytest.approx(alone.margin)


def test_volumes_words_and_what_occurs_above_equal_the_packed_ones() -> None:
    ontology = wordnet()
    table = RecountOntology(ontology)
    draw = random.Random(2)
    for _ in range(300):
        concept = draw.randrange(ontology.n_concepts)
        assert table.ancestors(concept) == set(ontology.above(concept).tolist())
        assert table.volume(concept) == int(ontology.volumes[concept])
        word = ontology.word(draw.randrange(ontology.n_words))
        for written in (word, word.upper(), f"{word}s", f"{word}es", word.title().replace(" ", "-")):
            assert table.read(written) == ontology.lemma(written)


def test_what_shows_is_found_in_any_text() -> None:
    ontology = wordnet()
    teller = word_concepts_of(OntologyReading("wordnet"))
    draw = random.Random(4)
    words = [ontology.word(draw.randrange(ontology.n_words)) for _ in range(400)]
    found = 0
    for _ in range(30):
        text = "".join(
            draw.choice((*words, "a", "the", "U.S.")) + draw.choice((" ", "-", ", ", ".\n", "\n\n", "s "))
            for _ in range(30)
        )
        rows = ontology.matches(text)
        known = {int(ontology.senses_of(lemma)[0]) for lemma in rows[::5, 2].tolist()}
        known |= {int(ontology.above(concept)[0]) for concept in list(known)[:2] if len(ontology.above(concept))}
        told = {tuple(token) for token in teller.occurrences(text, known, {"a", "the"}, None)}
        expected = {(s, e) for s, e, lemma, _ in rows.tolist() if teller.tells(lemma, known, None)}
        stopped = {(s, e) for s, e in expected if teller_skips(text[s:e]) or text[s - 1 : e] in ("'s", "'t", "'d")}
        assert told == expected - stopped
        found += len(told)
    assert found > 100


def teller_skips(word: str) -> bool:
    return word.lower() in FUNCTION_WORDS and word not in ("a", "the")


def test_a_hypernym_that_hides_no_more_than_the_term_is_refused() -> None:
    text = "diabetes and aspirin"
    spans = marked(text, "diabetes")
    edits = [LabelledEdit(0, 8, "generalize", "polygenic disorder", "TERM")]
    assert "narrow" in recounted(text, spans, edits, rule()).faults


def test_a_term_inside_another_s_class_counts_by_what_hides_less() -> None:
    text = "cat and Persian cat"
    spans = marked(text, "cat", "Persian cat")
    edits = [
        LabelledEdit(0, 3, "generalize", "animal", "TERM"),
        LabelledEdit(8, 19, "generalize", "feline", "TERM"),
    ]
    least = recounted(text, spans[1:], edits[1:], rule(t=2))
    both, most = recounted(text, spans, edits, rule(t=2)), recounted(text, spans[:1], edits[:1], rule(t=2))
    assert both.margin == pytest.approx(least.margin)
    assert least.margin < most.margin


@pytest.mark.parametrize("narrow_first", [True, False])
def test_a_term_that_is_written_in_two_ways_counts_by_what_hides_less(narrow_first: bool) -> None:
    words = ("soft drug", "drug of abuse") if narrow_first else ("drug of abuse", "soft drug")
    edits = [
        LabelledEdit(start, start + 9, "generalize", word, "TERM")
        for start, word in zip((5, SECOND), words, strict=True)
    ]
    rules = rule(senses={"marijuana": "02953127-n"}, t=2)
    margins = [recounted(TEXT, SPANS, [edit], rules).margin for edit in edits]
    assert min(margins) < max(margins)
    assert recounted(TEXT, SPANS, edits, rules).margin == pytest.approx(min(margins))


def test_an_article_that_was_marked_itself_is_a_term() -> None:
    text = "a marijuana"
    edits = [*decided(text, marked(text, "marijuana"), RULES).edits, LabelledEdit(0, 1, "generalize", "an", "TERM")]
    assert not recounted(text, marked(text, "marijuana"), edits, RULES).faults
    assert recounted(text, marked(text, "a", "marijuana"), edits, RULES).faults


def test_of_several_documents_the_least_margin_counts() -> None:
    one, other = (PlausibilityCounts(Counter(), 1, 1, margin) for margin in (2.0, 0.5))
    assert sum_up([one, other]) == PlausibilityCounts(Counter(), 2, 2, 0.5)


def test_a_word_that_was_hidden_shows_no_one_what_is_next_to_it() -> None:
    rules = rule(t=64)
    text = "Our group: I have time. Silvian and I drove up to town, and Bea and I drove down."
    spans = marked(text, "group", "I")
    edits = decided(text, spans, rules).edits
    assert not any(edit.start == text.index("drove") and edit.technique == GENERALIZE for edit in edits)
    assert recounted(text, spans, edits, rules).faults == {}


def test_a_name_is_no_contraction() -> None:
    for text, use in (("Name: Don\nMiddle initial: L.", WordUse.UNDECIDED), ("I don't middle.", WordUse.OTHER)):
        start = text.lower().index("middle")
        assert use_of(text, start, start + 6, "middle") is use


def test_what_ends_a_contraction_is_no_term() -> None:
    rules = rule(t=64)
    text = "1 t of coal, 3 won. Most don't know. All don\u2019t, they won't, and I'm as tall as Ann's."
    spans = marked(text, "t", "won", "know")
    edits = decided(text, spans, rules).edits
    assert apply_edits(text, edits).endswith("All don\u2019t, they won't, and I'm as tall as Ann's.")
    spans = [*spans, *marked(text.replace("won.", "xxx."), "won")]  # whatever a detector marks
    edits = decided(text, spans, rules).edits
    assert recounted(text, spans, edits, rules).faults == {}
