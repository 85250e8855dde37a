"""The parrot attack on surrogates (Carrell et al. 2019): what a publisher's learner does not tag was perhaps missed.

In a release with surrogates a reader sees names without knowing which of them are real. The attacker marks all that
look like names, made up or not, in half of the documents, has the publisher's learner learn them, and lets it tag the
other half. The publisher replaced what its model found; so of what looks like a name there, the attacker guesses that
what his own model does not find is real. Whoever has the lists that surrogates are drawn from has a second way: to
guess what no list has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s
from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.greedy.attack.figures import INTERVAL, RUNS
from spark_deid.greedy.attack.published import LabelledOriginal, MovedOffsets, publish
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.fits import FitTask, assign_folds, hold_together
from spark_deid.greedy.parallel import TaskWorkers
from spark_deid.greedy.report import Json
from spark_deid.greedy.rounds import run_fits
from spark_deid.learners.base import ModelLearner, TrainingExample
from spark_deid.text.view import TextView

PARROT, LISTS, EITHER = "parrot", "lists", "parrot or lists"
SURROGATE = "surrogate"
"""The technique whose replacements look like names."""
_LABEL = "NAME"
"""The one label that an attacker gives to all that looks like a name."""


class NameLikeDocument(NamedTuple):
    """A released document with all that looks like a name in it: surrogates, and gold annotations that were missed.

    Offsets are those of the released text; both are disjoint and in order.
    """

    doc_id: str
    group: str
    view: TextView
    surrogates: tuple[Span, ...]
    missed: tuple[Span, ...]

    @property
    def example(self) -> TrainingExample:
        """What an attacker learns from: names, whether they are made up or not."""
        spans = sorted(span._replace(label=_LABEL) for span in (*self.surrogates, *self.missed))
        return TrainingExample(self.doc_id, self.view, tuple(spans))


class ParrotCounts(NamedTuple):
    """How many surrogates and missed names there are, and how many of each an attacker guesses to be real."""

    surrogates: int = 0
    missed: int = 0
    guessed_surrogates: int = 0
    guessed_missed: int = 0

    @property
    def guesses(self) -> int:
        """How often the attacker guesses."""
        return self.guessed_surrogates + self.guessed_missed

    @property
    def precision(self) -> float:
        """The fraction of guesses that are real; 0 without a guess."""
        return self.guessed_missed / self.guesses if self.guesses else 0.0

    @property
    def recall(self) -> float:
        """The fraction of missed names that are guessed; 0 where none was missed."""
        return self.guessed_missed / self.missed if self.missed else 0.0

    @property
    def random_precision(self) -> float:
        """The precision that is expected of as many guesses at random: the fraction of names that are real."""
        names = self.surrogates + self.missed
        return self.missed / names if names else 0.0

    @property
    def random_recall(self) -> float:
        """The recall that is expected of as many guesses at random: the fraction of names that are guessed."""
        names = self.surrogates + self.missed
        return self.guesses / names if names else 0.0


class ParrotOutcome(NamedTuple):
    """What an attacker guesses, document by document, by models that learned from the other half."""

    attacker: str
    decoding: str
    counts: tuple[ParrotCounts, ...]

    @property
    def total(self) -> ParrotCounts:
        """The counts over all documents."""
        return ParrotCounts(*map(sum, zip(*self.counts, strict=True))) if self.counts else ParrotCounts()


def name_like(original: LabelledOriginal, labels: Sequence[str] | None) -> NameLikeDocument:
    """Return a document as its release shows it, with what looks like a name.

    With ``labels``, surrogates that represent gold of other labels only are omitted; what a detector marked
    unnecessarily is a surrogate like others.
    """
    case = publish(original, labels).case
    made = [
        Span(start, end, _LABEL)
        for start, end, edit in MovedOffsets(original.edits).replacements()
        if edit.technique == SURROGATE and start < end and _has_label(original, edit.start, edit.end, labels)
    ]
    return NameLikeDocument(case.doc_id, case.group, case.view, tuple(made), case.gold)


def _has_label(original: LabelledOriginal, start: int, end: int, labels: Sequence[str] | None) -> bool:
    met = {span.label for span in original.document.spans if span.start < end and start < span.end}
    return labels is None or not met or not met.isdisjoint(labels)


def parrot_attack(
    documents: Sequence[NameLikeDocument],
    learner: ModelLearner,
    decodings: Mapping[str, DecodingRule],
    is_listed: Callable[[str], bool],
    workers: TaskWorkers,
    *,
    seed: int = 0,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[ParrotOutcome, ...]:
    """Attack each half of some documents with what was learned from the other; halves are drawn by documents.

    So a person may have documents in both, as an attacker may meet them. ``is_listed`` states whether the lists that
    surrogates are drawn from have a word. Raises UsageError with fewer than two documents, or without a surrogate in
    either half.
    """
    halves = assign_folds([f"{number} {each.doc_id}" for number, each in enumerate(documents)], 2, seed)
    if any(not any(each.surrogates for each in _half(documents, halves, part)) for part in (0, 1)):
        raise UsageError("gold: expected at least two labelled documents with surrogates in the release")
    tasks = [_task(documents, halves, part, learner, tuple(decodings.values()), seed) for part in (0, 1)]
    held = hold_together(tasks, dict(run_fits(tasks, workers, progress)))
    assert held is not None
    unlisted = [_unlisted(each, is_listed) for each in documents]
    outcomes = [ParrotOutcome(LISTS, "", _counted(documents, unlisted))]
    for name, decoding in decodings.items():
        if decoding in held.predictions:
            tagged = held.predictions[decoding]
            untagged = [_untagged(each, spans) for each, spans in zip(documents, tagged, strict=True)]
            either = [own | other for own, other in zip(untagged, unlisted, strict=True)]
            outcomes.append(ParrotOutcome(PARROT, name, _counted(documents, untagged)))
            outcomes.append(ParrotOutcome(EITHER, name, _counted(documents, either)))
    return tuple(outcomes)


def _half(documents: Sequence[NameLikeDocument], halves: Sequence[int], part: int) -> list[NameLikeDocument]:
    return [each for each, half in zip(documents, halves, strict=True) if half == part]


def _task(
    documents: Sequence[NameLikeDocument],
    halves: Sequence[int],
    part: int,
    learner: ModelLearner,
    decodings: tuple[DecodingRule, ...],
    seed: int,
) -> FitTask:
    """Plan the fit that inspects a half: it learns from the other."""
    learned = tuple(each.example for each in _half(documents, halves, 1 - part))
    held = tuple(number for number, half in enumerate(halves) if half == part)
    views = tuple(documents[number].view for number in held)
    return FitTask(f"parrot, half {part + 1} of 2", learner, learned, held, views, decodings, seed, keep=False)


def _untagged(document: NameLikeDocument, tagged: Sequence[Span]) -> frozenset[Span]:
    """Return what looks like a name and has no character that was tagged."""
    names = (*document.surrogates, *document.missed)
    return frozenset(n for n in names if not any(t.start < n.end and n.start < t.end for t in tagged))


def _unlisted(document: NameLikeDocument, is_listed: Callable[[str], bool]) -> frozenset[Span]:
    """Return what looks like a name and has no word that is in a list."""
    text, names = document.view.text, (*document.surrogates, *document.missed)
    return frozenset(n for n in names if not any(is_listed(m[0]) for m in WORD.finditer(text, n.start, n.end)))


def _counted(documents: Sequence[NameLikeDocument], guessed: Sequence[frozenset[Span]]) -> tuple[ParrotCounts, ...]:
    counts = []
    for each, own in zip(documents, guessed, strict=True):
        made, missed = own.intersection(each.surrogates), own.intersection(each.missed)
        counts.append(ParrotCounts(len(each.surrogates), len(each.missed), len(made), len(missed)))
    return tuple(counts)


# Result of a parrot attack: correct guesses next to those of chance, and what they mean.


def parrot_report(
    documents: Sequence[NameLikeDocument], outcomes: Sequence[ParrotOutcome], *, learner: str, seed: int
) -> dict[str, Json]:
    """Build the report of a parrot attack: one row per attacker, with as many guesses at random."""
    groups = [each.group for each in documents]
    attackers: list[Json] = [{**parrot_figures(each), **_bootstrap(each, groups, seed=seed)} for each in outcomes]
    return {
        "documents": len(documents),
        "surrogates": sum(len(each.surrogates) for each in documents),
        "missed": sum(len(each.missed) for each in documents),
        "learner": learner,
        "attackers": attackers,
        "statements": list(_statements(outcomes)),
    }


def parrot_figures(outcome: ParrotOutcome) -> dict[str, Json]:
    """Return the counts of an attacker's guesses, and what as many guesses at random would give."""
    total = outcome.total
    return {
        "attacker": outcome.attacker,
        "decoding": outcome.decoding,
        "guesses": total.guesses,
        "right": total.guessed_missed,
        **{name: getattr(total, name) for name in ("precision", "random_precision", "recall", "random_recall")},
    }


