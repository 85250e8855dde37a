"""What came of the games: counts of what was published and left, and the tables of an experiment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.app.experiments.greedy.fit_plans import FoldOutcome
from spark_deid.app.experiments.greedy.fits import ExperimentData
from spark_deid.core.document import Document
from spark_deid.core.numerics.arrays import Bools
from spark_deid.core.words import WORD, count_words
from spark_deid.greedy.attack.figures import default_budgets
from spark_deid.greedy.game.attacker import InspectionOrder, best_classifier, expected_best, expected_found
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.text.view import TextView

BUDGET_RATIOS = (5.0, 10.0)
"""The loss ratios for which the paper draws what a budget buys."""
_GAME = (("method", pa.string()), ("fold", pa.int32()), ("loss_ratio", pa.float64()))
RESULTS = pa.schema(
    [
        *_GAME,
        ("rounds", pa.int32()),
        ("publish_ratio", pa.float64()),
        ("attacker_true_positives", pa.int64()),
        ("gold_tokens", pa.int64()),
        ("residual_tokens", pa.int64()),
        ("seconds", pa.float64()),
        ("failed", pa.bool_()),
    ]
)
EDITS = pa.schema([*_GAME, ("doc_id", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
ATTACKS = pa.schema(
    [
        *_GAME,
        ("attacker", pa.string()),
        ("decoding", pa.string()),
        *((name, pa.int64()) for name in ConfusionCounts._fields),
    ]
)
BUDGETS = pa.schema(
    [
        ("method", pa.string()),
        ("loss_ratio", pa.float64()),
        ("budget", pa.int64()),
        ("identified", pa.float64()),
        ("identified_per_budget", pa.float64()),
        ("uniform", pa.float64()),
    ]
)


class ReleaseMeasures(NamedTuple):
    """What a release holds: its words and those that no edit touches, gold tokens and those not wholly edited."""

    words: int
    published_words: int
    gold_tokens: int
    residual_tokens: int

    def __add__(self, other: object) -> "ReleaseMeasures":
        """Add disjoint sets of documents."""
        if not isinstance(other, ReleaseMeasures):
            return NotImplemented
        return ReleaseMeasures(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def publish_ratio(self) -> float:
        """Return the fraction of the words that no edit touches."""
        return self.published_words / self.words if self.words else 1.0


NOTHING = ReleaseMeasures(0, 0, 0, 0)


def gold_tokens(document: Document, case: GameDocument) -> tuple[tuple[int, int], ...]:
    """Return the borders of the tokens that touch a gold span: the input's own tokens where it has any, else words."""
    given = document.tokens or tuple(match.span() for match in WORD.finditer(document.text))
    marked = _flags(document.text, [(span.start, span.end) for span in case.gold])
    return tuple((start, end) for start, end in given if marked[start:end].any())


def measure(view: TextView, tokens: Sequence[tuple[int, int]]) -> ReleaseMeasures:
    """Count what is published of a document, and which of its gold tokens keep a character."""
    edits = [(span.start, span.end) for span in view.removed]
    words, published = count_words(view.text, edits)
    edited = _flags(view.text, edits)
    return ReleaseMeasures(words, published, len(tokens), sum(not edited[start:end].all() for start, end in tokens))


class ExperimentTables(NamedTuple):
    """The tables of an experiment."""

    results: pa.Table
    edits: pa.Table
    attacks: pa.Table
    budgets: pa.Table


def make_tables(
    data: ExperimentData, documents: Sequence[Document], outcomes: Sequence[FoldOutcome]
) -> ExperimentTables:
    """Write outcomes as tables, in the order of methods, loss ratios and folds."""
    measured = measure_all(data, documents, outcomes)
    ordered = sorted(zip(outcomes, measured, strict=True), key=lambda each: _place(data, each[0]))
    return ExperimentTables(
        pa.Table.from_pylist([_result(*each) for each in ordered], RESULTS),
        pa.Table.from_pylist([row for outcome, _ in ordered for row in _edits(data, outcome)], EDITS),
        pa.Table.from_pylist([row for outcome, _ in ordered for row in _attacks(outcome)], ATTACKS),
        pa.Table.from_pylist(list(budget_rows(outcomes)), BUDGETS),
    )


