"""Calibration: two numbers learned of labelled words, and what thresholds leave of words that taught not one of it."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from spark_deid.app import CalibrateOptions, calibrate
from spark_deid.core.errors import ModelError, UsageError
from spark_deid.detection.token_classification import calibration
from spark_deid.detection.token_classification.calibration import WordOdds, held_out_rates
from spark_deid.detection.token_classification.export import read_export
from tests.unit.detection.token_classification.exported import SURE, write_export

TEMPERATURE, BIAS = 2.5, -1.0


def drawn(words: int, *, slope: float = 1.0) -> WordOdds:
    """Draw odds, and marks as likely as calibrated odds state."""
    draws = np.random.default_rng(7)
    odds = draws.normal(0, 4, words)
    probability = 1 / (1 + np.exp(-slope * (odds - BIAS) / TEMPERATURE))
    return WordOdds(odds, draws.random(words) < probability, np.arange(words) // 10)


def test_what_odds_were_drawn_by_is_learned() -> None:
    learned = calibration.calibrate(drawn(60_000))
    assert learned.temperature == pytest.approx(TEMPERATURE, abs=0.1)
    assert learned.bias == pytest.approx(BIAS, abs=0.1)


def test_rates_are_those_of_counting() -> None:
    words = drawn(4_000)
    even = words.documents % 2 == 0
    taught = {part: calibration.calibrate(WordOdds(*(each[even == (part == 1)] for each in words))) for part in (0, 1)}
    left = hidden = 0
    for odds, marked, document in zip(*words, strict=True):
        probability = taught[document % 2].probability(np.asarray([odds]))[0]
        left += marked and probability < 0.2
        hidden += not marked and probability >= 0.2
    [rates] = held_out_rates(words, (0.2,))
    assert rates.missed == pytest.approx(left / words.marked.sum())
    assert rates.hidden == pytest.approx(hidden / (~words.marked).sum())


def test_odds_that_state_nothing_and_too_little_text_are_refused() -> None:
    with pytest.raises(ModelError, match="not higher where gold has entities"):
        calibration.calibrate(drawn(4_000, slope=-1.0))
    with pytest.raises(UsageError, match="expected 20 words of gold"):
        calibration.calibrate(drawn(30))
    with pytest.raises(UsageError, match="expected at least two documents"):
        held_out_rates(drawn(4_000)._replace(documents=np.zeros(4_000, np.int64)))


def _gold(path: Path) -> None:
    draw = random.Random(3)
    with path.open("w") as lines:
        for number in range(60):
            words = ["x", "x", "x", *(draw.choice(("Ann", "Bonn", "saw", "x", "aspirin")) for _ in range(12))]
            text, spans = "", []
            for word in words:
                label = {"Ann": "NAME", "Bonn": "CITY"}.get(word)
                if label and draw.random() < 0.8:
                    spans.append({"start": len(text), "end": len(text) + len(word), "label": label})
                text += f"{word} "
            lines.write(json.dumps({"doc_id": str(number), "text": text, "spans": spans}) + "\n")


def test_a_model_is_calibrated_by_the_labels_of_gold(tmp_path: Path) -> None:
    folder, gold = write_export(tmp_path / "model"), tmp_path / "gold.jsonl"
    _gold(gold)
    before = read_export(folder)
    options = CalibrateOptions(model=folder, gold=str(gold), format="jsonl", labels=("LOC=CITY", "MISC="))
    done = calibrate(options)
    after = read_export(folder)
    assert (after.temperature, after.bias) == (done.temperature, done.bias) != (before.temperature, before.bias)
    odds = np.log(np.exp(SURE) + 2) - np.log(2)  # three of the five classes are of entities with a label
    assert 1 / (1 + np.exp(-(odds - after.bias) / after.temperature)) == pytest.approx(0.8, abs=0.08)
    assert done.documents == 60
    assert done.rates[0]["missed"] == 0.0
    with pytest.raises(UsageError, match="no entity DRUG"):
        calibrate(CalibrateOptions(model=folder, gold=str(gold), format="jsonl", labels=("DRUG=X",)))


@pytest.mark.parametrize("labels", [("PER",), ("=NAME",), ("PER=a b",)])
def test_labels_are_pairs(labels: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected pairs such as PER=NAME"):
        CalibrateOptions(model=tmp_path, gold="gold", format="jsonl", labels=labels)
