"""Fits that guess by a hash: quick, a function of what they are asked only, and better than chance."""

import re
import zlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from spark_deid.app.experiments.greedy.fits import (
    ExperimentData,
    FitFindings,
    FitRequest,
    make_cases,
    make_experiment_data,
)
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.game_documents import GameDocument

NAMES = ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel", "Ivy", "Juniper")


def corpus(documents: int = 9) -> tuple[Document, ...]:
    """Make documents with names among other words."""
    texts = [
        f"{NAMES[i % 10]} saw {NAMES[(3 * i + 1) % 10]} by the old mill on day {i} of May" for i in range(documents)
    ]
    return tuple(
        Document(f"d{i}", text, None, tuple(Span(*m.span(), "NAME") for m in re.finditer(r"[A-Z]\w+\b(?<!May)", text)))
        for i, text in enumerate(texts)
    )


def experiment_data(documents: tuple[Document, ...] | None = None, **settings: Any) -> ExperimentData:
    """Make the data of an experiment on them."""
    experiment = GreedyExperimentSettings(**{"labels": ("NAME",), "folds": 3, "features": "hide", **settings})
    return make_experiment_data(make_cases(documents or corpus(), experiment), experiment)


class Guesser:
    """Do fits, count them, and stop after that many."""

    def __init__(self, cases: tuple[GameDocument, ...], salt: int = 0, stop_after: int | None = None) -> None:
        self.cases, self.salt, self.stop_after = cases, salt, stop_after
        self.done: list[str] = []
        self.asked: list[FitRequest] = []

    def __call__(self, requests: Sequence[FitRequest]) -> Generator[tuple[int, FitFindings], None, None]:
        for number, asked in enumerate(requests):
            if len(self.done) == self.stop_after:
                raise KeyboardInterrupt
            self.done.append(asked.key)
            self.asked.append(asked)
            yield number, FitFindings(1.0, {ratio: self._predict(asked, ratio) for ratio in (None, *asked.ratios)})

    def found(self, asked: FitRequest) -> dict[int, tuple[Span, ...]]:
        """Return what a fit finds by Viterbi."""
        return self._predict(asked, None)

    def _predict(self, asked: FitRequest, ratio: float | None) -> dict[int, tuple[Span, ...]]:
        seen = sum(len(asked.state.views[i].removed) for i in asked.trained)
        return {i: tuple(self._spans(asked, i, ratio, seen)) for i in asked.held}

    def _spans(self, asked: FitRequest, number: int, ratio: float | None, seen: int) -> Iterator[Span]:
        view, gold = asked.state.views[number], {span.start for span in self.cases[number].gold}
        removed = {start for span in view.removed for start in range(span.start, span.end)}
        for match in re.finditer(r"\w+", view.text):
            guess = zlib.crc32(f"{self.salt} {asked.learner} {seen} {number} {match.start()}".encode()) % 100
            limit = 35 if match.start() in gold else 6 if seen else 3
            if match.start() not in removed and guess < limit + (0 if ratio is None else ratio):
                yield Span(*match.span(), "NAME")
