"""Make the probabilities of a token classifier of one's own right, on labelled text."""

from collections.abc import Mapping
from dataclasses import dataclass

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, no_progress, read_labelled
from spark_deid.app.options.learning import CalibrateOptions
from spark_deid.core.errors import UsageError
from spark_deid.detection.token_classification.calibration import calibrate as learn
from spark_deid.detection.token_classification.calibration import held_out_rates, word_odds, write_calibration
from spark_deid.detection.token_classification.classifier import load_classifier
from spark_deid.detection.token_classification.detector import OnnxSettings
from spark_deid.detection.token_classification.shipped import belongs_to_package


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
    settings = OnnxSettings(model=options.model, labels=dict(options.labels_by_entity))
    if belongs_to_package(settings.folder):
        raise UsageError(
            f"calibrate: {options.model} belongs to an installed package. Copy {settings.folder}, and name the copy"
        )
    export = settings.export()
    labels, classifier = settings.labels_of(export), load_classifier(export)
    documents = read_labelled(options.gold, options.format, options.options, options.unlabelled, progress)
    progress(f"predict {len(documents):,} documents")
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
