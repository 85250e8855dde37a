import math
import random

import numpy as np
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.ontology import from_arrays, wordnet
from spark_deid.plausibility.likelihood import entropies, weigh_leaves
from tests.unit.plausibility.graphs import drawn, leaves_below


def entropy(weights: list[float]) -> float:
    total = sum(weights)
    return -sum(weight / total * math.log2(weight / total) for weight in weights if weight) if total else 0.0


def test_entropies_are_those_of_the_leaves_below() -> None:
    draw = random.Random(29)
    for _ in range(100):
        some, above = drawn(draw)
        counts = {identifier: float(draw.choice((0, 0, 1, 3, 40))) for identifier in above}
        weighed = weigh_leaves(some, counts, unseen=draw.choice((0.0, 0.5)))
        own = {identifier: weighed.weights[some.concept(identifier)] for identifier in above}
        told = entropies(some, weighed.weights)
        for identifier in above:
            plain = entropy([own[leaf] for leaf in sorted(leaves_below(identifier, above))])
            assert told[some.concept(identifier)] == pytest.approx(plain, abs=1e-9)
        assert math.isclose(weigh_leaves(some, counts).weights.sum(), sum(counts.values()))


def test_a_wider_concept_counts_for_all_its_leaves_equally() -> None:
    animals = (
        SourceConcept("cat", ("cat",)),
        SourceConcept("tabby", ("tabby",), ("cat",)),
        SourceConcept("manx", ("manx",), ("cat",)),
    )
    some = from_arrays(pack_source(ConceptSource(animals)), {"name": "cats"})
    weights = weigh_leaves(some, {"cats": 6, "tabby": 1, "dog": 5}, unseen=0.5)
    assert weights.unknown == ("dog",)
    assert weights.weights[[some.concept(name) for name in ("cat", "tabby", "manx")]].tolist() == [0.0, 4.5, 3.5]


def test_equal_weights_give_the_logarithm_of_the_volume() -> None:
    told = entropies(wordnet(), weigh_leaves(wordnet(), {}, unseen=1.0).weights)
    assert np.allclose(told, np.log2(wordnet().volumes))


@pytest.mark.parametrize("count", [-1.0, math.nan, math.inf])
def test_counts_that_are_none_are_refused(count: float) -> None:
    with pytest.raises(UsageError, match="term 1: expected a count"):
        weigh_leaves(wordnet(), {"cat": count})


def test_a_table_of_other_words_is_refused() -> None:
    with pytest.raises(UsageError, match="no term of the 1"):
        weigh_leaves(wordnet(), {"qwertzuiop": 1.0})
