"""Time the exact searches for t-plausible texts on one core against a plain-Python pruned search of the paper.

    python benchmarks/plausibility.py [--draws 10] [--limit 10] [--json figures.json]

Texts are drawn from the built-in nouns: leaves that are 7 to 9 steps from the root, first sense, the terms themselves
at level 0. The peer is Algorithm 1 in its corrected reading (it prunes what can't beat the best, and what can't reach t
any more), cut off after ``--limit`` seconds; where it ends, its optimum must be the same. Times are by the clock, those
of our searches the best of three.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from spark_deid.app.experiments.plausibility.trials import TextPaths, terms_of_height, text_of
from spark_deid.ontology.ontology import Ontology, wordnet
from spark_deid.plausibility.likelihood import entropies
from spark_deid.plausibility.search import Objective, search, search_entropies, volume_of
from spark_deid.plausibility.spark.udf import generalize_batch
from spark_deid.plausibility.term_generalization import GeneralizationRequest, climb

SETTINGS = ((10, 1024), (10, 16384), (20, 16384), (50, 1024), (50, 16384), (100, 16384))
LARGE = ((10, 1 << 26), (50, 1 << 20), (50, 1 << 24), (100, 1 << 20), (200, 1 << 100), (500, 1 << 14), (1000, 1 << 60))
HEIGHT, TRIES, SEED = 8, 3, 1


def timed(work: Callable[[], Any], tries: int = TRIES) -> tuple[float, Any]:
    best, told = math.inf, None
    for _ in range(tries):
        began = time.perf_counter()
        told = work()
        best = min(best, time.perf_counter() - began)
    return best, told


class CutOffError(Exception):
    pass


def esearch_prune(paths: list[list[int]], t: int, limit: float) -> tuple[int | None, bool]:
    """Carry out Algorithm 1 on paths of volumes: the least product that reaches t, and whether the search ended."""
    began, nodes, best = time.perf_counter(), 0, math.inf
    most = [1] * (len(paths) + 1)
    for word in range(len(paths) - 1, -1, -1):
        most[word] = most[word + 1] * max(paths[word])

    def walk(word: int, product: int) -> None:
        nonlocal best, nodes
        for volume in paths[word]:
            nodes += 1
            if nodes % 4096 == 0 and time.perf_counter() - began > limit:
                raise CutOffError
            larger = product * volume
            if larger >= best:
                return
            if larger * most[word + 1] < t:
                continue
            if word + 1 < len(paths):
                walk(word + 1, larger)
            elif larger >= t:
                best = larger
            if best == t:
                return

    try:
        walk(0, 1)
    except CutOffError:
        return (None if best == math.inf else int(best)), False
    return (None if best == math.inf else int(best)), True


def texts(ontology: Ontology, size: int, draws: int) -> Iterator[TextPaths]:
    terms = terms_of_height(ontology, HEIGHT)
    for draw in range(draws):
        yield text_of(ontology, np.random.default_rng((SEED, size, draw)).choice(terms, size, replace=False))


def against_peer(ontology: Ontology, size: int, t: int, draws: int, limit: float) -> dict[str, Any]:
    ours, theirs, ended, uniform = [], [], 0, []
    for text in texts(ontology, size, draws):
        seconds, found = timed(lambda text=text: search(text.volumes, text.starts, t, objective="volume"))
        paths = [part.tolist() for part in np.split(text.volumes, text.starts[1:-1])]
        peer, (optimum, is_ended) = timed(lambda paths=paths: esearch_prune(paths, t, limit), tries=1)
        least = volume_of(text.volumes, text.starts, found.levels)
        assert found.method == "exact"
        assert least == optimum if is_ended else optimum is None or least <= optimum
        ours.append(seconds)
        theirs.append(peer)
        ended += is_ended
        uniform.append(timed(lambda text=text: search(text.volumes, text.starts, t))[0])
    return {
        "terms": size,
        "t": t,
        "exact_ms": milliseconds(ours),
        "peer_ms": milliseconds(theirs),
        "peer_ended": f"{ended}/{draws}",
        "ratio_of_totals": round(sum(theirs) / sum(ours)),
        "exact_uniform_ms": milliseconds(uniform),
    }


def at_large(ontology: Ontology, size: int, t: int, draws: int, objective: Objective) -> dict[str, Any]:
    found = [
        timed(lambda text=text: search(text.volumes, text.starts, t, objective=objective))
        for text in texts(ontology, size, draws)
    ]
    exact = sum(told.method == "exact" for _, told in found)
    return {
        "objective": objective,
        "terms": size,
        "log2 t": math.log2(t),
        "exact": f"{exact}/{draws}",
        "ms": milliseconds([seconds for seconds, _ in found]),
    }


def with_frequencies(ontology: Ontology, size: int, t: int, draws: int) -> dict[str, Any]:
    """Time uniform t-PAT where leaves have the weights of a made-up table: a Zipf distribution of exponent 1.5."""
    weights, is_leaf = np.zeros(ontology.n_concepts), np.ones(ontology.n_concepts, np.bool_)
    is_leaf[ontology.hypernyms] = False
    weights[is_leaf] = np.random.default_rng(SEED).zipf(1.5, is_leaf.sum()).clip(0, 1e6)
    bits, times, exact = entropies(ontology, weights), [], 0
    terms = terms_of_height(ontology, HEIGHT)
    for draw in range(draws):
        chosen = np.random.default_rng((SEED, size, draw)).choice(terms, size, replace=False)
        path = climb(ontology, chosen)
        goal = math.log2(t)
        seconds, found = timed(lambda path=path, goal=goal: search_entropies(bits[path.nodes], path.starts, goal))
        times.append(seconds)
        exact += found.method == "exact"
    return {"terms": size, "t": t, "exact": f"{exact}/{draws}", "ms": milliseconds(times)}


def look_ups(ontology: Ontology) -> dict[str, float]:
    """Time opening a process's second ontology (code is loaded), and look-ups of terms in a text and separately."""
    from spark_deid.ontology.ontology import _opened

    text = (
        "The patient was diagnosed with lung cancer in Sacramento and treated with aspirin, penicillin and opium. "
        * 200
    )
    ontology.mentions(text)
    seconds, mentions = timed(lambda: ontology.mentions(text))
    bounds = mentions[:, :2]
    each, _ = timed(lambda: ontology.terms(text, bounds))

    def reopened() -> Ontology:
        _opened.cache_clear()
        return wordnet()

    return {
        "open_ms": round(1000 * timed(reopened)[0], 1),
        "mentions_us_a_term": round(1e6 * seconds / len(mentions), 2),
        "mentions_mb_a_second": round(len(text) / 1e6 / seconds, 2),
        "terms_us_a_term": round(1e6 * each / len(mentions), 2),
    }


