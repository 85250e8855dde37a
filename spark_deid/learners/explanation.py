"""Why a model labels a token, or does not: the weights of its features, and what decided (HIDE's "under the hood")."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.core.span import Span
from spark_deid.learners.base import FittedModel
from spark_deid.learners.calibration import probabilities
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.document_rule import apply_rule
from spark_deid.learners.ensemble import EnsembleModel
from spark_deid.learners.linear_model import LinearModel
from spark_deid.learners.scoring import score_attributes
from spark_deid.learners.token_model import TokenModel
from spark_deid.text.bio import OUTSIDE, tag_names
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

FEATURES, NEIGHBOURS, RULE, COPY, KIND, PRUNED, NOTHING = (
    "features",
    "neighbouring tags",
    "document rule",
    "copy of a text found elsewhere",
    "kind of token",
    "dropped by the pruner",
    "",
)
"""The causes of a label: the sum of a token's weights, its neighbours, other places of its word, or a fixed rule."""


class FeatureWeight(NamedTuple):
    """A template that a token has, and the weight of its value: above 0 it speaks for the tag, below 0 for O."""

    template: str
    weight: float


class ExplainedToken(NamedTuple):
    """A token in original offsets, the label that it got or "", what decided, and its features by absolute weight.

    ``tag`` is the tag that the weights are of: the one that the token got, else the one with the highest sum.
    """

    start: int
    end: int
    label: str
    decided: str
    tag: str
    features: tuple[FeatureWeight, ...]

    @property
    def total(self) -> float:
        """Return the sum of the weights, without those of transitions and the bias."""
        return sum(feature.weight for feature in self.features)


def explain_tokens(model: FittedModel, view: TextView) -> tuple[ExplainedToken, ...] | None:
    """Return the tokens of a view without placeholders, each with its features. None if the model has no templates."""
    tokens_of = model.crf if isinstance(model, EnsembleModel) else model
    if not isinstance(tokens_of, CrfModel | LinearModel):
        return None
    tokens = tokens_of.extractor.tokenizer(view)
    weights = _weights(tokens_of, view, tokens)
    names = tokens_of.names if isinstance(tokens_of, CrfModel) else tag_names(tokens_of.labels)
    labels = _labels(tokens, model.predict(view))
    decided = _reasons(tokens_of, view, tokens, weights.sum(0), names, labels)
    if isinstance(model, EnsembleModel):
        before = _labels(tokens, model.crf.predict(view))
        decided = [PRUNED if had and not has else why for why, had, has in zip(decided, before, labels, strict=True)]
    templates = tokens_of.extractor.features.templates
    return tuple(
        _explained(tokens, token, labels[token], decided[token], weights[:, token], names, templates)
        for token in np.flatnonzero(~tokens.is_placeholder).tolist()
    )


def _explained(
    tokens: ViewTokens,
    token: int,
    label: str,
    decided: str,
    weights: Float64s,
    names: Sequence[str],
    templates: Sequence[str],
) -> ExplainedToken:
    chosen = _tag_of(label, weights.sum(0), names)
    rows = sorted(zip(templates, weights[:, chosen].tolist(), strict=True), key=lambda row: -abs(row[1]))
    features = tuple(FeatureWeight(template, weight) for template, weight in rows if weight)
    start, end = int(tokens.starts[token]), int(tokens.ends[token])
    return ExplainedToken(start, end, label, decided, names[chosen], features)


def _tag_of(label: str, totals: Float64s, names: Sequence[str]) -> int:
    """Return the tag with the highest sum among those of a label, or among all but O."""
    tags = [place for place, name in enumerate(names) if name != "O" and label in ("", name[2:])]
    return max(tags, key=lambda place: totals[place])


def _weights(model: TokenModel, view: TextView, tokens: ViewTokens) -> Float64s:
    """Return the weight of each template's value, ``[template, token, tag]``, less that of O.

    A linear model has the margin for any tag at all in the place of O: it is added to every tag.
    """
    found = np.zeros((len(model.extractor.features.templates), len(tokens), model.width))
    for first, end, attributes in model.extractor.sequences(view, tokens, model.lexicon.known()):
        for place in range(len(found)):
            found[place, first:end] = score_attributes(attributes[place : place + 1], model.table, model.width)[
                :, : model.width
            ]
    if isinstance(model, CrfModel):
        outside = model.names.index("O")
        return np.asarray(found - found[:, :, outside : outside + 1])
    return np.asarray(found + found[:, :, :1])


def _labels(tokens: ViewTokens, spans: Sequence[Span]) -> list[str]:
    """Return the label of each token, or ""."""
    labels = [""] * len(tokens)
    for span in spans:
        first, after = np.searchsorted(tokens.starts, [span.start, span.end])
        labels[first:after] = [span.label] * int(after - first)
    return labels


def _reasons(
    model: CrfModel | LinearModel,
    view: TextView,
    tokens: ViewTokens,
    totals: Float64s,
    names: Sequence[str],
    labels: Sequence[str],
) -> list[str]:
    """Return what decided each token that has a label."""
    tags, raised = _tagged(model, view, tokens)
    kinds: Mapping[str, str] = model.kinds
    reasons = []
    for token, label in enumerate(labels):
        if not label:
            reasons.append(NOTHING)
        elif kinds.get(KINDS[tokens.arrays.merged[token]]) == label and tags[token] == OUTSIDE:
            reasons.append(KIND)
        elif raised[token]:
            reasons.append(RULE)
        elif tags[token] == OUTSIDE:
            reasons.append(COPY)
        else:
            best = _tag_of("", totals[token], names)
            reasons.append(FEATURES if names[best][2:] == label and totals[token, best] > 0 else NEIGHBOURS)
    return reasons


def _tagged(model: CrfModel | LinearModel, view: TextView, tokens: ViewTokens) -> tuple[Int32s, list[bool]]:
    """Return the tags by scores and neighbours, and the tokens that the document rule lifts above the threshold."""
    if isinstance(model, LinearModel):
        tags, odds = model.tag(view, tokens)
        if not model.by_cost:
            return tags, [False] * len(tokens)
        chances = probabilities(odds)
        after = apply_rule(tokens, chances).chances
        return tags, ((tags == OUTSIDE) & (after > model.threshold)).tolist()
    if model.threshold is None:
        return model.best(view, tokens), [False] * len(tokens)
    chances = model.chances(view, tokens)
    after = apply_rule(tokens, chances).chances
    tags = np.where(chances > model.threshold, 1, OUTSIDE).astype(np.int32)
    return tags, ((chances <= model.threshold) & (after > model.threshold)).tolist()
