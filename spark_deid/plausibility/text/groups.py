"""Concepts of a document that tell of each other: those above and below one another have one generalization."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from spark_deid.plausibility.text.senses import Senses, Step

Related = Mapping[int, frozenset[int]]


class Group(NamedTuple):
    """Concepts that have one node in a document, and the generalizations to choose from, the lowest first."""

    concepts: frozenset[int]
    steps: tuple[Step, ...]


def groups_of(concepts: Iterable[int], senses: Senses, said: Collection[str] = ()) -> dict[int, Group]:
    """Return the group of each concept of a document.

    A generalization stands above all of a group, and its name tells of no concept of the document and holds none of
    the words ``said`` (folded, with a space on either side); a group may have none.
    """
    known = frozenset(concepts)
    if all(known.isdisjoint(senses.ancestors(concept)) for concept in known):
        together: Iterable[frozenset[int]] = (frozenset((concept,)) for concept in known)
    else:
        together = _components({concept: known & senses.ancestors(concept) for concept in known})
    groups = (Group(each, _steps(each, known, senses, said)) for each in together)
    return {concept: group for group in groups for concept in group.concepts}


def _components(above: Related) -> list[frozenset[int]]:
    """Put concepts together of which one stands above the other, directly or through others."""
    owner = {concept: {concept} for concept in above}
    for concept, others in above.items():
        for other in others:
            if owner[concept] is owner[other]:
                continue
            joined = owner[concept] | owner[other]
            owner |= dict.fromkeys(joined, joined)
    return sorted({frozenset(each) for each in owner.values()}, key=min)


def _steps(group: frozenset[int], known: frozenset[int], senses: Senses, said: Collection[str]) -> tuple[Step, ...]:
    if len(group) == 1:
        steps = senses.steps(min(group))
        if not said and known.isdisjoint(senses.reach(min(group))):
            return steps
    else:
        volumes = senses.ontology.volumes
        tops = [concept for concept in group if group.isdisjoint(senses.ancestors(concept))]
        widest = max(tops, key=lambda concept: (int(volumes[concept]), -concept))
        above_all = frozenset.intersection(*(senses.ancestors(concept) for concept in group))
        floor = max(int(volumes[concept]) for concept in group)
        above = (step for step in senses.steps(widest) if step.node in above_all)
        lowered = (_lowered(step, group, senses) for step in above)
        steps = tuple(step for step in lowered if step.volume > floor)
    return tuple(step for step in steps if known.isdisjoint(step.reach) and not _holds(step.name, said))


def _lowered(step: Step, group: frozenset[int], senses: Senses) -> Step:
    """Return a step with the least volume and entropy that it has above one of a group."""
    volume = min(senses.volume(step.node, each) for each in group)
    return step._replace(volume=volume, bits=min(senses.bits(step.node, each) for each in group))


def _holds(name: str, said: Collection[str]) -> bool:
    return bool(said) and any(word in folded(name) for word in said)


def folded(text: str) -> str:
    """Return a text as it is compared with names: words in lower case, with spaces on either side.

    >>> folded("Soft-drug\\nuser")
    ' soft drug user '
    """
    return f" {' '.join(text.lower().replace('-', ' ').replace('_', ' ').split())} "
