"""Background models as features: how likely a model trained on other text finds each label at a token.

Probabilities become columns of small integers: how many of a dozen thresholds each reaches, those of the neighbours in
the line, and one column a threshold. What the model knows of words comes through its own, public or secret, features.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.numerics.arrays import Float64s, UInt64s
from spark_deid.text.column_layout import PAD, FeatureColumn
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK
from spark_deid.text.tokenizer import ViewTokenizer, ViewTokens
from spark_deid.text.view import TextView

CUTS = (0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.99)
BORDER = len(CUTS) + 2
"""Value of neighbours beyond the borders of a line."""


class BackgroundUse(BaseModel):
    """A background model by its place (the name of a shipped one, or a folder), its digest, and its labels."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: str
    sha256: str
    labels: tuple[str, ...]


class OpenBackground(Protocol):
    """A background model, opened."""

    @property
    def tokenizer(self) -> ViewTokenizer:
        """What cuts text for this model."""

    def check(self) -> None:
        """Check what compiled code relies on; raises ModelError."""

    def chances(self, view: TextView, tokens: ViewTokens) -> Float64s:
        """Return the probability of each label at each token that the tokenizer cut, ``[token, label]``."""


def chances_at(tokens: ViewTokens, own: ViewTokens, found: Float64s) -> Float64s:
    """Return for each token the highest probabilities among the tokens of a model, ``own``, that it overlaps.

    ``found`` is ``[own token, label]``, the result ``[token, label]``.
    """
    firsts = np.searchsorted(own.ends, tokens.starts, side="right")
    stops = np.searchsorted(own.starts, tokens.ends, side="left")
    mapped = np.zeros((len(tokens), found.shape[1]))
    for token in np.flatnonzero(stops > firsts):
        mapped[token] = found[firsts[token] : stops[token]].max(0)
    return mapped


def background_columns(uses: Sequence[BackgroundUse]) -> tuple[FeatureColumn, ...]:
    """Return the columns of these models, in the order in which ``fill_background`` fills them."""
    return tuple(FeatureColumn(name, False) for stem in _stems(uses) for name in _names(stem))


def background_templates(uses: Sequence[BackgroundUse]) -> tuple[str, ...]:
    """Return the templates that read these models."""
    results: list[str] = []
    for stem in _stems(uses):
        results += [*_names(stem), f"{stem} short", f"{stem}.left {stem}", f"{stem} {stem}.right"]
    return tuple(results)


def fill_background(tokens: TokenArrays, chances: Float64s) -> UInt64s:
    """Return the columns of one model for a window, ``PAD`` cells before and after; ``chances[token, label]``."""
    n, labels = chances.shape
    table = np.zeros((labels * (3 + len(CUTS)), n + 2 * PAD), np.uint64)
    reached = np.searchsorted(np.array(CUTS), chances, side="right").astype(np.uint64)
    begins = tokens.gaps[:n] == LINE_BREAK
    ends = tokens.gaps[1 : n + 1] == LINE_BREAK
    for label in range(labels):
        rows = table[label * (3 + len(CUTS)) : (label + 1) * (3 + len(CUTS)), PAD : PAD + n]
        own = reached[:, label] + np.uint64(1)
        rows[0] = own
        rows[1] = np.where(begins, BORDER, np.roll(own, 1))
        rows[2] = np.where(ends, BORDER, np.roll(own, -1))
        rows[3:] = own > np.arange(1, len(CUTS) + 1)[:, None]
    return table


def _stems(uses: Sequence[BackgroundUse]) -> list[str]:
    return [f"background{m}.{k}" for m, use in enumerate(uses, 1) for k, _ in enumerate(use.labels, 1)]


def _names(stem: str) -> list[str]:
    return [stem, f"{stem}.left", f"{stem}.right", *(f"{stem}.cut{cut}" for cut in range(1, len(CUTS) + 1))]
