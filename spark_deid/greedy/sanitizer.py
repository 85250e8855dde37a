"""The result of the greedy loop: fitted models that are applied one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from spark_deid.core.arrow import rows_of
from spark_deid.core.errors import ModelError
from spark_deid.core.span import Span
from spark_deid.greedy.decoding import PLAIN, cost_sensitive, decode_as
from spark_deid.greedy.files import (
    FittedRound,
    Loader,
    ModelFileRecord,
    check_destination,
    model_hash,
    model_stamp,
    model_summary,
    read_model,
    reject_damage,
    write_model,
)
from spark_deid.greedy.game_documents import initial_view
from spark_deid.greedy.report import Json
from spark_deid.learners.array_validation import check_number
from spark_deid.learners.base import FittedModel
from spark_deid.learners.registry import load_learned
from spark_deid.text.view import TextView

__all__ = [
    "GreedySanitizer",
    "check_destination",
    "load_sanitizer",
    "model_hash",
    "model_stamp",
    "model_summary",
    "open_sanitizer",
]


@runtime_checkable
class ShareableModel(Protocol):
    """A model that can do without what it knows of words."""

    def without_words(self) -> FittedModel:
        """Return the model with neither key nor features that carry words."""


@runtime_checkable
class CheckableModel(Protocol):
    """A model that can check the values that its compiled code relies on."""

    def check(self) -> None:
        """Raise ModelError where a value would lead compiled code astray."""


@dataclass(frozen=True, kw_only=True)
class GreedySanitizer(ModelFileRecord):
    """Rounds of models with what was removed before them: listed placeholders and the simulated patterns.

    ``report`` is what training stated about itself.
    """

    rounds: tuple[FittedRound, ...]
    key: bytes = field(default=b"", repr=False)
    report: dict[str, Json] = field(default_factory=dict, repr=False, compare=False)

    def detect(self, text: str) -> tuple[Span, ...]:
        """Return what every round finds, in order of start; ``source`` is ``round-1``, ``round-2`` and so on.

        Patterns that were simulated in training are ``round-0``. What a round found is a placeholder to the next,
        exactly as in training; spans that are side by side remain two.
        """
        before = tuple(span._replace(source="round-0") for span in self.patterns.detect(text))
        view = initial_view(text, self.placeholders, before)
        found = list(before)
        spans: tuple[Span, ...] = ()
        for number, model in enumerate(self._models, 1):
            view = view.remove(spans) if spans else view
            spans = model.predict(view)
            if spans:
                starts, ends, labels, scores, _, _ = zip(*spans, strict=True)
                found += rows_of(Span, starts, ends, labels, scores, repeat(f"round-{number}"), repeat(None))
        return tuple(sorted(found, key=attrgetter("start", "end", "source")))

    def views(self, text: str) -> Iterator[tuple[FittedModel, TextView]]:
        """Yield the model of each round with the text as the rounds before leave it."""
        view = initial_view(text, self.placeholders, self.patterns.detect(text))
        for model in self._models:
            yield model, view
            view = view.remove(model.predict(view))

    def decoding_as(
        self, decoding: Literal["viterbi", "cost"] | None, loss_ratio: float | None = None
    ) -> "GreedySanitizer":
        """Return the sanitizer with another decoding; its own keeps the biases and thresholds chosen in training.

        ``loss_ratio`` is another L/C than that of training, for decoding by cost. An argument None changes nothing.
        """
        ratio = self.loss_ratio if loss_ratio is None else loss_ratio
        if decoding in (None, self.decoding) and loss_ratio is None:
            return self
        decoding = decoding or "cost"
        other = cost_sensitive(ratio) if decoding == "cost" else PLAIN
        rounds = tuple(fitted._replace(decoding=other) for fitted in self.rounds)
        return replace(self, decoding=decoding, loss_ratio=ratio, rounds=rounds)

    def listing(self, placeholders: Sequence[str]) -> "GreedySanitizer":
        """Return the sanitizer that takes these words too for what was removed from the input before."""
        return replace(self, placeholders=tuple(sorted({*self.placeholders, *placeholders})))

    def without_words(self) -> "GreedySanitizer":
        """Return a sanitizer to give away: without key, features that carry words, train lexicon, and custom patterns.

        Custom patterns may list the very terms that are to be hidden, and what a report states about background models
        and taggers names folders. Raises ModelError where the features of a round's model cannot be distinguished.
        """
        kept = {name: value for name, value in self._settings.items() if name not in ("background", "tagger")}
        return replace(
            self,
            rounds=tuple(_without_words(fitted) for fitted in self.rounds),
            patterns=replace(self.patterns, custom=()),
            key=b"",
            report={**self.report, "settings": kept} if "settings" in self.report else self.report,
        )

    @property
    def _settings(self) -> Mapping[str, Json]:
        found = self.report.get("settings")
        return found if isinstance(found, Mapping) else {}

    def save(self, folder: Path) -> None:
        """Write a model folder, whole or not at all; mode 0700, with the feature key in a file of mode 0600.

        Raises UsageError where the folder exists and is not empty.
        """
        record = ModelFileRecord(**{each.name: getattr(self, each.name) for each in fields(ModelFileRecord)})
        write_model(Path(folder), record, self.rounds, self.key, self.report)

    @cached_property
    def _models(self) -> tuple[FittedModel, ...]:
        return tuple(decode_as(fitted.model, fitted.decoding) for fitted in self.rounds)


def _without_words(fitted: FittedRound) -> FittedRound:
    if not isinstance(fitted.model, ShareableModel):
        raise ModelError(
            f"model: {fitted.learner} cannot separate the features that contain words, so the model cannot be exported"
        )
    return fitted._replace(model=fitted.model.without_words())


def load_sanitizer(folder: Path, *, loader: Loader = load_learned) -> GreedySanitizer:
    """Read a model folder, check every file against its hash, and every value that compiled code relies on.

    Hashes state that files fit together, not who made them: a folder from elsewhere may hold anything. Raises
    ModelError where the folder is missing, damaged, made to harm, or of another version.
    """
    sanitizer = open_sanitizer(folder, loader=loader)
    with reject_damage(Path(folder)):
        for fitted in sanitizer.rounds:
            check_number("threshold", fitted.decoding.threshold, 0, 1)
            check_number("bias", fitted.decoding.bias)
            if isinstance(fitted.model, CheckableModel):
                fitted.model.check()
    return sanitizer


def open_sanitizer(folder: Path, *, loader: Loader = load_learned, checked: str = "") -> GreedySanitizer:
    """Read a model folder whose values ``load_sanitizer`` checked, on the driver.

    ``checked`` is the folder's ``model_stamp`` when its hashes were last checked: unless it changed, that is not done
    again, and a model of any size opens in milliseconds. Raises ModelError where the folder is missing, damaged, or of
    another version.
    """
    record, rounds, key, report = read_model(Path(folder), loader, checked=checked)
    return GreedySanitizer(rounds=rounds, key=key, report=report, **vars(record))