def _bootstrap(outcome: ParrotOutcome, groups: Sequence[str], *, seed: int) -> dict[str, Json]:
    """Return 95% intervals of precision and recall by resampling people, or documents without a person."""
    names = sorted(set(groups))
    place = {name: number for number, name in enumerate(names)}
    cells = np.zeros((len(names), 4))
    np.add.at(cells, [place[group] for group in groups], np.array(outcome.counts, np.float64).reshape(-1, 4))
    draw = np.random.default_rng(seed)
    drawn = draw.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RUNS) @ cells
    right = drawn[:, 3]
    return {
        "precision_interval": _interval(right, drawn[:, 2] + right),
        "recall_interval": _interval(right, drawn[:, 1]),
    }


def _interval(right: Float64s, all_of_them: Float64s) -> list[Json]:
    shares = np.divide(right, all_of_them, out=np.zeros(len(right)), where=all_of_them > 0)
    return [float(value) for value in np.percentile(shares, INTERVAL)]


def _statements(outcomes: Sequence[ParrotOutcome]) -> list[str]:
    total = outcomes[0].total
    results = [
        f"{total.missed:,} of {total.missed + total.surrogates:,} names in the released documents are real. "
        "The other names are surrogates."
    ]
    if not total.missed:
        return [*results, "The labelled documents have no missed name, so this attack has nothing to find."]
    parrots = [each for each in outcomes if each.attacker == PARROT]
    best = max(parrots, key=lambda each: (each.total.precision, each.total.guesses), default=None)
    listed = next((each for each in outcomes if each.attacker == LISTS), None)
    if best is not None:
        results.append(
            f"An attacker who learned to tag names in the other half of the documents ({best.decoding}) "
            f"{_guessed(best)}."
        )
    if listed is not None:
        results.append(f"An attacker who selects every name outside the surrogate lists {_guessed(listed)}.")
    return [
        *results,
        "These attackers start from all words that look like a name, which a reader finds without help. The "
        "halves consist of whole documents. Stronger attackers may exist.",
    ]


def _guessed(outcome: ParrotOutcome) -> str:
    total = outcome.total
    return (
        f"guesses that {total.guesses:,} names are real. {total.guessed_missed:,} of them are real "
        f"({total.precision:.1%}, at random {total.random_precision:.1%}). These are {total.recall:.1%} of "
        f"the real names (at random {total.random_recall:.1%})"
    )
