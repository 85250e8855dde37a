"""The card of a token classifier that a package ships: its facts about itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark_deid.detection.token_classification.detector import OnnxSettings
from spark_deid.detection.token_classification.export import CARD, read_json
from spark_deid.detection.token_classification.shipped import TOKEN_CLASSIFIERS


@dataclass(frozen=True)
class ClassifierCard:
    """A token classifier: its hash, the labels that plans get of it, its size in bytes.

    ``description`` is what its ``card.json`` has: what it is, what it is not for, sources with their licences, figures.
    """

    name: str
    sha256: str
    labels: tuple[str, ...]
    size: int
    description: Mapping[str, Any]


def classifier_card(name: str) -> ClassifierCard:
    """Return the card of an installed one; raises UsageError if it is missing, ModelError where it is damaged."""
    folder = TOKEN_CLASSIFIERS.find(name)
    settings = OnnxSettings(model=folder)
    export = settings.export()
    return ClassifierCard(
        name=name,
        sha256=export.sha256,
        labels=tuple(dict.fromkeys(label for label in settings.labels_of(export).values() if label is not None)),
        size=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        description=read_json(folder / CARD) if (folder / CARD).is_file() else {},
    )
