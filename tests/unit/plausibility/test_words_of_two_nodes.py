"""A replacement that two nodes above its term are called by: only the smaller one counts."""

from pathlib import Path

import pytest

from spark_deid.core.edit import LabelledEdit
from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from tests.unit.plausibility.generalized import marked, recounted, rule

TEXT = "An old oak stood there."


@pytest.fixture
def plants(tmp_path: Path) -> str:
    """Return an ontology in which two leaves are trees in the strict sense, and five in another."""
    concepts = (
        SourceConcept("thing", ("thing",)),
        SourceConcept("plant", ("plant", "tree"), ("thing",)),
        SourceConcept("tree", ("tree", "hardwood"), ("plant",)),
        *(SourceConcept(name, (name,), ("tree",)) for name in ("oak", "elm")),
        *(SourceConcept(name, (name,), ("plant",)) for name in ("fern", "moss", "ivy")),
    )
    save_arrays(tmp_path / "plants.npz", pack_source(ConceptSource(concepts)), {"name": "plants"})
    return str(tmp_path / "plants.npz")


@pytest.mark.parametrize(
    ("replacement", "t", "is_short"),
    [("plant", 5, False), ("tree", 5, True), ("tree", 3, True), ("tree", 2, False), ("hardwood", 3, True)],
)
def test_what_may_represent_two_nodes_hides_as_much_as_the_smaller(
    plants: str, replacement: str, t: int, is_short: bool
) -> None:
    spans = marked(TEXT, "oak")
    edits = [LabelledEdit(spans[0].start, spans[0].end, "generalize", replacement, "TERM")]
    counted = recounted(TEXT, spans, edits, rule(ontology=plants, t=t))
    assert set(counted.faults) == ({"short"} if is_short else set())
    assert (counted.margin < 0) == is_short
