"""Types of the keywords of ``sd.*``: the options of the commands. ``resources/write_option_keywords.py`` writes it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict


class TrainKeywords(TypedDict, total=False):
    """Options of ``sd.train``."""

    labels: Sequence[str] | None
    auxiliary: Sequence[str]
    learner: str
    loss_ratio: float
    max_rounds: int
    decoding: Literal["viterbi", "cost"]
    publish_budget: float | None
    counts: Literal["oof", "train"]
    features: str
    background: Sequence[str]
    tagger: str
    iterations: int
    embeddings: str
    minutes: float
    seed: int
    folds: int
    options: Mapping[str, str]
    unlabelled: Literal["leave", "empty"]
    patterns: str | Path | None
    context: str | Path | None
    key_file: str | Path | None
    learning_curve: bool
    workers: int | None
    master: str | None


class EvaluateKeywords(TypedDict, total=False):
    """Options of ``sd.evaluate``."""

    options: Mapping[str, str]
    unlabelled: Literal["leave", "empty"]
    overrides: Mapping[str, str]
    scratch: str | Path | None
    labels: Sequence[str] | None
    rounds: bool
    page: str | None
    master: str | None
    engine: Literal["auto", "embedded", "spark"]


class AttackKeywords(TypedDict, total=False):
    """Options of ``sd.attack``."""

    learners: Sequence[str]
    features: str
    stronger: str
    background: Sequence[str]
    tagger: str
    folds: int
    seed: int
    options: Mapping[str, str]
    unlabelled: Literal["leave", "empty"]
    labels: Sequence[str] | None
    loss_ratio: float | None
    budgets: Sequence[int]
    public: str | None
    public_format: str | None
    public_options: Mapping[str, str]
    simulate: int
    vc_dimension: float | None
    surrogates: bool
    page: str | None
    workers: int | None
    master: str | None
    engine: Literal["auto", "embedded", "spark"]


class RecodingKeywords(TypedDict, total=False):
    """Options of ``sd.anonymize``."""

    person: str | None
    hierarchies: str | None
    distance: Literal["auto", "equal", "ordered", "hierarchical"]
    locale: str
    delimiter: str
    quote: str
    escape: str | None
    master: str | None
    engine: Literal["auto", "embedded", "spark"]
    options: Mapping[str, str]
    algorithm: str
    recoding: str
    relaxed: bool
    suppression: float | None
    loss: Literal["ncp", "discernibility", "class-size", "precision"]
    keep_identifying: Sequence[str]
    fitted: str | None
    fail_on: Literal["bad", "fair"] | None
    key_file: str | Path | None


class EmbeddingsKeywords(TypedDict, total=False):
    """Options of ``sd.representation.build_embeddings``."""

    format: Literal["glove", "fasttext", "word2vec", "wink"] | None


class LearnEmbeddingsKeywords(TypedDict, total=False):
    """Options of ``sd.representation.learn_embeddings``."""

    options: Mapping[str, str]
    method: Literal["word2vec", "fasttext"]
    dimensions: int
    min_count: int
    k: int
    passes: int
    seed: int
    master: str | None
    engine: Literal["auto", "embedded", "spark"]


class PseudonymizeKeywords(TypedDict, total=False):
    """Options of ``sd.representation.pseudonymize``."""

    options: Mapping[str, str]
    to: str
    neighbours: int
    include_self: bool
    exclude: Sequence[str]
    index: Literal["exact", "approximate"]
    scope: Literal["token", "document"]
    sentences: int
    cache: str | None
    workspace: str | None
    key_file: str | Path | None
    master: str | None
    engine: Literal["auto", "embedded", "spark"]


class TrainRepresentationKeywords(TypedDict, total=False):
    """Options of ``sd.representation.train``."""

    options: Mapping[str, str]
    neighbours: int
    dimensions: int
    strength: float
    method: Literal["divergence", "paper", "dann"]
    invariance: float | None
    divergence: float | None
    minutes: float
    units: int | None
    epochs: int | None
    alternations: int | None
    attack_epochs: int | None
    seed: int


class TransformKeywords(TypedDict, total=False):
    """Options of ``sd.representation.transform``."""

    options: Mapping[str, str]
    labels: Sequence[str]
    workspace: str | None
    key_file: str | Path | None
    master: str | None
    engine: Literal["auto", "embedded", "spark"]


class PoolKeywords(TypedDict, total=False):
    """Options of ``sd.representation.pool``."""

    minutes: float
    seed: int
