"""Concepts of a document that tell of each other: those above and below one another have one generalization."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from spark_deid.plausibility.text.senses import GeneralizationChain, WordSenses

Related = Mapping[int, frozenset[int]]


class OtherOntologyTerms(NamedTuple):
    """Terms of a document in other ontologies: as they are written (``fold_name``), and their concepts there."""

    said: frozenset[str] = frozenset()
    known: tuple[tuple[WordSenses, frozenset[int]], ...] = ()

    def allows(self, name: str) -> bool:
        """Tell whether a name holds none of the terms, and tells of none."""
        if not self.known:
            return True
        within = fold_name(name)
        return not any(word in within for word in self.said) and all(
            known.isdisjoint(senses.reach_of(name)) for senses, known in self.known
        )


NO_OTHER_TERMS = OtherOntologyTerms()


def groups_of(
    concepts: Iterable[int], senses: WordSenses, others: OtherOntologyTerms = NO_OTHER_TERMS
) -> dict[int, GeneralizationChain]:
    """Return what each concept of a document can become, with those that have one node with it.

    A generalization stands above all of a group, and its name tells of no concept of the document, nor of a term that
    other ontologies have; a group may have none.
    """
    known = frozenset(concepts)
    if all(map(known.isdisjoint, map(senses.ancestors, known))):
        ladders = map(senses.alone, known)
    else:
        ladders = map(senses.ladder, _components({concept: known & senses.ancestors(concept) for concept in known}))
    found: dict[int, GeneralizationChain] = {}
    for ladder in ladders:
        free = ladder
        if not known.isdisjoint(ladder.reach):
            free = senses.free_ladder(ladder.concepts, known & ladder.reach)
        if others.known:
            free = free._replace(steps=tuple(step for step in free.steps if others.allows(step.name)))
        for concept in ladder.concepts:
            found[concept] = free
    return found


def _components(above: Related) -> list[frozenset[int]]:
    """Put concepts together of which one stands above the other, directly or through others."""
    owner = {concept: concept for concept in above}

    def owner_of(concept: int) -> int:
        while owner[concept] != concept:
            owner[concept] = concept = owner[owner[concept]]
        return concept

    for concept, others in above.items():
        for other in others:
            owner[owner_of(other)] = owner_of(concept)
    found: dict[int, list[int]] = {}
    for concept in above:
        found.setdefault(owner_of(concept), []).append(concept)
    return sorted(map(frozenset, found.values()), key=min)


def fold_name(text: str) -> str:
    """Return a text as it is compared with names: words in lower case, with spaces on either side.

    >>> fold_name("Soft-drug\\nuser")
    ' soft drug user '
    """
    return f" {' '.join(text.lower().replace('-', ' ').replace('_', ' ').split())} "
