"""Draw texts of terms, generalize them by every search, and measure what each took and gave."""

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np

from spark_deid.app.experiments.settings import PlausibilityExperimentSettings
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s
from spark_deid.ontology.ontology import Ontology
from spark_deid.ontology.sources.tables import read_frequencies
from spark_deid.plausibility.kernels.bounds import published_suffix_bounds
from spark_deid.plausibility.kernels.cost import cost_of
from spark_deid.plausibility.kernels.pruned import search_pruned
from spark_deid.plausibility.kernels.sums import most_likely
from spark_deid.plausibility.likelihood import entropies, weigh_leaves
from spark_deid.plausibility.search import GeneralizationResult, search, search_entropies
from spark_deid.plausibility.term_generalization import climb

EP, UEP = "EP", "UEP"
LEAST_VOLUME, LEAST_COST = "exact t-PAT", "exact uniform t-PAT"
OSAS = "LUBS, OSAS"
_GOES = 3
"""Every search is timed as the best of that many runs."""


class SearchTrial(NamedTuple):
    """One text by one search; ``volume`` is log2 |D|, ``seconds`` the least of several goes.

    ``variance`` and ``highest`` are of the words' entropies. ``cosine`` is the similarity of the generalized text with
    the original, both as vectors of base words of length 1; ``cosine_as_printed`` leaves the vector as it is.
    """

    method: str
    size: int
    t: int
    alpha: float
    draw: int
    seconds: float
    is_finished: bool
    cost: float
    volume: float
    variance: float
    highest: float
    cosine: float
    cosine_as_printed: float


class TextPaths(NamedTuple):
    """A text's paths from its terms up."""

    volumes: Int64s
    starts: Int64s


def run_trials(
    ontology: Ontology, experiment: PlausibilityExperimentSettings, progress: Callable[[str], None]
) -> tuple[SearchTrial, ...]:
    """Generalize all texts by all searches; raises UsageError where the ontology has too few terms of the height."""
    terms = terms_of_height(ontology, experiment.height)
    if len(terms) < max(experiment.size):
        raise UsageError(
            f"{ontology.name}: expected at least {max(experiment.size)} terms of {experiment.height} steps to the "
            f"root, one more or less; found {len(terms)}"
        )
    trials: list[SearchTrial] = []
    # Compiled code is loaded where it first runs, which no search is to be charged for.
    deque(_searched(text_of(ontology, terms[:3]), 3, 2, 0, experiment), maxlen=0)
    for size in experiment.size:
        progress(f"generalize texts of {size} terms")
        for draw in range(experiment.draws):
            random = np.random.default_rng((experiment.seed, size, draw))
            text = text_of(ontology, random.choice(terms, size, replace=False))
            for t in experiment.t:
                trials.extend(_searched(text, size, t, draw, experiment))
    return tuple(trials)


def terms_of_height(ontology: Ontology, height: int) -> Int32s:
    """Return the leaves that are the first sense of their word and have so many steps to the root, one more or less."""
    is_leaf = np.ones(ontology.n_concepts, np.bool_)
    is_leaf[ontology.hypernyms] = False
    first = ontology.senses[ontology.sense_starts[:-1]]
    leaves = np.unique(first[is_leaf[first]]).astype(np.int32)
    _, starts = ontology.paths(leaves)
    kept: Int32s = leaves[np.abs(np.diff(starts) - 1 - height) <= 1]
    return kept


def text_of(ontology: Ontology, concepts: Int32s) -> TextPaths:
    """Return the paths of some concepts, with volume 1 at each concept itself."""
    nodes, starts = ontology.paths(concepts)
    return TextPaths(ontology.volumes_of(nodes, starts), starts)


def _searched(
    text: TextPaths, size: int, t: int, draw: int, experiment: PlausibilityExperimentSettings
) -> Iterator[SearchTrial]:
    goal, entropies = math.log2(t), np.log2(text.volumes)
    drawn = experiment.alpha[0]
    for alpha in experiment.alpha:
        for method, run in _searches(text, t, alpha, experiment):
            if method in (EP, LEAST_VOLUME) and alpha != drawn:
                continue
            seconds, (levels, is_finished) = _timed(run)
            _, cost = cost_of(entropies, text.starts, levels, goal, alpha)
            measured = measure_text(entropies[text.starts[:-1] + levels])
            yield SearchTrial(method, size, t, alpha, draw, seconds, is_finished, float(cost), *measured)


def _searches(
    text: TextPaths, t: int, alpha: float, experiment: PlausibilityExperimentSettings
) -> Iterator[tuple[str, Callable[[], tuple[Int64s, bool]]]]:
    """Give every search by its name."""

    def pruned(weight: float) -> tuple[Int64s, bool]:
        entropies = np.log2(text.volumes)
        bounds = published_suffix_bounds(entropies, text.starts)
        levels, _, is_finished = search_pruned(
            entropies, text.starts, math.log2(t), weight, bounds, experiment.most_nodes
        )
        return levels, is_finished

    def exact(**how: object) -> tuple[Int64s, bool]:
        found: GeneralizationResult = search(text.volumes, text.starts, t, alpha=alpha, **how)  # type: ignore[arg-type]
        return np.array(found.levels, np.int64), found.is_feasible

    yield EP, lambda: pruned(1.0)
    yield UEP, lambda: pruned(alpha)
    yield LEAST_VOLUME, lambda: exact(objective="volume")
    yield LEAST_COST, lambda: exact()
    yield OSAS, lambda: exact(method="one-step")
    for delta in experiment.delta:
        yield name_search(delta), lambda delta=delta: exact(method="lub", delta=delta)  # type: ignore[misc]


def name_search(delta: int) -> str:
    """Return the name of LUB_Search with MStep_Greedy_Search."""
    return f"LUBS, δ = {delta}"


def _timed(run: Callable[[], tuple[Int64s, bool]]) -> tuple[float, tuple[Int64s, bool]]:
    best = math.inf
    for _ in range(_GOES):
        start = time.process_time_ns()
        found = run()
        best = min(best, (time.process_time_ns() - start) / 1e9)
    return best, found


def measure_text(entropies: Float64s) -> tuple[float, float, float, float, float]:
    """Return log2 |D|, the variance and the most of the words' entropies, and both cosine similarities (section 6.5).

    Each word's frequency, 1, is divided over the base words below what it became, so that 2^-H remains at its own.
    """
    kept = float(np.exp2(-entropies).sum())
    size = len(entropies)
    return (float(entropies.sum()), float(entropies.var()), float(entropies.max()), math.sqrt(kept / size), kept / size)


# Gain of an attacker who knows how likely each original is, by a table of frequencies (P_o).


BY_VOLUME, BY_FREQUENCY = "by volume", "by frequency"


class TextGuess(NamedTuple):
    """One text that was generalized as if all originals were equal, or by their frequencies.

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
    """Yield by setting the median of the bits that remain, and the fraction of texts that have fewer than log2 t."""
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
