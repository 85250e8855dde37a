"""Originals that are not equally likely: entropies of concepts under a table of frequencies (P_o, section 3.1).

An attacker who knows how often each word is written gains when only few of a concept's leaves are ever written. Under
such a table a concept counts for its entropy, not for its volume. Entropies need not rise along a path.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s
from spark_deid.ontology.ontology import Ontology
from spark_deid.plausibility.kernels.sums import divided_weights, entropies_of_sums


class LeafFrequencies(NamedTuple):
    """How often each leaf concept is meant, 0 for all others, and the terms that the ontology lacks."""

    weights: Float64s
    unknown: tuple[str, ...]


def weigh_leaves(ontology: Ontology, counts: Mapping[str, float], *, unseen: float = 0.0) -> LeafFrequencies:
    """Return the weights of leaf concepts by a table of how often each term is written.

    A term counts for its first sense; a concept with others below it for its leaves, in equal parts. ``unseen`` is
    added to every leaf. Raises UsageError for a count that is negative or not finite, and for a table none of whose
    terms is known.
    """
    weights = np.zeros(ontology.n_concepts)
    unknown = []
    for number, (term, count) in enumerate(counts.items(), 1):
        if not 0 <= count < np.inf:
            raise UsageError(f"frequencies, term {number}: expected a count of 0 or more")
        lemma = ontology.lemma(term)
        if lemma is None:
            unknown.append(term)
        else:
            weights[ontology.senses_of(lemma)[0]] += count
    if counts and len(unknown) == len(counts):
        raise UsageError(f"frequencies: the ontology {ontology.name} contains no term of the {len(counts)}")
    leaves = divided_weights(ontology.hypernym_starts, ontology.hypernyms, ontology.volumes, weights, unseen)
    return LeafFrequencies(leaves, tuple(unknown))


def entropies(ontology: Ontology, weights: Float64s) -> Float64s:
    """Return the entropy of every concept in bits: of the distribution of its leaves by their weights.

    0 where no leaf has a weight. With equal weights it is the logarithm of the volume.
    """
    return entropies_of_sums(ontology.hypernym_starts, ontology.hypernyms, weights)
