"""Terms of several ontologies in one document: what one writes must not reveal what another hides."""

import random
from pathlib import Path

import pytest

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.plausibility.text.settings import GeneralizeRules, GeneralizeSettings
from tests.unit.plausibility.generalized import decided, marked, published, recounted

TEXT = "From Beacon Hill, near the Hub."


def made(path: Path, *concepts: SourceConcept) -> str:
    save_arrays(path, pack_source(ConceptSource(concepts)), {"name": path.stem})
    return str(path)


@pytest.fixture
def quarters(tmp_path: Path) -> str:
    """Return an ontology that writes Boston for a quarter of it."""
    return made(
        tmp_path / "quarters.npz",
        SourceConcept("place", ("place",)),
        SourceConcept("boston", ("Boston",), ("place",)),
        *(SourceConcept(name, (name,), ("boston",)) for name in ("Beacon Hill", "Back Bay")),
        *(SourceConcept(name, (name,), ("place",)) for name in ("Soho", "Camden")),
    )


@pytest.fixture
def cities(tmp_path: Path) -> str:
    """Return an ontology that hides Boston, which it also calls the Hub."""
    return made(
        tmp_path / "cities.npz",
        SourceConcept("region", ("region",)),
        SourceConcept("boston", ("Boston", "Hub"), ("region",)),
        SourceConcept("salem", ("Salem",), ("region",)),
        SourceConcept("lowell", ("Lowell",), ("region",)),
    )


def rules_of(**ontologies: str) -> GeneralizeRules:
    return GeneralizeRules(
        {label: GeneralizeSettings(t=2, ontology=ontology) for label, ontology in ontologies.items()}
    )


@pytest.mark.parametrize("labels", [("A", "B"), ("B", "A")], ids=["writer first", "hider first"])
def test_what_one_ontology_writes_is_not_what_another_hides(
    quarters: str, cities: str, labels: tuple[str, str]
) -> None:
    writer, hider = labels
    rules = rules_of(**{writer: quarters, hider: cities})
    spans = [*marked(TEXT, "Beacon Hill", label=writer), *marked(TEXT, "Hub", label=hider)]
    assert published(TEXT, spans, rules) == "From place, near the region."
    assert not recounted(TEXT, spans, decided(TEXT, spans, rules).edits, rules).faults


def test_a_replacement_of_one_ontology_that_shows_anothers_term_is_refused(quarters: str, cities: str) -> None:
    rules = rules_of(A=quarters, B=cities)
    spans = [*marked(TEXT, "Beacon Hill", label="A"), *marked(TEXT, "Hub", label="B")]
    edits = [LabelledEdit(5, 16, "generalize", "Boston", "A"), LabelledEdit(27, 30, "generalize", "region", "B")]
    assert recounted(TEXT, spans, edits, rules).faults == {"kept": 1}


def test_names_of_two_ontologies_that_make_a_term_together_are_suppressed(tmp_path: Path) -> None:
    sizes = made(
        tmp_path / "sizes.npz",
        SourceConcept("new", ("new",)),
        SourceConcept("shiny", ("shiny",), ("new",)),
        SourceConcept("bright", ("bright",), ("new",)),
    )
    towns = made(
        tmp_path / "towns.npz",
        SourceConcept("york", ("York",)),
        SourceConcept("city", ("New York",), ("york",)),
        SourceConcept("soho", ("Soho",), ("york",)),
        SourceConcept("camden", ("Camden",), ("york",)),
    )
    rules = rules_of(A=sizes, B=towns)
    text = "New York: a shiny Soho."
    spans = [*marked(text, "New York", "Soho", label="B"), *marked(text, "shiny", label="A")]
    found = decided(text, spans, rules)
    assert not recounted(text, spans, found.edits, rules).faults
    assert published(text, spans, rules) == "York: [A] [B]."
    assert found.handed_back == (("generalize", "article", 1), ("generalize", "reads-as-term", 2))


def test_a_capital_that_becomes_two_characters_shifts_nothing(tmp_path: Path) -> None:
    text = "İzmir. Bursa."
    rules = GeneralizeRules({"CITY": GeneralizeSettings(t=2, ontology="places")})
    both = published(text, marked(text, "İzmir", "Bursa", label="CITY"), rules)
    alone = published("x. Bursa.", marked("x. Bursa.", "Bursa", label="CITY"), rules)
    assert both.endswith(alone[2:])
    assert "[CITY]" not in alone


def test_whatever_is_written_for_words_of_several_ontologies_is_counted_to_hold() -> None:
    draw = random.Random(9)
    words = ["Boston", "Massachusetts", "state", "city", "45", "45 years old", "May", "March 2015", "month", "cat", "a"]
    words += ["Paris", "France", "country", "number", "year", "person", "an", "animal", "Texas", "capital", "region"]
    ontologies = {"A": "wordnet", "B": "places", "C": "dates", "D": "ages"}
    terms = 0
    for _ in range(150):
        drawn = [draw.choice(words) for _ in range(25)]
        text = " ".join(drawn)
        starts = [len(" ".join(drawn[:n])) + (n > 0) for n in range(len(drawn))]
        chosen = [n for n in range(len(drawn)) if draw.random() < 0.3]
        labels = list(ontologies)
        draw.shuffle(labels)
        rules = rules_of(**dict(zip(labels, ontologies.values(), strict=True)))
        spans = [Span(starts[n], starts[n] + len(drawn[n]), draw.choice(labels), source="x") for n in chosen]
        counted = recounted(text, spans, decided(text, spans, rules).edits, rules)
        assert not counted.faults, text
        terms += counted.terms
    assert terms > 200
