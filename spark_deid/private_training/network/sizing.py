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


def choose_size(
    minutes: float, sentences: int, tokens: int, inputs: int, units: int | None = None, epochs: int | None = None
) -> SizedTraining:
    """Return the largest network of SIZES that has time for 5 epochs, and as many epochs as fit, 20 at most.

    ``units`` and ``epochs`` are fixed if they are given. Each of fixed epochs has all sentences.

    >>> choose_size(60, 10_000, 200_000, 100)
    SizedTraining(units=128, epochs=19, most_sentences=None)
    >>> choose_size(0.01, 10_000, 200_000, 100)
    SizedTraining(units=16, epochs=5, most_sentences=190)
    >>> choose_size(60, 10_000, 200_000, 100, units=32, epochs=40)
    SizedTraining(units=32, epochs=40, most_sentences=None)
    """
    most = minutes * 60 * OPERATIONS
    sizes = SIZES if units is None else (units,)
    for size in sizes:
        fitting = int(most // max(epoch_cost(tokens, inputs, size), 1))
        if fitting >= (epochs or ENOUGH):
            return SizedTraining(size, epochs or min(fitting, MOST), None)
    if epochs is not None:
        return SizedTraining(sizes[-1], epochs, None)
    share = most / ENOUGH / max(epoch_cost(tokens, inputs, sizes[-1]), 1)
    return SizedTraining(sizes[-1], ENOUGH, max(1, int(share * sentences)))


def epoch_cost(tokens: int, inputs: int, units: int) -> float:
    """Return the operations of an epoch of the de-identifier, forth and back; padding makes half as much again."""
    return 1.5 * tokens * 3 * 16 * units * ((inputs + units) + 3 * units)


class SizedPublication(NamedTuple):
    """The size of a representation's training, and of the attacks on it.

    ``attack_epochs`` have ``pairs`` each; ``templates`` sentences are attacked by means of ``transforms``.
    """

    training: SizedTraining
    attack_epochs: int
    pairs: int
    templates: int
    transforms: int


TRAINING, ATTACKS, TEMPLATES = 0.5, 0.35, 0.15
"""Shares of the minutes."""
WORK = 18
"""What a representation's training costs, in those of a de-identifier of as many epochs."""
ADVERSARIES = 4
"""Adversaries that are trained: three on the representation, and the control."""
FEWEST_EPOCHS, MOST_EPOCHS = 20, 50
FEWEST_PAIRS, MOST_PAIRS = 2_000, 10_000
"""Of fewer pairs in fewer epochs adversaries learn too little to show anything, so attacks have these at least."""
FEWEST_ATTACKED, MOST_ATTACKED = 1_000, 2_000
FEWEST_TRANSFORMS, MOST_TRANSFORMS = 10, 100


def sized_publication(
    minutes: float, sentences: int, tokens: int, inputs: int, units: int | None = None, epochs: int | None = None
) -> SizedPublication:
    """Return what fits into minutes of one core: half for training, the rest for attacks, which are never omitted.

    ``units`` and ``epochs`` of the training are fixed if they are given.

    >>> sized_publication(60, 10_000, 200_000, 100).training
    SizedTraining(units=32, epochs=5, most_sentences=None)
    >>> sized_publication(0.1, 100, 1_000, 8)[1:]
    (20, 2000, 1000, 10)
    """
    training = choose_size(minutes * TRAINING / WORK, sentences, tokens, inputs, units, epochs)
    length = 1.5 * tokens / max(sentences, 1)
    step = length * 2 * 2 * 4 * training.units * (inputs + training.units)
    pair = 3 * length * 2 * 2 * 2 * 4 * training.units * (129 + training.units) + 2 * step
    wanted = minutes * 60 * ATTACKS * OPERATIONS / ADVERSARIES / max(pair, 1)
    epochs = int(min(max(wanted / FEWEST_PAIRS, FEWEST_EPOCHS), MOST_EPOCHS))
    pairs = int(min(max(wanted / epochs, FEWEST_PAIRS), MOST_PAIRS))
    passes = minutes * 60 * TEMPLATES * OPERATIONS / max(step, 1)
    attacked = int(min(max(passes / (MOST_TRANSFORMS * 10), FEWEST_ATTACKED), MOST_ATTACKED))
    transforms = int(min(max(passes / (10 * attacked), FEWEST_TRANSFORMS), MOST_TRANSFORMS))
    return SizedPublication(training, epochs, pairs, attacked, transforms)
