import math

import pytest

from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.search import Method
from spark_deid.plausibility.term_generalization import GeneralizationRequest, PathStart, generalize


def names(nodes: tuple[int | None, ...]) -> list[str | None]:
    return [None if node is None else wordnet().name_of(node) for node in nodes]


def concepts(*terms: str) -> list[int]:
    return [wordnet().concept(*term.split("|")) for term in terms]


@pytest.mark.parametrize("method", ["exact", "pruned", "lub", "one-step"])
@pytest.mark.parametrize("lowest", list(PathStart))
def test_the_closing_example_comes_of_every_search(method: Method, lowest: PathStart) -> None:
    done = generalize(
        wordnet(),
        concepts("marijuana|02953127-n", "phantom limb pain"),
        GeneralizationRequest(t=10, method=method, lowest=lowest),
    )
    assert names(done.nodes) == ["soft drug", "pain"]
    assert (done.volumes, done.originals, done.is_feasible) == ((5, 3), 15, True)


def test_no_term_is_unchanged_unless_asked_for() -> None:
    terms = concepts("cat", "dog", "Sacramento")
    request = GeneralizationRequest(t=2, objective="volume")
    hidden = generalize(wordnet(), terms, request)
    assert not set(hidden.nodes) & set(terms)
    kept = generalize(wordnet(), terms, GeneralizationRequest(t=2, objective="volume", lowest=PathStart.TERM))
    assert len(set(kept.nodes) & set(terms)) == 2
    assert kept.originals < hidden.originals == math.prod(hidden.volumes)


def test_unknown_terms_and_roots_leave_the_product() -> None:
    done = generalize(wordnet(), [None, *concepts("cat", "entity"), None], GeneralizationRequest(t=2))
    assert names(done.nodes) == [None, "feline", None, None]
    assert done.volumes[0] == done.volumes[2] == 1
    assert done.originals == done.volumes[1]


def test_what_cannot_be_reached_is_reported() -> None:
    done = generalize(wordnet(), concepts("cat"), GeneralizationRequest(t=1 << 40))
    assert not done.is_feasible
    assert names(done.nodes) == ["entity"]
    assert not generalize(wordnet(), [None], GeneralizationRequest(t=2)).is_feasible
