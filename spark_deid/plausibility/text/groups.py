"""Concepts of a document that tell of each other: those above and below one another have one generalization."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from spark_deid.plausibility.text.senses import Senses, Step

Related = Mapping[int, frozenset[int]]


class Group(NamedTuple):
    """Concepts that have one node in a document, and the generalizations to choose from, the lowest first."""

    concepts: frozenset[int]
    steps: tuple[Step, ...]


class Strange(NamedTuple):
    """Terms of a document in other ontologies: as they are written (``folded``), and their concepts there."""

    said: frozenset[str] = frozenset()
    known: tuple[tuple[Senses, frozenset[int]], ...] = ()

    def allows(self, name: str) -> bool:
        """Tell whether a name holds none of the terms, and tells of none."""
        if not self.known:
            return True
        within = folded(name)
        return not any(word in within for word in self.said) and all(
            known.isdisjoint(senses.reach_of(name)) for senses, known in self.known
        )


NOTHING_STRANGE = Strange()


def groups_of(concepts: Iterable[int], senses: Senses, strange: Strange = NOTHING_STRANGE) -> dict[int, Group]:
    """Return the group of each concept of a document.

    A generalization stands above all of a group, and its name tells of no concept of the document, nor of a term that
    other ontologies have; a group may have none.
    """
    known = frozenset(concepts)
    if all(known.isdisjoint(senses.ancestors(concept)) for concept in known):
        together: Iterable[frozenset[int]] = (frozenset((concept,)) for concept in known)
    else:
        together = _components({concept: known & senses.ancestors(concept) for concept in known})
    groups = (Group(each, _steps(each, known, senses, strange)) for each in together)
    return {concept: group for group in groups for concept in group.concepts}


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


def _steps(group: frozenset[int], known: frozenset[int], senses: Senses, strange: Strange) -> tuple[Step, ...]:
    if len(group) == 1:
        steps = senses.steps(min(group))
    else:
        volumes = senses.ontology.volumes
        tops = [concept for concept in group if group.isdisjoint(senses.ancestors(concept))]
        widest = max(tops, key=lambda concept: (int(volumes[concept]), -concept))
        above_all = frozenset.intersection(*(senses.ancestors(concept) for concept in group))
        floor = max(int(volumes[concept]) for concept in group)
        above = (step for step in senses.steps(widest) if step.node in above_all)
        lowered = (_lowered(step, group, senses) for step in above)
        steps = tuple(step for step in lowered if step.volume > floor)
    kept = [step for step in steps if known.isdisjoint(step.reach)]
    return tuple(step for step in kept if strange.allows(step.name)) if strange.known else tuple(kept)


def _lowered(step: Step, group: frozenset[int], senses: Senses) -> Step:
    """Return a step with the least volume and entropy that it has above one of a group."""
    volume = min(senses.volume(step.node, each) for each in group)
    return step._replace(volume=volume, bits=min(senses.bits(step.node, each) for each in group))


def folded(text: str) -> str:
    """Return a text as it is compared with names: words in lower case, with spaces on either side.

    >>> folded("Soft-drug\\nuser")
    ' soft drug user '
    """
    return f" {' '.join(text.lower().replace('-', ' ').replace('_', ' ').split())} "
