import math

import numpy as np
import pytest

from spark_deid.app.experiments.plausibility.figures import figures, results_table
from spark_deid.app.experiments.plausibility.trials import (
    EP,
    LEAST_COST,
    LEAST_VOLUME,
    OSAS,
    UEP,
    SearchTrial,
    measure_text,
    run_trials,
    terms_of_height,
)
from spark_deid.app.experiments.settings import PlausibilityExperimentSettings
from spark_deid.core.errors import UsageError
from spark_deid.ontology.ontology import wordnet

SMALL = PlausibilityExperimentSettings(size=(3, 5), t=(64, 512), alpha=(0.5, 0.25), draws=2, delta=(0, 1, 2))


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def trials() -> tuple[SearchTrial, ...]:
    return run_trials(wordnet(), SMALL, silent)


def test_terms_are_leaves_of_the_height_asked_for() -> None:
    terms = terms_of_height(wordnet(), 8)
    assert len(terms) > 30_000  # the paper speaks of 30,000
    assert {len(wordnet().path(term)) - 1 for term in terms[::500].tolist()} == {7, 8, 9}
    assert not np.isin(terms, wordnet().hypernyms).any()


@pytest.mark.thorough
def test_exact_searches_agree_with_the_papers_own(trials: tuple[SearchTrial, ...]) -> None:
    by = {(x.method, x.size, x.t, x.alpha, x.draw): x for x in trials}
    for (method, *rest), trial in by.items():
        assert trial.is_finished
        assert trial.volume >= math.log2(trial.t) - 1e-9
        if method == UEP:
            assert trial.cost == pytest.approx(by[LEAST_COST, *rest].cost, abs=1e-9)
        if method == EP:
            assert trial.volume == pytest.approx(by[LEAST_VOLUME, *rest].volume, abs=1e-9)
    assert {x.method for x in trials} == {
        EP,
        UEP,
        LEAST_COST,
        LEAST_VOLUME,
        OSAS,
        *(f"LUBS, δ = {d}" for d in range(3)),
    }


@pytest.mark.thorough
def test_costs_fall_with_delta_and_no_lower_than_the_optimum(trials: tuple[SearchTrial, ...]) -> None:
    told = figures(trials, wordnet(), SMALL)
    for size, t, alpha in {(x.size, x.t, x.alpha) for x in trials}:
        rows = {r["method"]: r for r in told["summary"] if (r["size"], r["t"], r["alpha"]) == (size, t, alpha)}
        costs = [rows[name]["cost"] for name in ("LUBS, δ = 0", "LUBS, δ = 1", "LUBS, δ = 2", LEAST_COST)]
        assert costs == sorted(costs, reverse=True)
        assert rows[LEAST_COST]["optimal"] == rows[LEAST_COST]["draws"] == 2
    assert [plot["name"] for plot in told["plots"]] == [f"3{letter}" for letter in "abcdefghi"]
    assert {row["text"] for row in told["example"] if row["method"] != "LUBS, δ = 0"} == {"uses soft drug for pain"}
    assert results_table(trials).num_rows == len(trials)


@pytest.mark.thorough
def test_equal_seeds_draw_equal_texts(trials: tuple[SearchTrial, ...]) -> None:
    again = run_trials(wordnet(), SMALL, silent)
    assert [x._replace(seconds=0) for x in again] == [x._replace(seconds=0) for x in trials]


def test_similarity_is_that_of_the_vectors_of_base_words() -> None:
    original, kept = np.zeros(9), np.zeros(9)  # two words; the second becomes one of 8 base words
    original[[0, 1]] = 1 / math.sqrt(2)
    kept[0], kept[1:] = 1 / math.sqrt(2), 1 / (8 * math.sqrt(2))
    *_, cosine, as_printed = measure_text(np.array([0.0, 3.0]))
    assert as_printed == pytest.approx(original @ kept)
    assert cosine == pytest.approx(original @ kept / np.linalg.norm(kept))


def test_the_papers_example_of_similarity() -> None:
    *_, as_printed = measure_text(np.array([0.0, 1.0]))
    assert as_printed == pytest.approx(0.75)


def test_an_ontology_without_enough_terms_is_refused() -> None:
    with pytest.raises(UsageError, match="expected at least 5 terms of 40 steps"):
        run_trials(wordnet(), SMALL.model_copy(update={"height": 40}), silent)
