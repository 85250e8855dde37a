"""Trials of surrogates: each is one file, so that a run which was cut off continues where it was."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spark_deid.app.experiments.settings import SurrogatesExperimentSettings
from spark_deid.app.experiments.surrogates.writing import BY_PERSON, WRITINGS, Writing, rewrite_documents, with_persons
from spark_deid.app.experiments.trial_files import kept_trial
from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import KEY_BYTES, keyed_hash
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.greedy.attack.attackers import AttackConfig, attack
from spark_deid.greedy.attack.parrot import name_like, parrot_attack, parrot_figures
from spark_deid.greedy.attack.published import LabelledOriginal, MovedOffsets, publish
from spark_deid.greedy.fits import assign_folds
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts, count_cells
from spark_deid.greedy.parallel import TaskWorkers
from spark_deid.greedy.rounds import make_instance_sets
from spark_deid.learners.base import FittedModel, ModelLearner, TrainingExample
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.surrogates.lists import listed_words
from spark_deid.text.view import TextView
from spark_deid.values.plain import plain_form

Progress = Callable[[str], None]
_KEY = bytes(KEY_BYTES)
"""The key of features: no model is kept, so that it is not a secret."""
_PARTS = 3


class SurrogateTrial(NamedTuple):
    """One way of writing by one seed: attacked where a model marked what gives way, or learned from."""

    kind: Literal["attack", "utility"]
    writing: Writing
    seed: int

    @property
    def name(self) -> str:
        """Return the name of the trial's file."""
        return f"{self.kind}-{self.writing.replace(' ', '-')}-{self.seed}.json"


class TrialParts(NamedTuple):
    """The documents of a seed in three parts, all of one person in the same: learned from, released, and test."""

    first: tuple[Document, ...]
    second: tuple[Document, ...]
    third: tuple[Document, ...]


def trials_of(settings: SurrogatesExperimentSettings, *, has_persons: bool) -> Iterator[SurrogateTrial]:
    """Yield what is tried, seed by seed; surrogates by person only where documents name some."""
    writings = [each for each in WRITINGS if has_persons or each != BY_PERSON]
    for seed in settings.seeds:
        yield from (SurrogateTrial("attack", each, seed) for each in writings if each != "original")
        yield from (SurrogateTrial("utility", each, seed) for each in writings)


