import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from spark_deid.app.experiments.plausibility.trials import (
    BY_FREQUENCY,
    BY_VOLUME,
    run_guesses,
    summarize,
    terms_of_height,
)
from spark_deid.app.experiments.settings import PlausibilityExperimentSettings
from spark_deid.core.errors import UsageError
from spark_deid.ontology.ontology import wordnet
from spark_deid.ontology.sources.tables import read_frequencies

SMALL = PlausibilityExperimentSettings(size=(4,), t=(64,), draws=6)


def weights() -> np.ndarray:
    told = np.zeros(wordnet().n_concepts)
    terms = terms_of_height(wordnet(), 8)
    told[terms] = np.random.default_rng(1).zipf(1.4, len(terms)).clip(0, 10_000)
    return told


def test_who_knows_frequencies_gains_unless_they_are_counted() -> None:
    guesses = run_guesses(wordnet(), weights(), SMALL)
    for guess in guesses:
        assert guess.truth <= guess.best + 1e-9
        assert -guess.best <= guess.entropy + 1e-9 <= guess.volume + 2e-9
        if guess.counted == BY_FREQUENCY and guess.is_feasible:
            assert guess.entropy >= math.log2(64) - 1e-9
    rows = {row["counted"]: row for row in summarize(guesses)}
    assert rows[BY_VOLUME]["below_t"] > 0
    assert rows[BY_FREQUENCY]["below_t"] <= rows[BY_FREQUENCY]["infeasible"] / 6


def test_equally_originals_leave_nothing_to_gain() -> None:
    flat = np.zeros(wordnet().n_concepts)
    is_leaf = np.ones(wordnet().n_concepts, np.bool_)
    is_leaf[wordnet().hypernyms] = False
    flat[is_leaf] = 2.0
    for guess in run_guesses(wordnet(), flat, SMALL):
        assert guess.entropy == pytest.approx(guess.volume)
        assert guess.best == guess.truth == pytest.approx(-guess.volume)


def test_tables_of_frequencies_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("count,term\n3,cat\n1.5,dog\n1,cat\n")
    pyarrow.parquet.write_table(pa.table({"term": ["cat", "dog"], "count": [4, 1.5]}), tmp_path / "x.parquet")
    for name in ("x.csv", "x.parquet"):
        assert read_frequencies(tmp_path / name) == {"cat": 4.0, "dog": 1.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("term,number\n", "line 1: expected columns"),
        ("term,count\ncat,x\n", "line 2: expected a count"),
        ("term,count\ncat,-1\n", "line 2: expected a count"),
        ("term,count\n", "at least one term"),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(UsageError, match=expected):
        read_frequencies(tmp_path / "x.csv")
