"""The card of a shipped model."""

from collections.abc import Mapping
from dataclasses import dataclass

from spark_deid.greedy.files import model_record, model_summary, read_training_report
from spark_deid.greedy.report import Json
from spark_deid.greedy.shipped import MODELS


@dataclass(frozen=True)
class ModelCard:
    """What a shipped model says of itself.

    ``training`` is its training report: sources with their licences, measured figures, what it is not for, as far as
    who made it wrote them down.
    """

    name: str
    sha256: str
    labels: tuple[str, ...]
    loss_ratio: float
    decoding: str
    size: int
    training: Mapping[str, Json]


def model_card(name: str) -> ModelCard:
    """Return the card of a shipped model; raises UsageError where there is none, ModelError where it is damaged."""
    folder = MODELS.find(name)
    record, summary = model_record(folder), model_summary(folder)
    return ModelCard(
        name=name,
        sha256=summary.hash,
        labels=summary.labels,
        loss_ratio=record.loss_ratio,
        decoding=record.decoding,
        size=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        training=read_training_report(folder),
    )
