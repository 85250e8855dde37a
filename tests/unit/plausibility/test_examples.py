"""Examples 1 to 3 of the paper, on the ontologies of its Figure 2 (state capital 4 and capital 32, all others 2)."""

from pathlib import Path

import numpy as np
import pytest

from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.ontology.sources.reading import build, read_source
from spark_deid.plausibility.kernels.cost import cost_of
from spark_deid.plausibility.search import Method, Objective
from spark_deid.plausibility.term_generalization import GeneralizationRequest, GeneralizedTerms, PathStart, generalize

CITIES = {"state capital": ("Sacramento", "Boston", "Austin", "Denver"), "capital": ("state capital",)}
OTHERS = {
    "controlled substance": ("marijuana", "ecstasy"),
    "pain": ("lumbar pain", "migraine"),
    "carcinoma": ("liver cancer", "lung cancer"),
}
WORDS = ("Sacramento", "marijuana", "lumbar pain", "liver cancer")


@pytest.fixture(scope="module")
def figure_2(tmp_path_factory: pytest.TempPathFactory) -> Ontology:
    below = {**CITIES, **OTHERS, "capital": ("state capital", *(f"city {n}" for n in range(28)))}
    below["entity"] = ("capital", *OTHERS)
    rows = ["entity,", *(f"{term},{parent}" for parent, terms in below.items() for term in terms)]
    folder = tmp_path_factory.mktemp("ontology")
    (folder / "figure.csv").write_text("\n".join(("term,parent", *rows)))
    build(read_source(str(folder / "figure.csv")), "figure", folder / "figure.npz")
    return ontology_at(str(Path(folder / "figure.npz")))


def generalized(
    ontology: Ontology, words: tuple[str, ...], t: int, *, objective: Objective = "uniform", method: Method = "exact"
) -> tuple[GeneralizedTerms, list[str]]:
    request = GeneralizationRequest(t=t, objective=objective, method=method, delta=3, lowest=PathStart.TERM)
    done = generalize(ontology, [ontology.concept(word) for word in words], request)
    return done, [ontology.name_of(node) for node in done.nodes if node is not None]


def test_example_1_has_four_originals(figure_2: Ontology) -> None:
    done, names = generalized(figure_2, ("marijuana", "lumbar pain"), 4)
    assert names == ["controlled substance", "pain"]
    assert (done.originals, done.entropy) == (4, 2.0)


def test_example_2_t_pat_may_leave_most_words(figure_2: Ontology) -> None:
    done, _ = generalized(figure_2, WORDS, 32, objective="volume")
    assert done.originals == 32
    volumes, starts = np.log2([32.0, 1.0, 1.0, 1.0]), np.arange(5, dtype=np.int64)
    assert cost_of(volumes, starts, np.zeros(4, np.int64), 5.0, 0.5) == (5.0, 2.34375)


@pytest.mark.parametrize("method", ["exact", "pruned", "lub", "one-step"])
def test_example_3_uniform_t_pat_hides_every_word(figure_2: Ontology, method: Method) -> None:
    done, names = generalized(figure_2, WORDS, 32, method=method)
    assert names == ["state capital", "controlled substance", "pain", "carcinoma"]
    assert (done.originals, done.entropy, done.cost) == (32, 5.0, 0.09375)
