"""Random ontologies, and what is below their concepts, counted plainly."""

import random

from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.ontology import Ontology, from_arrays


def drawn(draw: random.Random) -> tuple[Ontology, dict[str, tuple[str, ...]]]:
    above = {
        f"c{node}": tuple(f"c{up}" for up in draw.sample(range(node), min(node, draw.randint(1, 2))))
        for node in range(draw.randint(1, 14))
    }
    concepts = tuple(SourceConcept(identifier, (identifier,), ups) for identifier, ups in above.items())
    return from_arrays(pack_source(ConceptSource(concepts)), {"name": "drawn"}), above


def leaves_below(identifier: str, above: dict[str, tuple[str, ...]]) -> set[str]:
    below = {leaf for node, ups in above.items() if identifier in ups for leaf in leaves_below(node, above)}
    return below or {identifier}
