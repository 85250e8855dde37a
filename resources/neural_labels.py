"""Text without labels, labelled by the neural model of English, for the CRF to learn from."""

import re
from collections.abc import Iterator
from pathlib import Path

from unlabelled_text import cut_at_lines, unlabelled

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView
from spark_deid.token_classification.classifier import load_classifier
from spark_deid.token_classification.export import read_export

NEURAL = Path("packages/english_neural/spark_deid_english_neural/data")
LABELS = {"PER": "NAME", "LOC": "LOCATION", "ORG": "ORGANIZATION"}
THRESHOLD = 0.5
"""The least probability of a word that is labelled: with .18 the CRF left more, not less."""
_POSSESSIVE = re.compile(r"['’]s?$")


def labelled_by_model(data: Path, folder: Path = NEURAL, threshold: float = THRESHOLD) -> Iterator[TrainingExample]:
    """Yield texts without labels, some lines at a time, with what the model finds in them."""
    classifier = load_classifier(read_export(folder))
    for name, text in unlabelled(data):
        spans = [_without_possessive(span, text) for span in classifier.spans(text, LABELS, threshold)]
        for first, last in cut_at_lines(text):
            inside = (span for span in spans if first <= span.start and span.end <= last)
            own = tuple(span._replace(start=span.start - first, end=span.end - first) for span in inside)
            yield TrainingExample(f"{name}+{first}", TextView(text[first:last]), own)


def _without_possessive(span: Span, text: str) -> Span:
    """Leave out the ending of a possessive, as labelled corpora do; the model marks words whole."""
    ending = _POSSESSIVE.search(text[span.start : span.end])
    return span._replace(end=span.start + ending.start()) if ending and ending.start() else span
