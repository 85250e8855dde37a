"""Explanations of tokens: their weights add up to the model's scores, and what decided is what happened."""

from dataclasses import replace

import numpy as np
import pytest

from spark_deid.core.span import Span
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.ensemble import EnsembleModel
from spark_deid.learners.explanation import COPY, FEATURES, KIND, RULE, ExplainedToken, explain_tokens
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.learners.token_model import TokenModel
from spark_deid.text.view import TextView
from tests.unit.greedy.toy_learner import ToyModel
from tests.unit.learners.notes import KEY, notes

TEXT = "Mr Quimby of Springfield came on 12 March 2010. The wound was clean; Quimby went home.\n"


def fitted(learner: str) -> CrfModel | EnsembleModel | TokenModel:
    model = make_learner(learner, LearnerSettings("rich", KEY, 20)).fit(notes(40, 0), seed=0)
    assert isinstance(model, CrfModel | EnsembleModel | TokenModel)
    return model


def explained(model: CrfModel | EnsembleModel | TokenModel, view: TextView) -> tuple[ExplainedToken, ...]:
    found = explain_tokens(model, view)
    assert found is not None
    return found


@pytest.mark.parametrize("learner", ["crf", "svm", "adaboost", "ensemble"])
def test_labels_are_those_of_the_model_and_have_a_reason(learner: str) -> None:
    model, view = fitted(learner), TextView(TEXT)
    found = explained(model, view)
    spans = model.predict(view)
    assert spans
    for token in found:
        inside = [span.label for span in spans if span.start <= token.start and token.end <= span.end]
        assert ([token.label] if token.label else []) == inside
        assert bool(token.decided) >= bool(token.label)
        assert not token.label or token.tag[2:] == token.label
    starts, ends = model.tokens(view)
    assert [(token.start, token.end) for token in found] == list(zip(starts.tolist(), ends.tolist(), strict=True))


def test_weights_add_up_to_the_scores_of_a_crf() -> None:
    model, view = fitted("crf"), TextView(TEXT)
    assert isinstance(model, CrfModel)
    tokens = model.extractor.tokenizer(view)
    scores = np.concatenate([piece.scores[:, : model.width] for piece in model.scored(view, tokens)])
    for place, token in enumerate(explained(model, view)):
        expected = scores[place, model.names.index(token.tag)] - scores[place, model.names.index("O")]
        assert token.total == pytest.approx(expected)
        weights = [abs(feature.weight) for feature in token.features]
        assert weights == sorted(weights, reverse=True)


def test_what_decided_is_named() -> None:
    model = fitted("crf")
    assert isinstance(model, CrfModel)
    reasons = {token.decided for token in explained(model, TextView(TEXT))}
    assert FEATURES in reasons
    found = explained(model.with_bias(6.0), TextView(f"Mr Quimby of Springfield came. {'x ' * 9}Quimby said no.\n"))
    assert {token.decided for token in found} <= {"", FEATURES, COPY, "neighbouring tags"}
    copied = [token for token in found if token.decided == COPY]
    assert all(token.label for token in copied)
    known = replace(model, kinds={"date": "DATE"})
    kinds = [token.decided for token in explained(known.with_bias(1e6), TextView("on 3/4/2009.\n"))]
    assert KIND in kinds


def test_the_document_rule_is_named_where_it_raises_a_word() -> None:
    model = fitted("crf")
    assert isinstance(model, CrfModel)
    text = "Name: Quimby\nPlace: Brockway\nthe wound was clean; wound Quimby wound wound was\n\n"
    view = TextView(f"{text}clean clean Wound (Brockway) wound was clean clean\n")
    chances = [model.with_threshold(threshold / 100) for threshold in range(5, 100, 5)]
    reasons = {token.decided for each in chances for token in explained(each, view)}
    assert RULE in reasons


def test_removed_pieces_are_no_tokens_and_other_models_have_no_templates() -> None:
    found = explained(fitted("crf"), TextView(TEXT, (Span(3, 9, "NAME"),)))
    assert 3 not in {token.start for token in found}
    assert explain_tokens(ToyModel((), None), TextView("x")) is None
