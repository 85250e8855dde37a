"""Generalize the terms of one text: look them up, take their paths, search, and name what they become."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.kernels.paths import climb_paths
from spark_deid.ontology.ontology import Ontology
from spark_deid.ontology.policies import PathPolicy
from spark_deid.plausibility.search import Method, Objective, search, volume_of


class PathStart(StrEnum):
    """Where a term's path begins: at the term itself, as in the paper, or at the lowest hypernym that hides it."""

    TERM = "term"
    HYPERNYM = "hypernym"


@dataclass(frozen=True)
class GeneralizationRequest:
    """The demands on a generalized text.

    Attributes:
        t: The minimum number of originals.
        alpha: The weight of the cost.
        objective: The quantity to minimize: ``uniform`` or ``volume``.
        method: The search: ``exact``, ``pruned``, ``lub`` or ``one-step``.
        delta: The number of steps of the search ``lub``.
        policy: The path of a term: ``first``, ``shortest`` or ``smallest``.
        lowest: Where a path begins.
    """

    t: int
    alpha: float = 0.5
    objective: Objective = "uniform"
    method: Method = "exact"
    delta: int = 1
    policy: PathPolicy = "first"
    lowest: PathStart = PathStart.HYPERNYM


@dataclass(frozen=True)
class GeneralizedTerms:
    """A text's terms generalized; None is a term that the ontology lacks or can't hide.

    ``volumes`` are those of the nodes and 1 for None; ``originals`` is their product, |D|, over terms that are there.
    """

    nodes: tuple[int | None, ...]
    volumes: tuple[int, ...]
    originals: int
    entropy: float
    cost: float
    is_feasible: bool
    method: Method


def generalize(ontology: Ontology, concepts: Sequence[int | None], request: GeneralizationRequest) -> GeneralizedTerms:
    """Return the nodes that concepts become, so that at least ``t`` texts could be the original.

    Where no choice reaches t, ``is_feasible`` is False, and the nodes are those of most volume.

    >>> from spark_deid.ontology.ontology import wordnet
    >>> drug, pain = wordnet().concept("marijuana", "02953127-n"), wordnet().concept("phantom limb pain")
    >>> done = generalize(wordnet(), [drug, pain], GeneralizationRequest(t=10))
    >>> [wordnet().name_of(node) for node in done.nodes], done.originals
    (['soft drug', 'pain'], 15)
    """
    known = [place for place, concept in enumerate(concepts) if concept is not None]
    given = np.array([concepts[place] for place in known], np.int32)
    if request.lowest is PathStart.TERM:
        nodes, starts = ontology.paths(given, request.policy)
        volumes = ontology.volumes_of(nodes, starts)
    else:
        nodes, starts, volumes = climb(ontology, given, request.policy)
    full = np.flatnonzero(np.diff(starts)).tolist()  # a term that nothing hides has an empty path
    bounds = np.append(starts[full], starts[-1:])
    found = search(
        volumes,
        bounds,
        request.t,
        alpha=request.alpha,
        objective=request.objective,
        method=request.method,
        delta=request.delta,
    )
    results: list[int | None] = [None] * len(concepts)
    sizes = [1] * len(concepts)
    for row, start, level in zip(full, bounds.tolist(), found.levels, strict=False):
        results[known[row]], sizes[known[row]] = int(nodes[start + level]), int(volumes[start + level])
    originals = volume_of(volumes, bounds, found.levels)
    return GeneralizedTerms(
        tuple(results), tuple(sizes), originals, found.entropy, found.cost, found.is_feasible, found.method
    )


# The possible replacements of a term that must change: its path from the lowest hypernym that hides it.


class GeneralizationPaths(NamedTuple):
    """The nodes that each of some concepts may become, lowest first: path i from ``starts[i]`` to ``starts[i + 1]``.

    A path is empty where nothing hides its concept. ``volumes`` are the nodes'.
    """

    nodes: Int32s
    starts: Int64s
    volumes: Int64s


def climb(ontology: Ontology, concepts: Sequence[int] | Int32s, policy: PathPolicy = "first") -> GeneralizationPaths:
    """Return the paths of concepts from the lowest hypernym that has a leaf not below the concept itself.

    >>> from spark_deid.ontology.ontology import wordnet
    >>> found = climb(wordnet(), [wordnet().concept("marijuana", "02953127-n")])
    >>> [wordnet().name_of(node) for node in found.nodes[:2].tolist()], found.volumes[:2].tolist()
    (['soft drug', 'drug of abuse'], [5, 280])
    """
    nodes, starts = climb_paths(ontology.ups(policy), ontology.volumes, np.asarray(concepts, np.int32))
    return GeneralizationPaths(nodes, starts, ontology.volumes[nodes])