def batches(ontology: Ontology, terms: int, t: int, texts: int = 5000) -> dict[str, Any]:
    """Time the kernel of the pandas UDF on a batch of texts: look-ups, search and names, in processor time."""
    names = np.array([ontology.name_of(concept) for concept in terms_of_height(ontology, HEIGHT).tolist()], object)
    rows = pd.Series(list(names[np.random.default_rng(SEED).integers(0, len(names), (texts, terms))]))
    generalize_batch("wordnet", GeneralizationRequest(t=t), rows[:10])
    best = math.inf
    for _ in range(TRIES):
        began = time.process_time()
        generalize_batch("wordnet", GeneralizationRequest(t=t), rows)
        best = min(best, time.process_time() - began)
    return {"terms": terms, "t": t, "us_a_text": round(1e6 * best / texts, 1)}


def milliseconds(times: list[float]) -> dict[str, float]:
    return {"median": round(1000 * median(times), 3), "worst": round(1000 * max(times), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    ontology, draws = wordnet(), arguments.draws
    for objective in ("volume", "uniform"):  # code is loaded where it first runs
        at_large(ontology, 3, 64, 1, objective)
    told: dict[str, Any] = {"look_ups": look_ups(ontology)}
    told["against_peer"] = [against_peer(ontology, size, t, draws, arguments.limit) for size, t in SETTINGS]
    told["batches"] = [batches(ontology, terms, 1024) for terms in (3, 10, 50)]
    told["frequencies"] = [with_frequencies(ontology, size, 16384, draws) for size in (10, 50, 100)]
    told["large"] = [
        at_large(ontology, size, t, draws, objective)
        for objective in ("volume", "uniform")
        for size, t in LARGE
        if objective == "uniform" or t <= 1 << 26
    ]
    for name, rows in told.items():
        for row in rows if isinstance(rows, list) else [rows]:
            print(name, row, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
