"""Network sizes and epochs that fit into minutes: by counting operations, so that equal inputs give equal sizes."""

from typing import NamedTuple

OPERATIONS = 6e9
"""Operations a second of one core with matrices as small as these, passes back included."""
SIZES = (128, 64, 32, 16)
"""Units to choose from: Table 1's, and smaller ones where time is short."""
ENOUGH = 5
"""Epochs below which a smaller network is the better choice."""
MOST = 20


class SizedTraining(NamedTuple):
    """Units of each layer and direction, epochs, and the sentences of an epoch, where not all of them fit."""

    units: int
    epochs: int
    most_sentences: int | None


def sized(minutes: float, sentences: int, tokens: int, inputs: int) -> SizedTraining:
    """Return the largest network of SIZES that has time for 5 epochs, and as many epochs as fit, 20 at most.

    >>> sized(60, 10_000, 200_000, 100)
    SizedTraining(units=128, epochs=19, most_sentences=None)
    >>> sized(0.01, 10_000, 200_000, 100)
    SizedTraining(units=16, epochs=5, most_sentences=190)
    """
    most = minutes * 60 * OPERATIONS
    for units in SIZES:
        epochs = int(most // max(epoch_cost(tokens, inputs, units), 1))
        if epochs >= ENOUGH:
            return SizedTraining(units, min(epochs, MOST), None)
    share = most / ENOUGH / max(epoch_cost(tokens, inputs, SIZES[-1]), 1)
    return SizedTraining(SIZES[-1], ENOUGH, max(1, int(share * sentences)))


def epoch_cost(tokens: int, inputs: int, units: int) -> float:
    """Return the operations of an epoch of the de-identifier, forth and back; padding makes half as much again."""
    return 1.5 * tokens * 3 * 16 * units * ((inputs + units) + 3 * units)
