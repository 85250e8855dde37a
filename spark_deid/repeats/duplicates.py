"""Count what is there several times once, with a weight.

Boilerplate stays active in all rounds, and every copy of it costs what the first does. Copies change no count but by
their number, so one of them is searched and the others get its result:

- By **occurrence** each place of a copied document is there once in every copy: a place of the one that is kept counts
  as many as there are copies.
- By **document** a substring is in all copies or in none: the one that is kept counts as many documents.
- By **subject** a document that a person has twice says nothing more than once, and persons whose documents are the
  same count together, as many as they are; persons who share only some of their documents remain apart, since what
  several documents of a person have in common counts once. Documents of unknown persons are one person, who is never
  taken together with a known one.

Two documents are the same where their text is and what stands apart in it.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.findings import Batch
from spark_deid.repeats.settings import Unit


class Collapsed(NamedTuple):
    """Distinct documents by their rows, a unit's beside one another; ``document_of`` has for each row its document.

    Unit ``units[i]`` of document i stands for ``weights[units[i]]`` units of the corpus.
    """

    rows: list[int]
    units: NDArray[np.int32]
    weights: NDArray[np.int64]
    document_of: NDArray[np.int64]


def collapse(batch: Batch, unit: Unit) -> Collapsed:
    """Find the distinct documents of a shard; those of a unit must all be in it."""
    contents = [(text, tuple(map(tuple, apart))) for text, apart in zip(batch.texts, batch.apart, strict=True)]
    owners: Sequence[Hashable] = batch.subjects if unit is Unit.SUBJECT else range(len(contents))
    return _collapse(contents, owners)


def _collapse(contents: Sequence[Hashable], owners: Sequence[Hashable]) -> Collapsed:
    rows_of: dict[Hashable, list[int]] = {}
    for row, owner in enumerate(owners):
        rows_of.setdefault(owner, []).append(row)
    known: dict[Hashable, tuple[int, dict[Hashable, int]]] = {}
    rows: list[int] = []
    units: list[int] = []
    weights: list[int] = []
    document_of = np.empty(len(contents), np.int64)
    for owner, members in rows_of.items():
        # The unknown person is no other's like.
        key = (owner is None, frozenset(contents[row] for row in members))
        number, documents = known.setdefault(key, (len(weights), {}))
        if number == len(weights):
            weights.append(0)
        weights[number] += 1
        for row in members:
            document_of[row] = documents.setdefault(contents[row], len(rows))
            if document_of[row] == len(rows):
                rows.append(row)
                units.append(number)
    return Collapsed(rows, np.array(units, np.int32), np.array(weights, np.int64), document_of)
