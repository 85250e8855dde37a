import itertools
import math
import random
from collections.abc import Iterator

import numpy as np
import pytest

from spark_deid.ontology.ontology import wordnet
from spark_deid.ontology.policies import Method
from spark_deid.plausibility.search import GeneralizationResult, search, search_entropies, volume_of

METHODS: tuple[Method, ...] = ("exact", "pruned", "lub", "one-step")
Paths = list[list[int]]


def flat(paths: Paths) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, paths)])
    return np.array([volume for path in paths for volume in path], np.int64), starts.astype(np.int64)


def cost(entropies: list[float], goal: float, alpha: float) -> float:
    words = len(entropies)
    text = alpha / words**2 * (sum(entropies) - goal) ** 2
    return text + (1 - alpha) / words * sum((entropy - goal / words) ** 2 for entropy in entropies)


def all_texts(paths: Paths) -> Iterator[tuple[int, ...]]:
    return itertools.product(*paths)


def least_volume(paths: Paths, t: int) -> int | None:
    return min((math.prod(text) for text in all_texts(paths) if math.prod(text) >= t), default=None)


def least_cost(paths: Paths, t: int, alpha: float) -> float | None:
    texts = (text for text in all_texts(paths) if math.prod(text) >= t)
    return min((cost([math.log2(v) for v in text], math.log2(t), alpha) for text in texts), default=None)


def drawn(draw: random.Random, *, base: bool = True) -> tuple[Paths, int]:
    paths = []
    for _ in range(draw.randint(1, 6)):
        height = draw.randint(1, 4)
        volumes = [draw.choice((1, 2, 3, 5, 8, 20, 60)) for _ in range(height)]
        paths.append([1, *sorted(volumes)] if base else volumes)
    return paths, draw.choice((2, 3, 10, 32, 100, 1024))


