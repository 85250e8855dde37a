import random

from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.ontology import from_arrays
from spark_deid.plausibility.term_generalization import climb
from tests.unit.plausibility.graphs import drawn, leaves_below


def test_a_climb_begins_at_the_lowest_node_with_a_leaf_of_others() -> None:
    draw = random.Random(23)
    for _ in range(150):
        some, above = drawn(draw)
        concepts = [some.concept(identifier) for identifier in above]
        found = climb(some, concepts)
        for row, (identifier, concept) in enumerate(zip(above, concepts, strict=True)):
            nodes = found.nodes[found.starts[row] : found.starts[row + 1]].tolist()
            hiding = [
                node
                for node in some.path(concept)
                if leaves_below(some.name_of(node), above) - leaves_below(identifier, above)
            ]
            assert nodes == hiding
            assert found.volumes[found.starts[row] : found.starts[row + 1]].tolist() == [
                len(leaves_below(some.name_of(node), above)) for node in nodes
            ]


def test_what_occurs_singly_has_nowhere_to_go() -> None:
    some = from_arrays(
        pack_source(ConceptSource((SourceConcept("a", ("a",)), SourceConcept("b", ("b",), ("a",))))), {"name": "chain"}
    )
    assert climb(some, [some.concept("a"), some.concept("b")]).starts.tolist() == [0, 0, 0]
