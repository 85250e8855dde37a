"""Settings of the experiments on surrogates, plausibility, rare text and private representations."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, field_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.options import CommandOptions, one_of, option
from spark_deid.greedy.training_settings import LOSS_RATIO, Features, LossRatio
from spark_deid.learners.registry import LEARNERS
from spark_deid.private_training.training_method import (
    DIVERGENCE,
    INVARIANCE,
    METHOD,
    Divergence,
    Invariance,
    TrainingMethod,
)
from spark_deid.repeats.settings import MAX_CAP, CountingUnit, CoveringMethod
from spark_deid.values.date_words import locale_named


class SurrogatesExperimentSettings(CommandOptions):
    """Labels to replace, locale of the surrogates, learner and seeds."""

    labels: tuple[str, ...] | None = option(
        None, "Labels that surrogates replace, separated by commas. The default is every label.", min_length=1
    )
    locale: str = option("en_US", "Locale of the surrogates, such as es_ES.")
    persons: str | None = option(
        None, "Regular expression whose first match in a document's id is the person, if the input has no subject_id."
    )
    documents: int | None = option(None, "Number of documents in a random sample per seed. The default is all.", ge=6)
    seeds: tuple[int, ...] = option((0, 1, 2), "Seeds of samples, parts and keys, separated by commas.", min_length=1)
    learner: Annotated[str, one_of(LEARNERS.names)] = option("crf", "Learner of the publisher and of the attackers.")
    features: Features = option("rich", "Its feature set.")
    loss_ratio: LossRatio = Field(default=LOSS_RATIO, description="L/C of attackers with cost decoding.")

    @field_validator("locale")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            locale_named(name)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return name

    @field_validator("persons")
    @classmethod
    def _compiles(cls, expression: str | None) -> str | None:
        try:
            re.compile(expression or "")
        except re.error as error:
            raise ValueError(f"expected a regular expression: {error}") from None
        return expression


# Settings of the plausibility experiment (Jiang et al., section 6).


Size = Annotated[int, Field(ge=1, le=1000)]
Threshold = Annotated[int, Field(ge=2)]
Share = Annotated[float, Field(ge=0, le=1)]
Delta = Annotated[int, Field(ge=0, le=4)]


class PlausibilityExperimentSettings(CommandOptions):
    """Numbers of terms, values of t, alpha and delta, and numbers of texts to try."""

    ontology: str = option("wordnet", "Source of the terms: the name of an ontology, or a file of `ontology build`.")
    size: tuple[Size, ...] = option((10, 20, 30, 40, 50), "Numbers of terms, separated by commas.", min_length=1)
    t: tuple[Threshold, ...] = option((1024, 4096, 16384), "Values of t, separated by commas.", min_length=1)
    alpha: tuple[Share, ...] = option((0.5, 0.25, 0.75), "Values of alpha. The chart shows the first.", min_length=1)
    delta: tuple[Delta, ...] = option((0, 1, 2, 3), "Numbers of deviations, separated by commas.", min_length=1)
    frequencies: str | None = option(
        None, "Table of term and count (CSV or Parquet), to measure the gain of an attacker who knows it."
    )
    height: int = option(8, "Number of steps from a term to the root, plus or minus one.", ge=1)
    draws: int = option(10, "Number of texts of each size.", ge=1)
    most_nodes: int = option(20_000_000, "Maximum number of partial texts of a pruned search.", ge=1)
    seed: int = option(0, "Seed of the random texts.")


# Settings of the experiment on rare text (Matsubara and Hasida, Section 5).


class JudgedTokens(StrEnum):
    """Units that are judged as one."""

    WORD = "word"
    r"""A word token, ``\w+``, as everywhere in this package."""
    SPACE = "space"
    """Text between whitespace, its punctuation included, as in the paper's experiments."""
    SCRIPT = "script"
    """A run of one script: kanji, hiragana, katakana, letters or numerals; for Japanese, which writes no spaces."""


class RepeatsExperimentSettings(CommandOptions):
    """Values to try: k, l (``min_length``) and R (``share``), in the paper's letters.

    ``development`` is the fraction of documents, or people, on which l and R are chosen.
    """

    k: tuple[int, ...] = tuple(range(2, 19))
    min_length: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 12)
    share: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8)
    unit: CountingUnit = option(CountingUnit.OCCURRENCE, "Unit that k counts. The paper uses occurrence.")
    tokens: JudgedTokens = option(
        JudgedTokens.WORD, "Tokens: word, space (separated by whitespace, as in the paper), or script (for Japanese)."
    )
    covering: CoveringMethod = option(CoveringMethod.GREEDY, "Method: greedy as in the paper, or optimal.")
    cap: int = option(MAX_CAP, "Maximum length of a repeat in bytes.", ge=1, le=MAX_CAP)
    development: float = 0.42
    seed: int = option(0, "Seed of the development split.")


# Settings of the experiment on private representations.


class RepresentationExperimentSettings(CommandOptions):
    """Which numbers of neighbours, sizes and seeds are tried, and how large networks are; by default as the paper's."""

    embeddings: str = Field(description="A store of vectors, built by `representation embeddings`.")
    pseudonyms: tuple[int, ...] = option(
        (1, 10, 100, 500, 1000), "Values of N for pseudonyms in training text. 1 is the original."
    )
    private: tuple[int, ...] = option(
        (10, 100, 500, 1000), "Values of N for pairs that adversaries must not distinguish."
    )
    outputs: tuple[int, ...] = option(
        (50,), "Numbers per token of the representation (d), each tried with every N of --private."
    )
    seeds: tuple[int, ...] = option((0, 1, 2), "Seeds of the networks.")
    method: TrainingMethod = option("divergence", METHOD)
    units: int = option(128, "Units of each LSTM and direction.", ge=1)
    epochs: int = option(20, "Maximum epochs of a de-identifier, and of each pre-training of a representation.", ge=1)
    alternations: int | None = option(
        None, "Maximum alternations of a representation's training. The default is twice the epochs.", ge=1
    )
    attack_epochs: int = option(50, "Epochs of the adversary on the frozen representation.", ge=1)
    attack_pairs: int = option(10_000, "Pairs of each of these epochs.", ge=100)
    adversaries: int = option(3, "Seeds of the adversary on the frozen representation.", ge=1)
    longest: int = option(128, "Skip sentences with more tokens.", ge=1)
    invariance: Invariance = option(None, INVARIANCE, ge=0)
    divergence: Divergence = option(None, DIVERGENCE, gt=0)
    labels: tuple[str, ...] = option((), "Labels whose tokens are scored, separated by commas. The default is all.")
    casing: Literal["on", "off"] = option("on", "Read the casing of words in de-identifiers.")
    templates: int = option(1000, "Number of sentences that templates attack.", ge=200)
    transforms: int = option(100, "Number of transforms whose mean is a template of the second kind.", ge=1)