def compare(cases: int, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(cases):
        paths, t = drawn(draw, base=draw.random() < 0.7)
        volumes, starts = flat(paths)
        alpha = draw.choice((0.0, 0.25, 0.5, 0.75, 1.0))
        least, cheapest = least_volume(paths, t), least_cost(paths, t, alpha)
        for method in METHODS:
            found = search(volumes, starts, t, alpha=alpha, method=method)
            told = search(volumes, starts, t, objective="volume", method=method)
            assert found.is_feasible == told.is_feasible == (least is not None)
            if least is None or cheapest is None:
                continue
            check(found, paths, t, alpha)
            assert volume_of(volumes, starts, told.levels) >= t
            if method in ("exact", "pruned"):
                assert found.cost == pytest.approx(cheapest, abs=1e-8)
                assert volume_of(volumes, starts, told.levels) == least
            else:
                assert found.cost >= cheapest - 1e-8


def check(found: GeneralizationResult, paths: Paths, t: int, alpha: float) -> None:
    chosen = [math.log2(path[level]) for path, level in zip(paths, found.levels, strict=True)]
    assert found.cost == pytest.approx(cost(chosen, math.log2(t), alpha))
    assert found.entropy == pytest.approx(sum(chosen))
    assert found.entropy >= math.log2(t) - 1e-9


def test_searches_equal_trying_all() -> None:
    compare(300, seed=11)


@pytest.mark.thorough
def test_searches_equal_trying_all_of_many() -> None:
    compare(5000, seed=12)


def test_cost_never_rises_with_delta() -> None:
    draw = random.Random(13)
    for _ in range(100):
        volumes, starts = flat(drawn(draw)[0])
        costs = [search(volumes, starts, 32, method="lub", delta=delta).cost for delta in range(4)]
        assert costs == sorted(costs, reverse=True)


def test_deviations_equal_trying_all_near() -> None:
    draw = random.Random(17)
    for _ in range(100):
        paths, t = drawn(draw)
        volumes, starts = flat(paths)
        start = search(volumes, starts, t, method="lub", delta=0)
        if not start.is_feasible:
            continue
        for delta in (1, 2, 3):
            near = [
                cost([math.log2(path[level]) for path, level in zip(paths, levels, strict=True)], math.log2(t), 0.5)
                for levels in itertools.product(*(range(len(path)) for path in paths))
                if sum(abs(a - b) for a, b in zip(levels, start.levels, strict=True)) <= delta
                and math.prod(path[level] for path, level in zip(paths, levels, strict=True)) >= t
            ]
            assert search(volumes, starts, t, method="lub", delta=delta).cost == pytest.approx(min(near), abs=1e-8)


def test_entropies_need_not_rise() -> None:
    draw = random.Random(19)
    for _ in range(100):
        paths = [[draw.choice((0.0, 0.5, 1.0, 2.0, 3.5)) for _ in range(draw.randint(1, 4))] for _ in range(3)]
        entropies = np.array([entropy for path in paths for entropy in path])
        starts = np.cumsum([0, *map(len, paths)]).astype(np.int64)
        plain = [cost(list(text), 3.0, 0.5) for text in itertools.product(*paths) if sum(text) >= 3 - 1e-9]
        for method in METHODS:
            found = search_entropies(entropies, starts, 3.0, method=method)
            assert found.is_feasible == bool(plain)
            if plain and method in ("exact", "pruned"):
                assert found.cost == pytest.approx(min(plain), abs=1e-8)


def test_entropies_of_any_size_are_searched_exactly() -> None:
    draw = random.Random(31)
    for _ in range(200):
        paths = [[draw.uniform(0, 9) for _ in range(draw.randint(1, 5))] for _ in range(draw.randint(1, 5))]
        entropies = np.array([entropy for path in paths for entropy in path])
        starts = np.cumsum([0, *map(len, paths)]).astype(np.int64)
        goal, alpha = draw.uniform(0.1, 30), draw.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        plain = [cost(list(text), goal, alpha) for text in itertools.product(*paths) if sum(text) >= goal - 1e-9]
        found = search_entropies(entropies, starts, goal, alpha=alpha)
        assert (found.is_feasible, found.method) == (bool(plain), "exact")
        if plain:
            assert found.cost == pytest.approx(min(plain), abs=1e-8)


def test_large_texts_are_searched_exactly() -> None:
    words = wordnet()
    leaves = np.setdiff1d(np.arange(words.n_concepts), words.hypernyms).astype(np.int32)
    nodes, starts = words.paths(np.random.default_rng(37).choice(leaves, 200, replace=False))
    volumes = words.volumes_of(nodes, starts)
    for t in (1 << 14, 1 << 100):
        found = search(volumes, starts, t)
        assert found.method == "exact"
        assert found.cost <= search(volumes, starts, t, method="one-step").cost


def test_a_text_without_terms_is_plausible_for_one_original_only() -> None:
    nothing = (np.zeros(0, np.int64), np.zeros(1, np.int64))
    assert search(*nothing, 1).is_feasible
    assert not search(*nothing, 2).is_feasible


def test_volumes_beyond_62_bits_are_searched_all_the_same() -> None:
    volumes, starts = flat([[1, 3, 1 << 20]] * 8)
    found = search(volumes, starts, 1 << 70, objective="volume")
    assert volume_of(volumes, starts, found.levels) >= 1 << 70


@pytest.mark.parametrize("method", METHODS)
def test_the_papers_closing_example(method: Method) -> None:
    words = wordnet()
    terms = [words.concept("marijuana", "02953127-n"), words.concept("phantom limb pain")]
    nodes, starts = words.paths(terms)
    found = search(words.volumes_of(nodes, starts), starts, 10, alpha=0.5, method=method)
    named = [words.name_of(int(nodes[start + level])) for start, level in zip(starts, found.levels, strict=False)]
    assert named == ["soft drug", "pain"]
    assert found.cost == pytest.approx(0.1534, abs=5e-5)


def test_the_lowest_bound_of_the_closing_example_is_one_level_higher() -> None:
    words = wordnet()
    nodes, starts = words.paths([words.concept("marijuana", "02953127-n"), words.concept("phantom limb pain")])
    found = search(words.volumes_of(nodes, starts), starts, 10, method="lub", delta=0)
    named = [words.name_of(int(nodes[start + level])) for start, level in zip(starts, found.levels, strict=False)]
    assert named == ["soft drug", "somesthesia"]
