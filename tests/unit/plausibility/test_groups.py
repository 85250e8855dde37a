"""Concepts of a document that stand above each other, put together in the obvious way."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.plausibility.text.document_generalization import OtherOntologyTerms, fold_name, groups_of
from spark_deid.plausibility.text.senses import GeneralizationChain

MOST = 9


class Tree:
    """What groups ask of an ontology, of which they only need what stands above what."""

    def __init__(self, above: dict[int, frozenset[int]]) -> None:
        self.ancestors = above.__getitem__

    def ladder(self, concepts: frozenset[int]) -> GeneralizationChain:
        return GeneralizationChain(concepts, (), frozenset())

    def alone(self, concept: int) -> GeneralizationChain:
        return self.ladder(frozenset((concept,)))


@st.composite
def trees(draw: st.DrawFn) -> dict[int, frozenset[int]]:
    above: dict[int, frozenset[int]] = {}
    for concept in range(MOST):
        parents = draw(st.sets(st.integers(0, concept - 1), max_size=2)) if concept else set()
        above[concept] = frozenset(parents).union(*(above[parent] for parent in parents))
    return above


def walked(concept: int, known: frozenset[int], above: dict[int, frozenset[int]]) -> frozenset[int]:
    """Go from a concept to those above and below, and on from these."""
    found, new = frozenset[int](), frozenset((concept,))
    while new:
        found |= new
        new = frozenset(e for e in known if any(e in above[f] or f in above[e] for f in found)) - found
    return found


@given(trees(), st.frozensets(st.integers(0, MOST - 1)))
def test_concepts_above_one_another_have_one_group(above: dict[int, frozenset[int]], known: frozenset[int]) -> None:
    senses: Any = Tree(above)
    groups = groups_of(known, senses)
    assert {concept: group.concepts for concept, group in groups.items()} == {
        concept: walked(concept, known, above) for concept in known
    }


class Words:
    """What names tell of, in another ontology."""

    def __init__(self, reach: dict[str, frozenset[int]]) -> None:
        self.reach_of = reach.__getitem__


def test_a_name_holds_no_term_of_another_ontology_and_reports_none() -> None:
    senses: Any = Words({"soft drug": frozenset((1,)), "drugs of old": frozenset((2,)), "a drug": frozenset((9,))})
    strange = OtherOntologyTerms(frozenset((fold_name("soft-drug"),)), ((senses, frozenset((2,))),))
    assert [strange.allows(name) for name in ("soft drug", "drugs of old", "a drug")] == [False, False, True]
    assert OtherOntologyTerms().allows("soft drug")
