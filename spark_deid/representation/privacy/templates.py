"""Attack by templates: of each sentence that could have been, the attacker makes what the public model makes of it.

He has the frozen model, and the one transform of a sentence that was published. Of N candidates, which differ in one
annotated word, he makes templates, with noise off (A1: the model read backwards) or as the mean of many transforms of
his own (A2: a table of known sentences), and takes the nearest, by distances in units of the noise.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.numerics.arrays import Bools, Int64s
from spark_deid.representation.embeddings.vector_blocks import Float32s
from spark_deid.representation.privacy.intervals import AttackAccuracy, accuracy_of
from spark_deid.representation.privacy.trials import TrialSentence

Transform = Callable[[Float32s, Bools, np.random.Generator | None], Float32s]
"""What the public model makes of vectors ``[sentence, token, number]``: with drawn noise, or none where None."""


class TemplateSettings(NamedTuple):
    """How many sentences are attacked, of how many candidates, and the transforms that a mean is of."""

    sentences: int = 400
    candidates: int = 100
    mean_candidates: int = 10
    transforms: int = 100


def attack_by_templates(
    transform: Transform,
    widths: Float32s,
    table: Float32s,
    known: Sequence[TrialSentence],
    settings: TemplateSettings,
    seed: int,
) -> tuple[AttackAccuracy, AttackAccuracy]:
    """Return how often either attack finds the word that stood there.

    ``widths`` are the deviations of the noise on outputs. Which candidate is the truth is drawn, and so is the one that
    is taken where several are as near.
    """
    rng = np.random.default_rng(seed)
    told: list[tuple[bool, bool]] = []
    documents, chances = [], []
    for number in rng.integers(len(known), size=settings.sentences).tolist():
        each = known[number]
        outcome = []
        for count, transforms in ((settings.candidates, 0), (settings.mean_candidates, settings.transforms)):
            rows, truth = _candidates(each, count, rng)
            outcome.append(_is_found(transform, widths, table, rows, truth, transforms, rng))
            chances.append(1 / len(rows))
        told.append((outcome[0], outcome[1]))
        documents.append(each.sentence.document)
    right = np.array(told, np.bool_)
    names = ("A1 template", "A2 mean of transforms")
    first, second = (
        accuracy_of(name, seed, float(np.mean(chances[place::2])), right[:, place], documents)
        for place, name in enumerate(names)
    )
    return first, second


def _candidates(each: TrialSentence, count: int, rng: np.random.Generator) -> tuple[Int64s, int]:
    """Return versions of a sentence ``[candidate, token]``, in a drawn order, and the number of the original."""
    others = np.setdiff1d(each.others, [each.sentence.rows[each.place]])
    chosen = rng.permutation(others)[: count - 1]
    words = np.concatenate([[each.sentence.rows[each.place]], chosen])
    order = rng.permutation(len(words))
    versions = np.repeat(each.sentence.rows[None], len(words), 0)
    versions[:, each.place] = words[order]
    return versions, int(np.flatnonzero(order == 0)[0])


def _is_found(
    transform: Transform,
    widths: Float32s,
    table: Float32s,
    rows: Int64s,
    truth: int,
    transforms: int,
    rng: np.random.Generator,
) -> bool:
    vectors = np.asarray(table[rows], np.float32)
    present = np.ones(rows.shape, np.bool_)
    published = transform(vectors[truth : truth + 1], present[:1], rng)
    if transforms:
        templates = sum(transform(vectors, present, rng) for _ in range(transforms)) / np.float32(transforms)
    else:
        templates = transform(vectors, present, None)
    distances = np.square((templates - published) / np.maximum(widths, 1e-6)).sum((1, 2), dtype=np.float64)
    nearest = np.flatnonzero(distances == distances.min())
    return int(rng.choice(nearest)) == truth
