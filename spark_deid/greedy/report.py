"""What training says of itself: plain numbers, ready for JSON; no document text."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version

from spark_deid.core.overlaps import JOINED_OVER
from spark_deid.core.version import VERSION
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.game.counts import ConfusionCounts, publisher_loss
from spark_deid.greedy.scoring import RoundScores, Tried
from spark_deid.text.gazetteer import COPIED

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
PACKAGES = ("python-crfsuite", "numpy", "scikit-learn")
ENDINGS = {
    "empty": "The first round would have too many false positives, so it was not kept, and the model finds no "
    "identifiers. More labelled text or a higher loss ratio (L/C) may change this.",
    "all": "Training ended because every labelled word was found. Other text may contain identifiers of other "
    "forms. Score the model on labelled text that was not used for training (evaluate).",
    "test": "Training ended because one more round would cost more false positives than it gains. {left:,} of "
    "{all:,} labelled words remain, which this learner does not find.",
    "max_rounds": "Training ended after max_rounds, before a local optimum. One more round may still gain. Set a "
    "higher --max-rounds.",
    "few_tokens": "Training ended because the remaining text is too small for a further round (min_train_remaining: "
    "{least:,} tokens). A further round might find more identifiers. Do not publish data with this model.",
}
"""Why a training ended, and what that means."""
_SETTINGS = (
    *("auxiliary", "loss_ratio", "max_rounds", "decoding", "publish_budget", "counts", "folds", "min_train_remaining"),
    *("seed", "learner", "features", "background", "tagger", "iterations", "placeholders"),
)
"""The settings of a training that its report tells, as they stand there."""


@dataclass(frozen=True)
class RoundReport:
    """One round: its instances, what its classifier does on them, and the stop test.

    Losses are ``T(H) / C`` without and with the round. ``candidates`` has the errors of each learner where several
    played for the round, ``tried`` what each decoding among which the round chose would have left and published.
    """

    round: int
    learner: str
    kept: bool
    tokens: int
    sensitive_tokens: int
    true_positives: int
    false_positives: int
    loss_before: float
    loss_after: float
    bias: float
    threshold: float | None
    seconds: float
    candidates: Mapping[str, int] = field(default_factory=dict)
    tried: Sequence[Tried] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """How many instances the classifier gets wrong."""
        return self.false_positives + self.sensitive_tokens - self.true_positives


def round_report(
    number: int,
    learner: str,
    counts: ConfusionCounts,
    wasted: int,
    decoding: DecodingRule,
    loss_ratio: float,
    kept: bool,
) -> RoundReport:
    """Write up a round, kept or not; ``wasted`` is FP(H), the tokens that earlier rounds suppressed in vain."""
    sensitive = counts.true_positives + counts.false_negatives
    return RoundReport(
        round=number,
        learner=learner,
        kept=kept,
        tokens=sum(counts),
        sensitive_tokens=sensitive,
        true_positives=counts.true_positives,
        false_positives=counts.false_positives,
        loss_before=publisher_loss(sensitive, wasted, loss_ratio),
        loss_after=publisher_loss(counts.false_negatives, wasted + counts.false_positives, loss_ratio),
        bias=decoding.bias,
        threshold=decoding.threshold,
        seconds=0.0,
    )


def training_report(
    config: TrainConfig,
    labels: Sequence[str],
    data: dict[str, Json],
    rounds: Sequence[RoundReport],
    ending: str,
    scores: Sequence[tuple[RoundScores, RoundScores]],
    seconds: float,
    recall: Mapping[str, Mapping[str, int]],
) -> dict[str, Json]:
    """Gather the report of a training run.

    ``rounds`` includes the one that failed the stop test: it is no part of the model, and stands in for the attacker.
    ``scores`` has, for each kept round, those of the round alone and of the union up to it; ``recall`` is that of
    ``curves.hidden_by_label``.
    """
    failing = [report for report in rounds if not report.kept]
    return {
        "settings": settings(config, labels),
        "data": data,
        "rounds": [asdict(report) for report in rounds],
        "recall": {label: {**counts} for label, counts in recall.items()},
        "ended_by": ending,
        "local_optimum": ending == "test",
        "message": _message(config, data, rounds, ending),
        "attacker": asdict(failing[0]) if failing else None,
        "cross_validation": _cross_validation(scores) if config.counts == "oof" else None,
        "seconds": round(seconds, 3),
        "joined_over": JOINED_OVER,
        "copied": COPIED,
        "versions": versions(),
    }


def _message(config: TrainConfig, data: Mapping[str, Json], rounds: Sequence[RoundReport], ending: str) -> str:
    """Say in words why a training ended."""
    last = rounds[-1]
    if not any(report.kept for report in rounds):
        ending = "empty"
    elif ending == "test" and not last.sensitive_tokens:
        ending = "all"
    return ENDINGS[ending].format(
        all=data["sensitive_tokens"], left=last.sensitive_tokens, least=config.min_train_remaining
    )


def has_counts(training: Mapping[str, Json]) -> bool:
    """Tell whether a training report counted what its rounds leave; that of a shipped model need not."""
    return {"rounds", "settings", "data", "attacker"} <= training.keys()


def settings(config: TrainConfig, labels: Sequence[str]) -> dict[str, Json]:
    """Return what a model was told, without keys."""
    given = {name: getattr(config, name) for name in _SETTINGS}
    return {"labels": list(labels)} | {
        n: list(value) if isinstance(value, tuple) else value for n, value in given.items()
    }


def versions() -> dict[str, Json]:
    """Return the versions that a model depends on."""
    return {
        "spark-deid": VERSION,
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def _cross_validation(scores: Sequence[tuple[RoundScores, RoundScores]]) -> dict[str, Json]:
    rounds: list[Json] = [
        {"round": number, "alone": _json(single), "union": _json(union)}
        for number, (single, union) in enumerate(scores, 1)
    ]
    return {"rounds": rounds, "union": _json(scores[-1][1]) if scores else None}


def _json(scores: RoundScores) -> Json:
    return {name: {**figures} for name, figures in scores.figures().items()}
