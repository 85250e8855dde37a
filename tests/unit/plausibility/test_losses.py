import math

import pytest

from spark_deid.core.edit import LabelledEdit
from spark_deid.plan.load import check_methods
from spark_deid.plausibility.ontology import wordnet
from spark_deid.plausibility.recount.losses import losses_of, similarity, unknown_terms
from spark_deid.plausibility.text.utility import changes
from tests.unit.plausibility.generalized import decided, marked, rule

TEXT = "Uses marijuana and xyzzy for a phantom limb pain"
RULES = rule(senses={"marijuana": "02953127-n"})


def edits() -> list[LabelledEdit]:
    return [
        LabelledEdit(*e) for e in decided(TEXT, marked(TEXT, "marijuana", "xyzzy", "phantom limb pain"), RULES).edits
    ]


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


def test_a_term_is_told_once_however_it_is_written() -> None:
    text = "Arthritis? Yes, arthritis."
    plan = check_methods({"ontology": {"words": "all"}, "rules": {"TERM": "generalize"}}, "plan")
    edits = [LabelledEdit(start, start + 9, "generalize", "inflammatory disease", "TERM") for start in (0, 16)]
    [change] = changes({}, plan, text, edits)
    assert change.before == "Arthritis"
