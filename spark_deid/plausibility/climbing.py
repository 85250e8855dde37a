"""Where a term that must not stay as it is may go: its path from the lowest hypernym that hides it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.kernels.paths import climb_paths
from spark_deid.ontology.ontology import Ontology
from spark_deid.ontology.policies import PathPolicy


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
