import math
from collections import Counter

import pytest

from spark_deid.core.edit import LabelledEdit
from spark_deid.ontology.ontology import wordnet
from spark_deid.plan.load import check_methods
from spark_deid.plausibility.recount.losses import losses_of, similarity, texts_of, unknown_terms
from spark_deid.plausibility.technique import changes, mean_bits, rows_of_bits
from tests.unit.plausibility.generalized import decided, marked, recounted, rule

TEXT = "Uses marijuana and xyzzy for a phantom limb pain"
DRUG = ("marijuana", "02953127-n")
RULES = rule(senses=dict([DRUG]))
TERMS = ("marijuana", "xyzzy", "phantom limb pain")


def edits() -> list[LabelledEdit]:
    return [LabelledEdit(*e) for e in decided(TEXT, marked(TEXT, *TERMS), RULES).edits]


def test_losses_are_logarithms_of_volumes() -> None:
    losses = list(losses_of(TEXT, edits(), RULES))
    assert [(loss.before, loss.after, loss.volume) for loss in losses] == [
        ("marijuana", "soft drug", 5),
        ("phantom limb pain", "pain", 3),
    ]
    own = int(wordnet().volumes[wordnet().concept("marijuana", "02953127-n")])
    assert losses[0].bits == pytest.approx(math.log2(5 / own))
    assert similarity(losses) == pytest.approx(((1 / 5 + 1 / 3) / 2) ** 0.5)
    assert similarity(losses, 1) < similarity(losses)


def test_terms_that_no_ontology_has_are_listed() -> None:
    assert list(unknown_terms(TEXT, edits(), RULES)) == ["xyzzy"]


def test_a_term_is_reported_once_however_it_is_written() -> None:
    text = "Arthritis? Yes, arthritis."
    plan = check_methods({"ontology": {"words": "all"}, "rules": {"TERM": "generalize"}}, "plan")
    edits = [LabelledEdit(start, start + 9, "generalize", "inflammatory disease", "TERM") for start in (0, 16)]
    [change] = changes({}, plan, text, edits)
    assert change.before == "Arthritis"


def test_texts_that_a_segment_could_be_are_reported_without_the_leaves_below_its_terms() -> None:
    [told] = texts_of(TEXT, losses_of(TEXT, edits(), RULES), RULES)
    drug, pain = (int(wordnet().volumes[wordnet().concept(*term)]) for term in (DRUG, ("phantom limb pain",)))
    assert told == ("TERM", 5 * 3, (5 - drug) * (3 - pain))
    assert math.log2(told.number / 10) == pytest.approx(recounted(TEXT, marked(TEXT, *TERMS), edits(), RULES).margin)


def test_texts_are_counted_by_segment_with_each_concept_once() -> None:
    text = "A cat, a Persian cat, cats.\n\nThe cat has pain."
    rules = rule(segment="paragraph", t=2)
    written = {"cat": "animal", "Persian cat": "animal", "cats": "animals", "pain": "symptom"}
    spans = marked(text, "cat", "Persian cat", "cats", "cat", "pain")
    edits = [LabelledEdit(s.start, s.end, "generalize", written[text[s.start : s.end]], "TERM") for s in spans]
    first, second = texts_of(text, losses_of(text, edits, rules), rules)
    volume = {name: int(wordnet().volumes[wordnet().concept(name)]) for name in ("animal", "cat", "symptom", "pain")}
    assert first == ("TERM", volume["animal"], volume["animal"] - volume["cat"])
    assert second.number == volume["animal"] * volume["symptom"]
    assert second.others == (volume["animal"] - volume["cat"]) * (volume["symptom"] - volume["pain"])


def test_lost_bits_are_reported_by_ranges_with_their_mean() -> None:
    counted = Counter({2: 1, 4: 3})
    assert [(row["name"], row["terms"]) for row in rows_of_bits(counted)] == [
        ("2 to 3", 1),
        ("3 to 4", 0),
        ("4 to 5", 3),
    ]
    assert mean_bits(counted) == (2.5 + 3 * 4.5) / 4
