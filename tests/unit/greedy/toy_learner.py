"""A learner that memorizes which words follow which, small enough to reason about."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView

WORDS = re.compile(r"\w+|[^\w\s]")
KEY = b"k" * 32


@dataclass(frozen=True)
class ToyModel:
    """Mark words known by heart, and any capitalised word behind a placeholder where that was learned."""

    known: tuple[tuple[str, str], ...]
    after: str | None
    bias: float = 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(sorted({label for _, label in self.known}))

    def tokens(self, view: TextView) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [token for token, _ in _tokens(view)]
        starts, ends = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
        return starts, ends

    def predict(self, view: TextView) -> tuple[Span, ...]:
        return tuple(self._predict(view))

    def _predict(self, view: TextView) -> Iterator[Span]:
        known = dict(self.known)
        for (start, end), before in _tokens(view):
            word = view.text[start:end]
            if word in known:
                yield Span(start, end, known[word])
            elif self.after and before and word[0].isupper():
                yield Span(start, end, self.after)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "toy.json").write_text(json.dumps([self.known, self.after]))


@dataclass(frozen=True)
class ToyLearner:
    """Learn the words that are gold in at least two thirds of their places, and whether names follow placeholders."""

    share: float = 0.66
    slow_on: int = -1
    slow_below: int = 0
    """Fits on ``slow_on`` examples with fewer spans than this take that many seconds."""
    seconds: float = 0.0

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
        if len(examples) == self.slow_on and sum(len(example.spans) for example in examples) < self.slow_below:
            time.sleep(self.seconds)
        seen: dict[str, int] = {}
        gold: dict[str, list[str]] = {}
        after = [0, 0]
        for example in examples:
            inside = {(s.start, s.end): s.label for s in example.spans}
            for place, before in _tokens(example.view):
                word = example.view.text[slice(*place)]
                seen[word] = seen.get(word, 0) + 1
                if place in inside:
                    gold.setdefault(word, []).append(inside[place])
                if before and word[0].isupper():
                    after[place in inside] += 1
        known = {w: labels[0] for w, labels in gold.items() if len(labels) >= self.share * seen[w]}
        return ToyModel(tuple(sorted(known.items())), "NAME" if after[1] > after[0] else None)


@dataclass(frozen=True)
class FailingLearner:
    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
        raise KeyError(examples[0].view.text)


def load_toy(learner: str, folder: Path, key: bytes) -> ToyModel:
    known, after = json.loads((folder / "toy.json").read_text())
    return ToyModel(tuple(map(tuple, known)), after)


def _tokens(view: TextView) -> Iterator[tuple[tuple[int, int], bool]]:
    """Yield tokens outside removed pieces, each with whether a removed piece is right before it."""
    removed = {span.start: span.end for span in view.removed}
    for match in WORDS.finditer(view.text):
        start, end = match.span()
        if not any(a < end and start < b for a, b in removed.items()):
            yield (start, end), any(view.text[b:start] == " " for b in removed.values() if b <= start)


def document(number: int, text: str, *names: str, subject: str | None = None) -> Document:
    """Make a document in which every occurrence of these words is a NAME."""
    spans = [Span(m.start(), m.end(), "NAME") for m in WORDS.finditer(text) if m.group() in names]
    return Document(f"d{number}", text, subject, tuple(spans))


SURNAMES = ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel", "Ivy", "Juniper", "Katsura", "Larch")
"""Each is in one document only: only what is before it gives it away."""

CORPUS = tuple(
    document(i, f"Today {given} {surname} came to us and the nurse saw {given} again.", given, surname)
    for i, (given, surname) in enumerate(zip(("Ann", "Bob") * 6, SURNAMES, strict=True))
)
