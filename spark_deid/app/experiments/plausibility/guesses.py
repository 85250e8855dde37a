"""What an attacker gains who knows how likely each original is, by a table of frequencies (P_o)."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np

from spark_deid.app.experiments.plausibility.settings import PlausibilityExperimentSettings
from spark_deid.app.experiments.plausibility.trials import measure_text, terms_of_height
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.ontology.ontology import Ontology
from spark_deid.ontology.sources.frequencies import read_frequencies
from spark_deid.plausibility.kernels.sums import most_likely
from spark_deid.plausibility.likelihood import entropies, weigh_leaves
from spark_deid.plausibility.search import search, search_entropies
from spark_deid.plausibility.term_generalization import climb

BY_VOLUME, BY_FREQUENCY = "by volume", "by frequency"


class TextGuess(NamedTuple):
    """One text that was generalized as if all originals were alike, or by their frequencies.

    ``volume`` is log2 |D|; ``entropy`` that of the originals as the attacker sees them, in bits; ``best`` log2 of the
    chance of his best guess of the whole text, ``truth`` that of the original.
    """

    counted: str
    size: int
    t: int
    draw: int
    is_feasible: bool
    volume: float
    entropy: float
    best: float
    truth: float
    cosine: float


def weigh_by(ontology: Ontology, place: str) -> Float64s:
    """Return the weights of an ontology's leaves by a table of frequencies in a file."""
    return weigh_leaves(ontology, read_frequencies(Path(place))).weights


def run_guesses(
    ontology: Ontology, weights: Float64s, experiment: PlausibilityExperimentSettings
) -> tuple[TextGuess, ...]:
    """Generalize texts whose terms are drawn as often as they are written, none left as it is.

    Raises UsageError where too few terms of the height are ever written.
    """
    terms = terms_of_height(ontology, experiment.height)
    terms = terms[weights[terms] > 0]
    if len(terms) < max(experiment.size):
        raise UsageError(
            f"frequencies: expected {max(experiment.size)} terms of the height asked for, got {len(terms)}"
        )
    likely = weights[terms] / weights[terms].sum()
    bits, best = entropies(ontology, weights), most_likely(ontology.hypernym_starts, ontology.hypernyms, weights)
    guesses: list[TextGuess] = []
    for size in experiment.size:
        for draw in range(experiment.draws):
            random = np.random.default_rng((experiment.seed, size, draw))
            chosen = random.choice(terms, size, replace=False, p=likely)
            for t in experiment.t:
                guesses.extend(_guessed(ontology, chosen, t, draw, experiment.alpha[0], bits, (weights, best)))
    return tuple(guesses)


def _guessed(
    ontology: Ontology,
    chosen: Int32s,
    t: int,
    draw: int,
    alpha: float,
    bits: Float64s,
    likelihood: tuple[Float64s, tuple[Float64s, Float64s]],
) -> Iterator[TextGuess]:
    path = climb(ontology, chosen)
    weights, (sums, most) = likelihood
    for counted, found in (
        (BY_VOLUME, search(path.volumes, path.starts, t, alpha=alpha)),
        (BY_FREQUENCY, search_entropies(bits[path.nodes], path.starts, math.log2(t), alpha=alpha)),
    ):
        nodes = path.nodes[path.starts[:-1] + np.array(found.levels, np.int64)]
        volume, _, _, cosine, _ = measure_text(np.log2(ontology.volumes[nodes]))
        best = float(np.log2(most[nodes] / sums[nodes]).sum())
        truth = float(np.log2(weights[chosen] / sums[nodes]).sum())
        entropy = float(bits[nodes].sum())
        yield TextGuess(counted, len(chosen), t, draw, found.is_feasible, volume, entropy, best, truth, cosine)


def summarize(guesses: Iterable[TextGuess]) -> Iterator[dict[str, Any]]:
    """Yield by setting the median of the bits that are left, and the share of texts that have fewer than log2 t."""
    groups: dict[tuple[str, int, int], list[TextGuess]] = defaultdict(list)
    for guess in guesses:
        groups[guess.counted, guess.size, guess.t].append(guess)
    for (counted, size, t), group in groups.items():
        yield {
            "counted": counted,
            "size": size,
            "t": t,
            "draws": len(group),
            "infeasible": sum(not guess.is_feasible for guess in group),
            "volume": round(median(guess.volume for guess in group), 2),
            "entropy": round(median(guess.entropy for guess in group), 2),
            "below_t": round(fmean(guess.entropy < math.log2(t) - 1e-9 for guess in group), 3),
            "best_guess": round(median(guess.best for guess in group), 2),
            "truth": round(median(guess.truth for guess in group), 2),
            "cosine": round(fmean(guess.cosine for guess in group), 3),
        }
