"""A t that logarithms can't show from the next integer: claims of one text more than there are."""

import itertools
import math
import random

import numpy as np
import pytest

from spark_deid.core.edit import apply_edits
from spark_deid.ontology.policies import Method
from spark_deid.plausibility.search import search
from tests.unit.plausibility.generalized import decided, marked, recounted, rule


@pytest.mark.parametrize("method", ["exact", "pruned", "lub", "one-step"])
def test_one_text_more_than_there_are_is_not_reached(method: Method) -> None:
    volumes, starts = np.array([1, 1 << 16] * 2, np.int64), np.array([0, 2, 4])
    assert search(volumes, starts, 1 << 32, method=method).is_feasible
    assert not search(volumes, starts, (1 << 32) + 1, method=method).is_feasible


def test_a_t_near_a_product_comes_to_an_end() -> None:
    text = ", ".join(str(40 + number) for number in range(9))
    spans, rules = marked(text, *text.split(", ")), rule(ontology="ages", t=2_000_000_001)
    found = decided(text, spans, rules)
    assert "[TERM]" not in apply_edits(text, found.edits)
    assert not recounted(text, spans, found.edits, rules).faults


def test_searches_reach_t_in_whole_numbers_at_the_least_cost() -> None:
    draw = random.Random(2)
    for _ in range(60):
        paths = [sorted(draw.sample(range(2, 90_000), 3)) for _ in range(3)]
        products = sorted({math.prod(each) for each in itertools.product(*paths)})
        t = draw.choice(products) + draw.choice((-1, 0, 1))
        volumes, starts = np.array([*itertools.chain(*paths)], np.int64), np.array([0, 3, 6, 9])

        def cost(levels: tuple[int, ...], t: int = t, paths: list[list[int]] = paths) -> float:
            bits = [math.log2(path[level]) for path, level in zip(paths, levels, strict=True)]
            goal = math.log2(t)
            return 0.5 / 9 * (sum(bits) - goal) ** 2 + 0.5 / 3 * sum((each - goal / 3) ** 2 for each in bits)

        every = itertools.product(range(3), repeat=3)
        reaching = [each for each in every if math.prod(p[x] for p, x in zip(paths, each, strict=True)) >= t]
        found = search(volumes, starts, t)
        assert found.is_feasible == bool(reaching)
        if reaching:
            assert math.prod(p[x] for p, x in zip(paths, found.levels, strict=True)) >= t
            assert cost(found.levels) == pytest.approx(min(map(cost, reaching)), abs=1e-9)