def measure_all(
    data: ExperimentData, documents: Sequence[Document], outcomes: Sequence[FoldOutcome]
) -> tuple[ReleaseMeasures, ...]:
    """Measure what each outcome publishes of its fold."""
    tokens = [gold_tokens(document, case) for document, case in zip(documents, data.cases, strict=True)]
    return tuple(
        sum((measure(outcome.published.views[i], tokens[i]) for i in data.inside(outcome.fold)), NOTHING)
        for outcome in outcomes
    )


def pooled_attack(outcomes: Sequence[FoldOutcome]) -> tuple[str, ConfusionCounts] | None:
    """Return the attacker with the fewest errors over all folds, by Viterbi, and what he finds; None without one."""
    attacks = [
        {each.attacker: each.counts for each in outcome.attacks if each.decoding == "viterbi"} for outcome in outcomes
    ]
    names = list(attacks[0])
    if not names:
        return None
    sums = [sum((each[name] for each in attacks), NO_COUNTS) for name in names]
    best = best_classifier(sums)
    return names[best], sums[best]


def budget_rows(outcomes: Sequence[FoldOutcome]) -> Iterator[dict[str, Any]]:
    """Yield what each method's attacker expects to identify on a budget, at the paper's loss ratios.

    All folds together are what he inspects; the uniform search is in closed form.
    """
    for (method, ratio), group in by_method(outcomes).items():
        pooled = pooled_attack(group)
        if ratio in BUDGET_RATIOS and pooled:
            counts = pooled[1]
            budgets = default_budgets(sum(counts))
            best, uniform = expected_best(counts, budgets), expected_found(counts, budgets, InspectionOrder.UNIFORM)
            for budget, found, by_chance in zip(budgets, best, uniform, strict=True):
                yield {
                    "method": method,
                    "loss_ratio": ratio,
                    "budget": budget,
                    "identified": float(found),
                    "identified_per_budget": float(found / budget),
                    "uniform": float(by_chance),
                }


def by_method(outcomes: Sequence[FoldOutcome]) -> dict[tuple[str, float], list[FoldOutcome]]:
    """Return the outcomes of all folds by method and loss ratio."""
    groups: dict[tuple[str, float], list[FoldOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.method, outcome.loss_ratio), []).append(outcome)
    return groups


def _result(outcome: FoldOutcome, measured: ReleaseMeasures) -> dict[str, Any]:
    attack = outcome.attack
    return {
        **_game(outcome),
        "rounds": outcome.rounds,
        "publish_ratio": measured.publish_ratio,
        "attacker_true_positives": attack.counts.true_positives if attack else None,
        "gold_tokens": measured.gold_tokens,
        "residual_tokens": measured.residual_tokens,
        "seconds": round(outcome.seconds, 3),
        "failed": not outcome.ended,
    }


def _edits(data: ExperimentData, outcome: FoldOutcome) -> Iterator[dict[str, Any]]:
    for number in data.inside(outcome.fold):
        for span in outcome.published.views[number].removed:
            yield {**_game(outcome), "doc_id": data.cases[number].doc_id, "start": span.start, "end": span.end}


def _attacks(outcome: FoldOutcome) -> Iterator[Mapping[str, Any]]:
    for attacked in outcome.attacks:
        yield {
            **_game(outcome),
            "attacker": attacked.attacker,
            "decoding": attacked.decoding,
            **attacked.counts._asdict(),
        }


def _game(outcome: FoldOutcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name, _ in _GAME}


def _place(data: ExperimentData, outcome: FoldOutcome) -> tuple[int, float, int]:
    names = [method.name for method in data.experiment.parsed()]
    return names.index(outcome.method), outcome.loss_ratio, outcome.fold


def _flags(text: str, intervals: Sequence[tuple[int, int]]) -> Bools:
    flags = np.zeros(len(text), np.bool_)
    for start, end in intervals:
        flags[start:end] = True
    return flags
