"""Made-up notes with gold spans, of which learners can learn something in no time."""

from pathlib import Path
from typing import Any

import numpy as np

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.folders import check_files
from spark_deid.learners.model_cache import open_model
from spark_deid.text.view import TextView

KEY = b"0123456789abcdef0123456789abcdef"
NAMES = ["Quimby", "Zoltan", "Brunhilde", "Ermengarde", "Wilhelmina", "Thaddeus", "Barnaby", "Xanthippe"]
TOWNS = ["Springfield", "Ogdenville", "Brockway", "Shelbyville"]
TEMPLATES = [
    "Name: {}\nPlace: {}\nDate: 3/4/2009\nSeen by nobody, but {} was calm.\n",
    "Mr {} of {} came on 12 March 2010. The wound was clean; {} went home.\n",
]


def note(number: int, draw: np.random.Generator) -> TrainingExample:
    name, town = draw.choice(NAMES), draw.choice(TOWNS)
    template = TEMPLATES[number % 2]
    text, spans, filled = "", [], 0
    for part in template.split("{}"):
        text += part
        if filled < 3:
            value, label = ((name, "NAME"), (town, "PLACE"), (name, "NAME"))[filled]
            spans.append(Span(len(text), len(text) + len(value), label))
            text += value
            filled += 1
    for date in ("3/4/2009", "12 March 2010"):
        if date in text:
            spans.append(Span(text.index(date), text.index(date) + len(date), "DATE"))
    return TrainingExample(f"note-{number}", TextView(text), tuple(sorted(spans)))


def notes(count: int, seed: int) -> list[TrainingExample]:
    draw = np.random.default_rng(seed)
    return [note(number, draw) for number in range(count)]


def bare(spans: tuple[Span, ...]) -> list[tuple[int, int, str]]:
    return [span[:3] for span in spans]


def load_model(kind: Any, folder: Path, key: bytes) -> Any:
    """Check every file of a model folder, and open it."""
    check_files(folder, kind.form)
    return open_model(kind, folder, key)
