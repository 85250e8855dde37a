"""Choose the sense of a word by its context: simplified Lesk on hashed glosses.

A gloss and a context are sets of content words (``ontology.glosses``); the sense wins whose gloss (definition
and examples) shares most with the context, and the more usual one of equals (Kilgarriff and Rosenzweig, 2000).
"""

from collections.abc import Sequence

import numpy as np

from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.ontology.ontology import Ontology


def sense_in(ontology: Ontology, lemma: int, context: UInt16s) -> int:
    """Return the concept of a lemma whose gloss shares most words with a context, as ``hashed_words`` gives it."""
    return best_sense(ontology, ontology.senses_of(lemma).tolist(), context)


def best_sense(ontology: Ontology, concepts: Sequence[int], context: UInt16s) -> int:
    """Return that of some concepts whose gloss shares most words with a context, the first of equal ones."""
    if len(concepts) == 1:
        return int(concepts[0])
    shared = [_shared(ontology.gloss_of(concept), context) for concept in concepts]
    return int(concepts[int(np.argmax(shared))])


def _shared(words: UInt16s, context: UInt16s) -> int:
    """Count the words that a context has: both are sorted, and a context may be as long as its document."""
    return int((np.searchsorted(context, words, "right") - np.searchsorted(context, words)).sum())
