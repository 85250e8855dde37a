"""What the experiment is told, and the methods that it compares."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import KEY_BYTES
from spark_deid.greedy.config import SELECTION, TrainConfig
from spark_deid.greedy.report import Json
from spark_deid.learners.base import Learner
from spark_deid.learners.registry import LEARNERS, LearnerSettings, make_learner
from spark_deid.text.features import feature_sets

PLAIN_CRF = "plain-crf"
PLAIN_FEATURES = "hide"
"""The features of the CRF that stands for the paper's own."""
KINDS = ("greedy", "once", "cost")
HYPOTHESES = (*LEARNERS.built_in, SELECTION, PLAIN_CRF)
"""What a method learns with: a learner, the most accurate of all in each round, or the paper's CRF."""
MAX_ROUNDS = 20


class Method(NamedTuple):
    """The whole loop, one classifier, or one that weighs costs; and what it learns with."""

    kind: str
    hypothesis: str

    @property
    def name(self) -> str:
        """Return the name that tables and options have."""
        return f"{self.kind}-{self.hypothesis}"

    @property
    def learners(self) -> tuple[str, ...]:
        """Return which learners play for each round."""
        return tuple(LEARNERS.built_in) if self.hypothesis == SELECTION else (self.hypothesis,)


ALL_METHODS = tuple(Method(kind, hypothesis) for kind in KINDS for hypothesis in HYPOTHESES)


def parse_methods(names: Sequence[str]) -> tuple[Method, ...]:
    """Read names of methods; the name of a hypothesis alone stands for its three.

    >>> [method.name for method in parse_methods(["once-svm", "crf"])]
    ['greedy-crf', 'once-crf', 'once-svm', 'cost-crf']
    """
    known = {method.name for method in ALL_METHODS} | set(HYPOTHESES)
    unknown = sorted(set(names) - known)
    if unknown or not names:
        raise UsageError(
            f"methods: expected some of {', '.join(HYPOTHESES)}, each alone or behind"
            f" {', '.join(f'{kind}-' for kind in KINDS)}; got {', '.join(unknown) or 'none'}"
        )
    return tuple(method for method in ALL_METHODS if {method.name, method.hypothesis} & set(names))


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Settings of the experiment.

    ``labels`` names what is removed; ``auxiliary`` labels and ``background`` models help all learners but
    ``plain-crf``, as ``TrainConfig`` tells. ``decoding`` is that of every greedy method but ``greedy-plain-crf``, the
    paper's, which decodes by Viterbi. ``attackers`` are learners, or ``plain-crf``; a method's own learner attacks
    it besides. ``documents`` bounds how many are taken of the input, drawn by ``seed``; 0 takes all.
    Raises UsageError on a value out of range.
    """

    labels: tuple[str, ...]
    methods: tuple[str, ...] = tuple(method.name for method in ALL_METHODS)
    folds: int = 4
    loss_ratios: tuple[float, ...] = (1, 2, 5, 10, 20, 50, 100)
    decoding: Literal["cost", "viterbi"] = "cost"
    attackers: tuple[str, ...] = tuple(LEARNERS.built_in)
    features: str = "full"
    auxiliary: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    iterations: int = 100
    documents: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every value and report all errors at once."""
        who = (*LEARNERS.built_in, PLAIN_CRF)
        checks = (
            (bool(self.labels), "labels: expected at least one label"),
            (self.folds >= 3, "folds: expected an integer >= 3"),
            (bool(self.loss_ratios), "loss-ratios: expected at least one number"),
            (all(ratio > 0 for ratio in self.loss_ratios), "loss-ratios: expected numbers above 0"),
            (self.decoding in ("cost", "viterbi"), "decoding: expected cost or viterbi"),
            (
                bool(self.attackers) and set(self.attackers) <= set(who),
                f"attackers: expected some of {', '.join(who)}",
            ),
            (self.features in feature_sets(), f"features: expected one of {', '.join(feature_sets())}"),
            (self.iterations >= 1, "iterations: expected an integer >= 1"),
            (self.documents >= 0, "documents: expected an integer >= 0"),
        )
        errors = [message for holds, message in checks if not holds]
        if errors:
            raise UsageError("\n".join(errors))
        parse_methods(self.methods)

    def parsed(self) -> tuple[Method, ...]:
        """Return the methods as values, in the order of all methods."""
        return parse_methods(self.methods)

    def weighs_costs(self, method: Method) -> bool:
        """Tell whether a method's classifiers decide by the loss ratio."""
        if method.kind == "greedy":
            return self.decoding == "cost" and method.hypothesis != PLAIN_CRF
        return method.kind == "cost"

    def attackers_of(self, method: Method) -> tuple[str, ...]:
        """Return who attacks what a method publishes."""
        return tuple(dict.fromkeys((*self.attackers, *method.learners)))

    def learner(self, name: str) -> Learner:
        """Make a learner; no model is kept, so the key of its features is no secret."""
        key = bytes(KEY_BYTES)
        if name == PLAIN_CRF:
            return make_learner("crf", LearnerSettings(PLAIN_FEATURES, key, self.iterations))
        return make_learner(
            name, LearnerSettings(self.features, key, self.iterations, self.background, by_cost=self.decoding == "cost")
        )

    def training(self) -> TrainConfig:
        """Return the settings that documents are read by, as training reads them."""
        return TrainConfig(
            key=bytes(KEY_BYTES), labels=self.labels, auxiliary=self.auxiliary, folds=self.folds, seed=self.seed
        )

    def to_json(self) -> dict[str, Json]:
        """Return the settings as plain values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
