"""Binary token scores of a network: is a token annotated at all (the paper's main metric)?"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.private_training.network.layers import NoNoise, Weights, represent
from spark_deid.private_training.network.sentence_set import SentenceSet, batches
from spark_deid.private_training.network.tagging import best_rows, tag_scores
from spark_deid.text.bio import OUTSIDE

BATCH = 64


class BinaryScore(NamedTuple):
    """Tokens that are annotated and found, found only, and annotated only."""

    both: int
    found: int
    annotated: int

    @property
    def precision(self) -> float:
        """Return the fraction of found tokens that are annotated."""
        return self.both / max(self.both + self.found, 1)

    @property
    def recall(self) -> float:
        """Return the fraction of annotated tokens that are found."""
        return self.both / max(self.both + self.annotated, 1)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of both."""
        return 2 * self.both / max(2 * self.both + self.found + self.annotated, 1)


def binary_score(
    tagger: Weights,
    sentences: SentenceSet,
    representation: Weights | None = None,
    scored: Sequence[int] | None = None,
) -> BinaryScore:
    """Score a de-identifier on labelled sentences, through the representation, noise off, if there is one.

    ``scored`` are the tags that count as annotated or found, all but O by default. Other tags count as O.
    """
    both = found = annotated = 0
    for batch in batches(sentences.sentences, BATCH):
        vectors = sentences.table[batch.rows]
        if representation is not None:
            vectors = represent(representation, vectors, batch.present, NoNoise())
        scores = tag_scores(tagger, vectors, batch.casings, batch.present).astype(np.float64)
        best = best_rows(tagger, scores, batch.present)
        marked, gold = (
            tags != OUTSIDE if scored is None else np.isin(tags, scored) & batch.present for tags in (best, batch.tags)
        )
        both += int((marked & gold).sum())
        found += int((marked & ~gold).sum())
        annotated += int((gold & ~marked).sum())
    return BinaryScore(both, found, annotated)
