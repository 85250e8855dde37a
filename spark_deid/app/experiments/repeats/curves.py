"""Precision-recall curves over k, with R and l chosen on a development split (Matsubara and Hasida, Figure 2)."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spark_deid.app.experiments.settings import JudgedTokens, RepeatsExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.core.words import WORD
from spark_deid.repeats.extension import SortedSuffixes, character_lengths, count_sorted, sort_suffixes
from spark_deid.repeats.rare import count_cut, cover_rare
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, lay_out, number_units
from spark_deid.repeats.tokens import hidden_share, show_always, tokens_of, yield_documents

# Labelled text prepared once for every k: tokens, which of them are gold, and how often each is found.


_PATTERNS = {
    JudgedTokens.WORD: WORD,
    JudgedTokens.SPACE: re.compile(r"\S+"),
    JudgedTokens.SCRIPT: re.compile(
        r"[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0003ffff々〆ヶ]+|[\u3041-\u309f]+|[\u30a0-\u30ff\uff66-\uff9f]+|\d+"
        r"|[^\W\d\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0003ffff々〆ヶ\u3041-\u309f\u30a0-\u30ff\uff66-\uff9f]+"
    ),
}


@dataclass(frozen=True, repr=False)
class LabelledTokens:
    """Documents in which tokens (n x 2, in characters from the begin of the corpus) are judged."""

    ids: tuple[str, ...]
    text: TextLayout
    tokens: Int64s
    gold: Bools
    """Return for each token whether a gold span touches it."""
    counts: Int64s
    """Return for each token how many units have the same one."""
    unit: CountingUnit
    cap: int

    @cached_property
    def suffixes(self) -> SortedSuffixes:
        """Return the sorted suffixes, which serve every k."""
        return sort_suffixes(self.text, unit=self.unit, cap=self.cap)

    @cached_property
    def hideable(self) -> Bools:
        """Return of every character whether it may be hidden; the paper's experiments always show some."""
        return show_always(self.text, np.ones(int(self.text.characters[-1]), np.bool_))


def label_tokens(labelled: Sequence[Document], *, unit: CountingUnit, tokens: JudgedTokens, cap: int) -> LabelledTokens:
    """Arrange documents and find their tokens; documents without a person count as one person together."""
    names = [document.subject_id for document in labelled] if unit is CountingUnit.SUBJECT else ()
    text = lay_out([document.text for document in labelled], number_units(names))
    borders = tokens_of(text, _PATTERNS[tokens])
    whole = "\0".join(yield_documents(text))
    counts = unit_counts([whole[start:end] for start, end in borders.tolist()], text, borders[:, 0], unit)
    gold = hidden_share(borders, _gold_characters(labelled, text)) > 0
    return LabelledTokens(tuple(d.doc_id for d in labelled), text, borders, gold, counts, unit, cap)


def unit_counts(things: Iterable[str], text: TextLayout, starts: Int64s, unit: CountingUnit) -> Int64s:
    """Return for every thing in how many units its equals are; ``starts`` are where they begin, in characters."""
    numbers: dict[str, int] = {}
    same = np.array([numbers.setdefault(thing, len(numbers)) for thing in things], np.int64)
    if unit is not CountingUnit.OCCURRENCE:
        owners = text.units[np.searchsorted(text.characters, starts, side="right") - 1]
        pairs = np.unique(np.stack([same, owners.astype(np.int64)], axis=1), axis=0)
        return np.bincount(pairs[:, 0], minlength=len(numbers))[same]
    return np.bincount(same, minlength=len(numbers))[same]


def _gold_characters(labelled: Sequence[Document], text: TextLayout) -> Bools:
    flags = np.zeros(int(text.characters[-1]), np.bool_)
    for begin, document in zip(text.characters.tolist(), labelled, strict=False):
        for span in document.spans:
            flags[begin + span.start : begin + span.end] = True
    return flags


METHODS = ("MR", "Word", "MR+Word")
Progress = Callable[[str], None]


class CurvePoint(NamedTuple):
    """A method's counts of tokens at one setting; ``min_length`` and ``share`` are 0 for Word, which has neither.

    ``cut`` is the number of repeats that the cap cut.
    """

    split: str
    method: str
    k: int
    min_length: int
    share: float
    tokens: int
    gold: int
    true_positives: int
    false_positives: int
    cut: int = 0

    @property
    def precision(self) -> float:
        """Return the fraction of hidden tokens that are gold; 0 where nothing is hidden."""
        hidden = self.true_positives + self.false_positives
        return self.true_positives / hidden if hidden else 0.0

    @property
    def recall(self) -> float:
        """Return the fraction of gold tokens that are hidden."""
        return self.true_positives / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        whole = self.true_positives + self.false_positives + self.gold
        return 2 * self.true_positives / whole if whole else 0.0

    @property
    def publish_ratio(self) -> float:
        """Return the fraction of tokens that remain."""
        return 1 - (self.true_positives + self.false_positives) / self.tokens


