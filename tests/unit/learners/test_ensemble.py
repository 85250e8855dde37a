from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import ModelError
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.ensemble import EnsembleLearner, EnsembleModel, open_ensemble
from spark_deid.learners.preparation import FitPreparation, prepare
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.learners.span_pruning import JudgedCandidates, candidates, fit_pruner, open_pruner, secret_rows
from spark_deid.text.view import TextView
from tests.unit.learners.notes import KEY, NAMES, bare, notes


@pytest.fixture(scope="module")
def model() -> EnsembleModel:
    return EnsembleLearner("hide", KEY, outside_bias=-2.0).fit(notes(20, 0), seed=0)


def judged(ready: FitPreparation, draw: np.random.Generator) -> Iterator[JudgedCandidates]:
    """Give each note its own spans, and as many words that are none."""
    for example, note in zip(ready.examples, notes(len(ready.examples), 0), strict=True):
        tokens = example.tokens
        wrong = [i for i in np.flatnonzero(example.tags == 0) if draw.random() < 0.3]
        spans = sorted([*note.spans, *(Span(int(tokens.starts[i]), int(tokens.ends[i]), "NAME") for i in wrong)])
        odds = draw.normal(size=len(tokens))
        found = candidates(ready.extractor, example.view, tokens, example.known, spans, odds)
        yield JudgedCandidates(found, np.array([span in note.spans for span in spans], np.bool_))


def test_a_pruner_keeps_right_spans_and_drops_wrong_ones(tmp_path: Path) -> None:
    ready = prepare(notes(30, 0), "hide", KEY)
    documents = list(judged(ready, np.random.default_rng(0)))
    pruner = fit_pruner(documents[:20], secret_rows(ready.extractor), min_frequency=2, seed=0)
    pruner.save(tmp_path / "pruner", KEY)
    for each in documents[20:]:
        kept = pruner.keeps(each.found)
        assert (kept == each.right).mean() > 0.9
        assert (open_pruner(tmp_path / "pruner", KEY).keeps(each.found) == kept).all()


def test_an_ensemble_finds_what_its_pruner_keeps_of_the_crf(model: EnsembleModel) -> None:
    for example in notes(6, 1):
        found, offered = (set(bare(each.predict(example.view))) for each in (model, model.crf))
        assert set(bare(example.spans)) <= found <= offered
    never = replace(model, pruner=replace(model.pruner, threshold=1.0))
    assert never.predict(example.view) == ()


def test_a_low_threshold_finds_no_less(model: EnsembleModel) -> None:
    view = notes(1, 2)[0].view
    plain, eager = (sum(s.end - s.start for s in m.predict(view)) for m in (model, model.with_threshold(1e-6)))
    assert eager >= plain > 0
    assert model.with_bias(50).predict(view) == ()
    assert model.with_threshold(0.5).tokens(view)[0].tolist() == model.tokens(view)[0].tolist()


def test_a_saved_model_predicts_the_same_and_holds_no_word(model: EnsembleModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    loaded = open_ensemble(tmp_path / "model", KEY)
    assert loaded.labels == model.labels == ("DATE", "NAME", "PLACE")
    for example in notes(4, 3):
        assert loaded.predict(example.view) == model.predict(example.view)
    content = b"".join(path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()).lower()
    assert not [word for word in NAMES if word.lower().encode() in content]
    with pytest.raises(ModelError, match="key"):
        open_ensemble(tmp_path / "model", b"x" * 32)
    with pytest.raises(ModelError):
        open_ensemble(tmp_path / "nowhere", KEY)


@pytest.mark.parametrize("spans", [(), (Span(0, 6, "NAME"),)])
def test_too_little_to_learn_pruning_from_prunes_nothing(spans: tuple[Span, ...]) -> None:
    model = EnsembleLearner("hide", KEY).fit([TrainingExample("a", TextView("Zoltan"), spans)], seed=0)
    assert bare(model.predict(TextView("Zoltan"))) == bare(model.crf.predict(TextView("Zoltan")))


def test_an_export_has_neither_key_nor_words_and_prunes_what_its_crf_finds(
    model: EnsembleModel, tmp_path: Path
) -> None:
    public = model.without_words()
    public.save(tmp_path / "public")
    again = open_ensemble(tmp_path / "public", b"")
    for example in notes(4, 1):
        found = again.predict(example.view)
        assert found == public.predict(example.view)
        assert set(bare(found)) <= set(bare(public.crf.predict(example.view)))
    assert 0 < (public.pruner.table.slots[::2] != 0).sum() < (model.pruner.table.slots[::2] != 0).sum()
    with pytest.raises(ModelError, match=r"older version.*Train it again"):
        replace(model.pruner, public=np.zeros(0, np.uint8)).without_words()


def test_secret_rows_are_those_that_the_key_changes() -> None:
    """Fit with two keys: rows of attributes that carry no words are the same, the others are not."""
    rows = []
    for key in (KEY, b"x" * 32):
        ready = prepare(notes(3, 0), "hide", key)
        rows.append(next(judged(ready, np.random.default_rng(0))).found.attributes)
    differs = (rows[0] != rows[1]).any(1)
    empty = ~rows[0].any(1)
    assert (differs | empty)[secret_rows(ready.extractor)].all()
    assert not differs[~secret_rows(ready.extractor)].any()


@pytest.mark.parametrize("features", ["hide", "gazetteer"])
def test_its_crf_has_the_penalties_of_the_crf(features: str) -> None:
    settings = LearnerSettings(features, KEY, 7, by_cost=True)
    pruned, alone = make_learner("ensemble", settings), make_learner("crf", settings)
    assert isinstance(pruned, EnsembleLearner)
    assert isinstance(alone, CrfLearner)
    assert (pruned.c1, pruned.c2, pruned.max_iterations) == (alone.c1, alone.c2, alone.max_iterations)
