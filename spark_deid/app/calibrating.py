"""Make the probabilities of a token classifier of one's own right, on labelled text."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import FormatOptions, LabelledFormat, Progress, Unlabelled, no_progress, read_labelled
from spark_deid.core.errors import UsageError
from spark_deid.core.labels import is_label
from spark_deid.core.options import ArgumentMetavar, CommandOptions, option


class CalibrateOptions(CommandOptions):
    """The folder of a token classifier, and labelled text that it was not trained on."""

    model: Annotated[Path, ArgumentMetavar("FOLDER")] = Field(
        description="A token classifier that was exported to ONNX, as a plan's `onnx` names it."
    )
    gold: str = Field(description="A labelled corpus that the model was not trained on.")
    format: LabelledFormat
    options: FormatOptions = Field(default_factory=dict)
    unlabelled: Unlabelled = "leave"
    labels: tuple[str, ...] = option(
        (), "The model's entities, each with gold's label for it: PER=NAME,LOC=CITY; with none (MISC=), it is left out."
    )

    @field_validator("labels")
    @classmethod
    def _pairs(cls, labels: tuple[str, ...]) -> tuple[str, ...]:
        for entity, sign, label in (each.partition("=") for each in labels):
            if not (entity and sign) or (label and not is_label(label)):
                raise ValueError("expected pairs such as PER=NAME, with commas between")
        return labels

    @property
    def labels_by_entity(self) -> Mapping[str, str | None]:
        """Return the label of each entity that was named, None of those that are left out."""
        return {entity: label or None for entity, _, label in (each.partition("=") for each in self.labels)}


@dataclass(frozen=True)
class CalibrationFigures(CommandFigures):
    """A calibration: its file, the words that it was learned of, and what thresholds leave of held-out halves.

    ``rates`` has for each threshold the part of the words of entities that it misses, and of other words that it hides.
    """

    output: str
    documents: int
    words: int
    entity_words: int
    temperature: float
    bias: float
    rates: tuple[Mapping[str, float], ...]


def calibrate(options: CalibrateOptions, progress: Progress = no_progress) -> CalibrationFigures:
    """Learn the calibration of a model, and write it into its folder, for plans that name it.

    Raises UsageError where the text says too little, and ModelError for what is no such folder.
    """
    from spark_deid.token_classification.calibration import calibrate as learn
    from spark_deid.token_classification.calibration import held_out_rates, word_odds, write_calibration
    from spark_deid.token_classification.classifier import load_classifier
    from spark_deid.token_classification.detector import OnnxSettings
    from spark_deid.token_classification.shipped import belongs_to_package

    settings = OnnxSettings(model=options.model, labels=dict(options.labels_by_entity))
    if belongs_to_package(settings.folder):
        raise UsageError(f"calibrate: {options.model} belongs to a package; copy {settings.folder}, and name the copy")
    export = settings.export()
    labels, classifier = settings.labels_of(export), load_classifier(export)
    documents = read_labelled(options.gold, options.format, options.options, options.unlabelled, progress)
    progress(f"ask the model about {len(documents):,} documents")
    words = word_odds(classifier, documents, labels)
    rates, learned = held_out_rates(words), learn(words)
    return CalibrationFigures(
        str(write_calibration(options.model, learned)),
        len(documents),
        len(words.odds),
        int(words.marked.sum()),
        learned.temperature,
        learned.bias,
        tuple(each._asdict() for each in rates),
    )
