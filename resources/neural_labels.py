"""Text without labels, labelled by the neural model of English, for the CRF to learn from."""

from collections.abc import Iterator
from pathlib import Path

from unlabelled_text import cut_at_lines, unlabelled

from spark_deid.detection.token_classification.classifier import load_classifier
from spark_deid.detection.token_classification.detector import OnnxSettings
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView

NEURAL = Path("packages/english_neural/spark_deid_english_neural/data")
THRESHOLD = 0.5
"""The least probability of a word that is labelled: with .18 the CRF left more, not less."""


def labelled_by_model(data: Path, folder: Path = NEURAL, threshold: float = THRESHOLD) -> Iterator[TrainingExample]:
    """Yield texts without labels, some lines at a time, with what the model finds in them."""
    settings = OnnxSettings(model=folder)
    export = settings.export()
    classifier, labels = load_classifier(export), settings.labels_of(export)
    for name, text in unlabelled(data):
        spans = classifier.spans(text, labels, threshold)
        for first, last in cut_at_lines(text):
            inside = (span for span in spans if first <= span.start and span.end <= last)
            own = tuple(span._replace(start=span.start - first, end=span.end - first) for span in inside)
            yield TrainingExample(f"{name}+{first}", TextView(text[first:last]), own)
