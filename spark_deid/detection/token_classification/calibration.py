"""Probabilities of a token classifier made right on labelled text, by a temperature and a bias of log-odds.

Guo et al. 2017, On OddsCalibration of Modern Neural Networks, section 4 (Platt scaling), of words instead of examples.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from spark_deid.core.document import Document
from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s
from spark_deid.detection.token_classification.classifier import TokenClassifier
from spark_deid.detection.token_classification.decoding import entity_odds, labelled_export, probability_of, words_of
from spark_deid.detection.token_classification.export import CALIBRATION

THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Probabilities for which it is reported what would be left."""
_FEWEST = 20
"""The fewest words of entities, and other words, that two numbers are learned of."""
_PARTS = 2


class WordOdds(NamedTuple):
    """Words of labelled text: log-odds that a model gives each, whether gold marks it, and its document."""

    odds: Float64s
    marked: Bools
    documents: Int64s


class OddsCalibration(NamedTuple):
    """What makes log-odds probabilities: less the bias, over the temperature."""

    temperature: float
    bias: float

    def probability(self, odds: Float64s) -> Float64s:
        """Return the probabilities of log-odds."""
        return probability_of(odds, self.temperature, self.bias)


class ThresholdRates(NamedTuple):
    """Which part of the words of entities a threshold misses, and which part of other words it hides."""

    threshold: float
    missed: float
    hidden: float


def word_odds(classifier: TokenClassifier, documents: Iterable[Document], labels: Mapping[str, str | None]) -> WordOdds:
    """Return what a model says of the words of labelled documents; gold of other labels than its own marks nothing."""
    export = labelled_export(classifier.export, labels)
    names = {label for label in labels.values() if label is not None}
    odds: list[float] = []
    marked: list[bool] = []
    numbers: list[int] = []
    for number, document in enumerate(documents):
        offsets, logits = classifier.logits(document.text)
        if not offsets:
            continue
        of_tokens, _ = entity_odds(logits, export)
        covered = np.zeros(len(document.text) + 1, bool)
        for span in document.spans:
            if span.label in names:
                covered[span.start : span.end] = True
        for word in words_of(document.text, offsets):
            odds.append(float(of_tokens[word.tokens].max()))
            marked.append(bool(covered[word.start : word.end].any()))
            numbers.append(number)
    return WordOdds(np.asarray(odds), np.asarray(marked, bool), np.asarray(numbers, np.int64))


def calibrate(words: WordOdds) -> OddsCalibration:
    """Learn temperature and bias by logistic regression. Raises UsageError where the text says too little.

    Raises ModelError where the model's odds are not greater for entities than for other words.
    """
    marked, others = int(words.marked.sum()), int((~words.marked).sum())
    if min(marked, others) < _FEWEST:
        raise UsageError(
            f"calibrate: expected {_FEWEST} words of gold with the model's labels in each half of the "
            f"documents, and as many other words, got {marked} and {others}. Set --labels MODEL'S=GOLD'S if "
            "the labels differ"
        )
    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(words.odds[:, None], words.marked)
    slope, offset = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        raise ModelError(
            "calibrate: the model's probabilities of entities are not higher where gold has entities, so it "
            "cannot be calibrated"
        )
    return OddsCalibration(round(1 / slope, 6), round(-offset / slope, 6))


def held_out_rates(words: WordOdds, thresholds: Sequence[float] = THRESHOLDS) -> tuple[ThresholdRates, ...]:
    """Return what thresholds leave and hide of each half of the documents, by what the other half taught."""
    probability = np.zeros(len(words.odds))
    if words.documents.max(initial=0) == 0:
        raise UsageError(
            "calibrate: expected at least two documents, because each half is scored with the calibration of the other"
        )
    for part in range(_PARTS):
        own = words.documents % _PARTS == part
        others = WordOdds(words.odds[~own], words.marked[~own], words.documents[~own])
        probability[own] = calibrate(others).probability(words.odds[own])
    return tuple(
        ThresholdRates(
            each,
            float((probability[words.marked] < each).mean()),
            float((probability[~words.marked] >= each).mean()),
        )
        for each in thresholds
    )


def write_calibration(folder: Path, calibration: OddsCalibration) -> Path:
    """Write a calibration into the folder of its model, instead of an earlier one; return the file."""
    path = folder / CALIBRATION
    path.write_text(json.dumps(calibration._asdict()) + "\n", encoding="ascii")
    return path