class TokenDecision(NamedTuple):
    """Which tokens a method hides."""

    point: CurvePoint
    hidden: Bools


class CurveOutcome(NamedTuple):
    """The curves on the test split, MR's points there for every l at the R chosen, and all of the development split."""

    test: LabelledTokens
    decisions: tuple[TokenDecision, ...]
    grid: tuple[CurvePoint, ...]
    tried: tuple[CurvePoint, ...]


def run_experiment(
    documents: Sequence[Document], experiment: RepeatsExperimentSettings, progress: Progress
) -> CurveOutcome:
    """Choose l and R on one part of the documents and draw the curves on the other; parts are counted separately.

    For each method, the pair with the highest mean F1 over all k wins. Raises UsageError where a part has no gold.
    """
    parts = {
        name: label_tokens(part, unit=experiment.unit, tokens=experiment.tokens, cap=experiment.cap)
        for name, part in zip(("development", "test"), split_documents(documents, experiment), strict=True)
    }
    for name, part in parts.items():
        if not part.gold.any():
            raise UsageError(f"experiment: the {name} split has no annotated token; expected more labelled documents")
    progress("choose R and l on the development split")
    tried = tuple(each.point for each in hide_by_each("development", parts["development"], experiment))
    progress("draw the curves on the test split")
    chosen = choose_settings(tried)
    shares = {share for method, _, share in chosen if method == "MR"}
    decisions, grid = [], []
    for each in hide_by_each("test", parts["test"], experiment):
        if _setting(each.point) in chosen:
            decisions.append(each)
        if each.point.method == "MR" and each.point.share in shares:
            grid.append(each.point)
    return CurveOutcome(parts["test"], tuple(decisions), tuple(grid), tried)


def split_documents(
    documents: Sequence[Document], experiment: RepeatsExperimentSettings
) -> tuple[list[Document], list[Document]]:
    """Split documents into development and test; all documents of a person are on one side."""
    owners = [document.subject_id or f"\0{document.doc_id}" for document in documents]
    names = sorted(set(owners))
    order = np.random.default_rng(experiment.seed).permutation(len(names))
    first = {names[i] for i in order[: round(experiment.development * len(names))].tolist()}
    sides: tuple[list[Document], list[Document]] = ([], [])
    for owner, document in zip(owners, documents, strict=True):
        sides[owner not in first].append(document)
    return sides


def hide_by_each(name: str, part: LabelledTokens, experiment: RepeatsExperimentSettings) -> Iterator[TokenDecision]:
    """Yield what every method hides at every setting."""
    for k in experiment.k:
        rare = part.counts < k
        yield _decision(name, part, "Word", k, 0, 0.0, rare)
        lengths = character_lengths(part.text, count_sorted(part.suffixes, part.text, k=k, cap=part.cap))
        data = part.text.data[: part.text.size]
        cut = count_cut(data, lengths, part.cap)
        for min_length in experiment.min_length:
            hidden = part.hideable & cover_rare(
                data, lengths, covering=experiment.covering, min_length=min_length, cap=part.cap
            )
            shares = hidden_share(part.tokens, hidden)
            for share in experiment.share:
                yield _decision(name, part, "MR", k, min_length, share, shares > share, cut)
                yield _decision(name, part, "MR+Word", k, min_length, share, (shares > share) & rare, cut)


def choose_settings(tried: Iterable[CurvePoint]) -> set[tuple[str, int, float]]:
    """Return each method's name with the l and R of the highest mean F1 over k; the first of equals."""
    f1: defaultdict[tuple[str, int, float], list[float]] = defaultdict(list)
    for point in tried:
        f1[_setting(point)].append(point.f1)
    means = {setting: sum(values) / len(values) for setting, values in f1.items()}
    return {max((setting for setting in means if setting[0] == method), key=lambda s: means[s]) for method in METHODS}


def measure_curves(outcome: CurveOutcome) -> dict[str, list[CurvePoint]]:
    """Return each method's points on the test split, by rising k."""
    return {
        method: [decision.point for decision in outcome.decisions if decision.point.method == method]
        for method in METHODS
    }


def precision_at(curve: Iterable[CurvePoint], recall: float) -> float | None:
    """Return a curve's precision at a recall, between its points on a straight line; None outside of its recalls."""
    points = sorted((point.recall, point.precision) for point in curve)
    if not points or not points[0][0] <= recall <= points[-1][0]:
        return None
    return float(np.interp(recall, [r for r, _ in points], [p for _, p in points]))


def _decision(
    name: str, part: LabelledTokens, method: str, k: int, min_length: int, share: float, hidden: Bools, cut: int = 0
) -> TokenDecision:
    right = int((hidden & part.gold).sum())
    wrong = int(hidden.sum()) - right
    counts = (len(part.tokens), int(part.gold.sum()), right, wrong)
    return TokenDecision(CurvePoint(name, method, k, min_length, share, *counts, cut), hidden)


def _setting(point: CurvePoint) -> tuple[str, int, float]:
    return point.method, point.min_length, point.share
