"""A word whose usual sense is elsewhere, and plans whose subtrees are named or shared wrongly."""

import pytest
from pydantic import ValidationError

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import LabelRule
from spark_deid.ontology.ontology import wordnet
from spark_deid.ontology.subtrees import OUTSIDE, hang_concepts, roots_of
from spark_deid.plausibility.text.settings import GeneralizeSettings, rules_of
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule


def test_a_word_has_its_first_sense_below_the_roots() -> None:
    text = "He has a depression, hypertension and a migraine."
    spans = marked(text, "depression", "hypertension", "migraine")
    rules = rule(t=4, below=["physical condition", "symptom"])
    assert published(text, spans, rules) == "He has an affective disorder, cardiovascular disease and a headache."
    assert not recounted(text, spans, decided(text, spans, rules).edits, rules).faults


def test_a_word_without_a_sense_there_is_suppressed() -> None:
    text = "He has a programmer and measles."
    spans = marked(text, "programmer", "measles")
    found = decided(text, spans, rule(t=4, below=["disease"]))
    assert [edit.technique for edit in found.edits] == ["suppress", "generalize"]
    assert ("generalize", "outside-ontology", 1) in found.handed_back


def test_nothing_is_written_from_above_a_root() -> None:
    text = "He has measles."
    for t in (4, 64, 400):
        written = published(text, marked(text, "measles"), rule(t=t, below=["disease"]))
        assert "disease" in written
    assert published(text, marked(text, "measles"), rule(t=5000, below=["disease"])) == "He has [TERM]."


@pytest.mark.parametrize("paths", ["first", "shortest", "smallest"])
def test_what_is_hung_remains_in_its_tree(paths: str) -> None:
    ontology = wordnet()
    roots = roots_of(ontology, ("physical condition", "symptom"))
    hung = hang_concepts(ontology, roots, paths)  # type: ignore[arg-type]
    starts, hypernyms = ontology.hypernym_starts, ontology.hypernyms
    inside = hung.inside.nonzero()[0].tolist()
    assert set(inside) == {c for c in range(ontology.n_concepts) if {c, *ontology.above(c).tolist()} & set(roots)}
    for concept in inside:
        parent = hung.parents[concept]
        assert parent != OUTSIDE
        assert concept in roots or parent in hypernyms[starts[concept] : starts[concept + 1]]
        assert hung.path(concept)[-1] in roots


def rules(**labels: dict[str, object]) -> None:
    rules_of(
        {label: LabelRule("generalize", GeneralizeSettings.model_validate(each)) for label, each in labels.items()}
    )


def test_partitions_share_no_part_of_an_ontology_unless_they_count_as_one() -> None:
    cut: dict[str, object] = {"search": "cut", "t": 10}
    rules(A={**cut, "below": ["disease"]}, B={**cut, "below": ["disease"]}, C={**cut, "below": ["plant|00017402-n"]})
    rules(A={"below": ["disease"]}, B={"below": ["illness"]})
    others: list[dict[str, object]] = [{**cut, "below": ["illness"]}, {**cut, "below": ["disease"], "t": 11}]
    for other in (*others, dict[str, object](below=["plant|00017402-n"])):
        with pytest.raises(UsageError, match="rules of A, B"):
            rules(A={**cut, "below": ["disease"]}, B=other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"search": "cut", "sense": "lesk"},
        {"search": "cut", "ontology": "ages"},
        {"below": ["no such thing"]},
        {"below": ["disease", "disease"]},
        {"below": ["disease"], "senses": {"marijuana": "02953127-n"}},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GeneralizeSettings.model_validate(wrong)
