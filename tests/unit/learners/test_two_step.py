"""The margins that costs are told to: calibrated on all documents, each by a fit to others."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spark_deid.learners.base import TrainingExample
from spark_deid.learners.boosting import BoostingMethod
from spark_deid.learners.calibration import DECIDED, fit_sigmoid, log_odds
from spark_deid.learners.linear import LinearLearner
from spark_deid.learners.linear_model import LinearModel
from spark_deid.learners.svm import SupportVectorMachine
from spark_deid.learners.two_step import PARTS, ClassWeights, FittingMethod, calibrate_class
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, bare, notes

Flags = NDArray[np.bool_]
FITTED: list[tuple[int, int]] = []


def rows(documents: int, each: int = 5) -> tuple[csr_matrix, Flags, NDArray[np.int64]]:
    """Return documents of a few rows, the first of them positive; besides, a feature tells each row's document."""
    numbers = np.repeat(np.arange(documents), each)
    positive = np.arange(len(numbers)) % each == 0
    return csr_matrix(np.column_stack([positive, np.eye(documents)[numbers]]).astype(float)), positive, numbers


def recorded(matrix: csr_matrix, positive: Flags, margins: Callable[[csr_matrix], ClassWeights]) -> ClassWeights:
    FITTED.append((matrix.shape[0], int(positive.sum())))
    return margins(matrix)


def by_first(matrix: csr_matrix) -> ClassWeights:
    return ClassWeights(2.0 * (np.arange(matrix.shape[1]) == 0), -1.0)


def test_every_document_is_scored_by_a_fit_to_others() -> None:
    FITTED.clear()
    matrix, positive, documents = rows(7)
    found = calibrate_class(matrix, positive, documents, partial(recorded, margins=by_first))
    assert FITTED == [(20, 4), (25, 5), (25, 5)]
    assert found == fit_sigmoid(np.where(positive, 1.0, -1.0), positive)


def test_a_part_is_scored_by_what_the_others_taught() -> None:
    """The margins of a document depend on which documents were fitted: those of its own part never are."""
    matrix, positive, documents = rows(9)

    def mean_number(part: csr_matrix, _: Flags) -> ClassWeights:
        numbers = np.flatnonzero(part.toarray()[:, 1:].any(0))
        assert len(set(numbers % PARTS)) == PARTS - 1
        return ClassWeights(2.0 * (np.arange(10) == 0), float(numbers.mean()))

    told = np.array([np.delete(np.arange(9), np.arange(part, 9, PARTS)).mean() for part in range(PARTS)])
    margins = np.where(positive, 2.0, 0.0) + told[documents % PARTS]
    assert calibrate_class(matrix, positive, documents, mean_number) == fit_sigmoid(margins, positive)


def test_where_one_part_only_has_positives_the_sign_decides() -> None:
    matrix, positive, documents = rows(9)
    alone = positive & (documents == 4)
    assert calibrate_class(matrix, alone, documents, lambda *_: by_first(matrix)) == DECIDED


@pytest.mark.parametrize("method", [SupportVectorMachine(), BoostingMethod(60)])
def test_no_cost_marks_what_no_margin_shows(method: FittingMethod) -> None:
    """One note of thirty has anything to find: nobody knows how sure its margins are, so no threshold moves."""
    learned = [
        note if place == 4 else TrainingExample(note.doc_id, note.view, ()) for place, note in enumerate(notes(30, 0))
    ]
    model = LinearLearner(method, "hide", KEY, copy_length=0).fit(learned, seed=0)
    assert model.sigmoid == DECIDED
    for note in notes(5, 1):
        plain = bare(model.predict(note.view))
        assert all(bare(model.with_threshold(1 / (1 + ratio)).predict(note.view)) == plain for ratio in (1, 10, 100))


@pytest.mark.parametrize("method", [SupportVectorMachine(), BoostingMethod(60)])
def test_few_positives_cost_few_words(method: FittingMethod) -> None:
    """Three documents of thirty have names: at ten to one all are found, and next to no ordinary word."""
    text = "It rained all day, and nobody came. The wound was clean, and was calm. "
    learned = [
        note if place % 10 == 2 else TrainingExample("", TextView(text), ()) for place, note in enumerate(notes(30, 0))
    ]
    model = LinearLearner(method, "hide", KEY).fit(learned, seed=0).with_threshold(1 / 11)
    assert model.sigmoid != DECIDED
    assert len(model.predict(TextView(text * 20))) <= 3
    assert all(set(bare(note.spans)) <= set(bare(model.predict(note.view))) for note in learned[2::10])


@pytest.mark.parametrize("method", [SupportVectorMachine(), BoostingMethod(60)])
def test_a_lower_threshold_marks_what_a_higher_one_does(method: FittingMethod) -> None:
    model: LinearModel = LinearLearner(method, "hide", KEY).fit(notes(20, 0), seed=0)
    tokens = model.extractor.tokenizer
    for note in notes(6, 3):
        cut = tokens(note.view)
        marked = [model.with_threshold(t).tag(note.view, cut).tags > 0 for t in (0.001, 0.09, 0.5, 0.9, 0.999)]
        assert all((less <= more).all() for more, less in pairwise(marked))
        odds = model.tag(note.view, cut).odds
        assert ((odds > log_odds(0.09)) == marked[1]).all()
