"""A tiny model as packages ship one: names after "Dr", learned from a handful of lines."""

import sys
from pathlib import Path

import pytest

from spark_deid.core.span import Span
from spark_deid.greedy.decoding import cost_sensitive
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.text.view import TextView
from tests.unit.toy_packages import install

KEY = bytes(32)
NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil", "Fay")
TEXT = "Seen by Dr Emil today"


def toy_model(folder: Path) -> Path:
    """Train a model and write its folder; what training states about it is a card, and counts nothing."""
    lines = [f"Seen by Dr {name} today" for name in NAMES] + ["Seen at noon today", "Nothing by the way"]
    examples = [
        TrainingExample(line, TextView(line), (Span(11, len(line) - 6, "NAME"),) * ("Dr" in line)) for line in lines
    ]
    model = CrfLearner("hide", KEY, c2=0.1, max_iterations=20, min_frequency=1).fit(examples, seed=0)
    GreedySanitizer(
        rounds=(FittedRound(model, cost_sensitive(10)),),
        labels=model.labels,
        loss_ratio=10.0,
        decoding="cost",
        key=KEY,
        report={
            "about": "names after Dr",
            "not_for": ["anything else"],
            "sources": [{"name": "a toy", "licence": "CC0"}],
        },
    ).save(folder)
    return folder


def ship(packages: Path, monkeypatch: pytest.MonkeyPatch, **models: Path | str) -> None:
    """Install a package that ships models by these names; a string is what its module states instead of a path."""
    lines = [
        f"{name} = {place!r}" if isinstance(place, str) else f"{name} = Path({str(place)!r})"
        for name, place in models.items()
    ]
    source = "\n".join(["from pathlib import Path", *lines])
    monkeypatch.delitem(sys.modules, "toy_models_package", raising=False)
    install(
        packages,
        monkeypatch,
        "toy_models_package",
        source,
        {"spark_deid.models": {n: f"toy_models_package:{n}" for n in models}},
    )
