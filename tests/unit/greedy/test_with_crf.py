"""The loop on the real learner: small, since CRFs need more than toy data to shine."""

from pathlib import Path
from typing import Any

import pytest

from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import BIASES
from spark_deid.greedy.sanitizer import GreedySanitizer, load_sanitizer
from spark_deid.greedy.train import train
from tests.unit.greedy.toy_learner import CORPUS, KEY, SURNAMES

TEXT = CORPUS[0].text + " " + CORPUS[1].text


def sanitizer(**settings: Any) -> GreedySanitizer:
    return train(CORPUS, TrainConfig(key=KEY, workers=1, features="hide", min_train_remaining=0, **settings))


@pytest.fixture(scope="module")
def fitted() -> GreedySanitizer:
    return sanitizer()


def test_a_saved_crf_detects_the_same(fitted: GreedySanitizer, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    again = load_sanitizer(tmp_path / "model")
    assert again.detect(TEXT) == fitted.detect(TEXT) != ()
    assert [r.decoding for r in again.rounds] == [r.decoding for r in fitted.rounds]


def test_an_exported_model_has_no_key_and_detects_without_one(fitted: GreedySanitizer, tmp_path: Path) -> None:
    public = fitted.without_words()
    public.save(tmp_path / "public")
    assert not (tmp_path / "public" / "feature.key").exists()
    assert load_sanitizer(tmp_path / "public").detect(TEXT) == public.detect(TEXT)


def test_the_bias_is_one_of_those_tried(fitted: GreedySanitizer) -> None:
    assert all(r.decoding.bias in BIASES and r.decoding.threshold is None for r in fitted.rounds)


def test_cost_sensitive_decoding_scores_spans_and_finds_no_less(fitted: GreedySanitizer) -> None:
    plain, eager = sanitizer(counts="train"), sanitizer(counts="train", decoding="cost")
    assert eager.rounds[0].decoding.threshold == pytest.approx(1 / 11)
    found = eager.detect(TEXT)
    assert any(span.score is not None and 0 < span.score <= 1 for span in found)
    assert sum(s.end - s.start for s in found) >= sum(s.end - s.start for s in plain.detect(TEXT))
    assert fitted.decoding_as("cost").rounds[0].decoding == eager.rounds[0].decoding


def test_words_are_hashed_by_the_key(tmp_path: Path) -> None:
    sanitizer(counts="train", max_rounds=1).save(tmp_path / "model")
    content = b"".join(path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()).lower()
    assert not [name for name in SURNAMES if len(name) > 4 and name.lower().encode() in content]