def run_trials(
    documents: Sequence[Document],
    settings: SurrogatesExperimentSettings,
    folder: Path,
    workers: TaskWorkers,
    progress: Progress,
) -> list[dict[str, Any]]:
    """Carry out every trial that has no file yet, and return what all found.

    Raises UsageError where documents have nothing annotated of the labels, or are of too few people.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = keep_labels(with_persons(documents, settings.persons), settings.labels)
    has_people = any(each.subject_id is not None for each in known)
    publishers: dict[int, list[tuple[Span, ...]]] = {}

    def carry_out(trial: SurrogateTrial) -> dict[str, Any]:
        progress(f"trial {trial.name.removesuffix('.json')}")
        parts = parts_of(known, settings, trial.seed)
        if trial.kind == "utility":
            return {**_learned(trial, parts, settings), **trial._asdict()}
        if trial.seed not in publishers:
            publishers.clear()  # trials come seed by seed
            publishers[trial.seed] = _marked_by_model(parts, settings, trial.seed)
        return {**_attacked(trial, parts, publishers[trial.seed], settings, workers), **trial._asdict()}

    trials = trials_of(settings, has_persons=has_people)
    return [kept_trial(folder / trial.name, partial(carry_out, trial)) for trial in trials]


def keep_labels(documents: Sequence[Document], labels: Sequence[str] | None) -> tuple[Document, ...]:
    """Return documents with the annotations of these labels only. Raises UsageError if they are missing."""
    kept = tuple(
        each._replace(spans=tuple(s for s in each.spans if labels is None or s.label in labels)) for each in documents
    )
    if not any(each.spans for each in kept):
        raise UsageError("input: expected annotations of the labels, found none")
    return kept


def parts_of(documents: Sequence[Document], settings: SurrogatesExperimentSettings, seed: int) -> TrialParts:
    """Draw documents by a seed and divide them by person. Raises UsageError with fewer people than parts."""
    key = seed.to_bytes(KEY_BYTES, "little", signed=True)
    drawn = sorted(documents, key=lambda each: (keyed_hash(key, "drawn", each.doc_id), each.doc_id))
    chosen = drawn[: settings.documents or len(drawn)]
    folds = assign_folds([each.subject_id or f"document {each.doc_id}" for each in chosen], _PARTS, seed)
    if max(folds) + 1 < _PARTS:
        raise UsageError(
            f"input: expected documents of at least {_PARTS} people, or {_PARTS} documents without a person"
        )
    return TrialParts(*(tuple(d for d, fold in zip(chosen, folds, strict=True) if fold == n) for n in range(_PARTS)))


def _learner(settings: SurrogatesExperimentSettings) -> ModelLearner:
    return make_learner(settings.learner, LearnerSettings(settings.features, _KEY))


def _key_of(seed: int) -> bytes:
    return (1 + seed).to_bytes(KEY_BYTES, "little", signed=True)


def _marked_by_model(parts: TrialParts, settings: SurrogatesExperimentSettings, seed: int) -> list[tuple[Span, ...]]:
    """Return what a publisher marks in the second and third part, whose model learned from the first."""
    examples = [
        TrainingExample(each.doc_id, TextView(each.text), resolve_overlaps(each.text, each.spans))
        for each in parts.first
    ]
    model = _learner(settings).fit(examples, seed=seed)
    return [model.predict(TextView(each.text)) for each in (*parts.second, *parts.third)]


def _attacked(
    trial: SurrogateTrial,
    parts: TrialParts,
    marked: Sequence[Sequence[Span]],
    settings: SurrogatesExperimentSettings,
    workers: TaskWorkers,
) -> dict[str, Any]:
    """Release the second and third part as a model marks them, and attack that."""
    documents = (*parts.second, *parts.third)
    originals = rewrite_documents(documents, marked, trial.writing, settings.locale, _key_of(trial.seed))
    config = AttackConfig(
        learners=(settings.learner,),
        features=settings.features,
        stronger=settings.features,
        background=(),
        folds=2,
        seed=trial.seed,
        loss_ratio=settings.loss_ratio,
    )
    cases = [publish(each, None) for each in originals]
    outcomes, _ = attack([each.case for each in cases], config, workers=workers)
    record: dict[str, Any] = {
        "words": sum(each.sensitive_words for each in cases),
        "words_left": sum(each.residual_words for each in cases),
        "paper": [{"decoding": each.decoding, **_rates(each.total)} for each in outcomes],
    }
    names = [name_like(each, None) for each in originals]
    record |= {
        "surrogates": sum(len(each.surrogates) for each in names),
        "missed": sum(len(each.missed) for each in names),
    }
    if trial.writing != "placeholders":
        known = listed_words()
        parrots = parrot_attack(
            names,
            _learner(settings),
            config.decodings(),
            lambda word: plain_form(word) in known,
            workers,
            seed=trial.seed,
        )
        record["parrots"] = [parrot_figures(each) for each in parrots]
    return record


def _learned(trial: SurrogateTrial, parts: TrialParts, settings: SurrogatesExperimentSettings) -> dict[str, Any]:
    """Learn from two parts as they were rewritten by hand, and tag the real text of the third."""
    documents = (*parts.first, *parts.second)
    gold = [each.spans for each in documents]
    originals = rewrite_documents(documents, gold, trial.writing, settings.locale, _key_of(trial.seed))
    model = _learner(settings).fit([_example(each) for each in originals], seed=trial.seed)
    return {"score": _rates(_tokens_found(model, parts.third))}


def _example(original: LabelledOriginal) -> TrainingExample:
    """Return a rewritten document as its users learn from it: what represents a name is annotated as it was.

    Placeholders are words like others, since who learns from them is given nothing else.
    """
    document, edits = original
    if not edits:
        spans = resolve_overlaps(document.text, document.spans)
        return TrainingExample(document.doc_id, TextView(document.text), spans)
    labels = {(piece.start, piece.end): piece.label for piece in resolve_overlaps(document.text, document.spans)}
    spans = tuple(
        Span(start, end, labels[edit.start, edit.end])
        for start, end, edit in MovedOffsets(edits).replacements()
        if start < end
    )
    return TrainingExample(document.doc_id, TextView(apply_edits(document.text, edits)), spans)


def _tokens_found(model: FittedModel, documents: Sequence[Document]) -> ConfusionCounts:
    """Count the word tokens of real text that a model tags at all, against gold."""
    plainly = [LabelledOriginal(each, ()) for each in documents]
    cases = [publish(each, None).case for each in plainly]
    counts = NO_COUNTS
    instance_sets = make_instance_sets(cases, (model.tokens(case.view) for case in cases))
    for case, instances in zip(cases, instance_sets, strict=True):
        counts += count_cells(instances.touched(model.predict(case.view)), instances.sensitive)
    return counts


def _rates(counts: ConfusionCounts) -> dict[str, float]:
    precision = counts.true_positives / counts.positives if counts.positives else 0.0
    recall = counts.true_positives / counts.sensitive if counts.sensitive else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    found = {"true_positives": counts.true_positives, "false_positives": counts.false_positives}
    return {**found, "precision": precision, "recall": recall, "f1": f1}
