"""Who attacks: which learners, features and decodings are tried on the published text."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field, SkipValidation

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import KEY_BYTES
from spark_deid.core.numerics.arrays import Bools
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.greedy.attack.settings import AttackerSettings
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import PLAIN, DecodingRule, cost_sensitive
from spark_deid.greedy.fits import FitTask, FoldFit, HeldOutPredictions, hold_together, plan_fits
from spark_deid.greedy.game.counts import ConfusionCounts, count_cells
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument
from spark_deid.greedy.parallel import LocalProcesses, TaskWorkers
from spark_deid.greedy.rounds import make_instance_sets, run_fits
from spark_deid.greedy.training_settings import LOSS_RATIO, LossRatio
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.registry import LearnerSettings, make_learner
from spark_deid.text.templates import features_label
from spark_deid.text.view import TextView

Progress = Callable[[str], None]
HOLD_OUT = "hold-out"
PUBLIC = "public data"


class Attacker(NamedTuple):
    """A way to attack: what learns, by which features, background models and tagger, and on which text."""

    learner: str
    features: str
    source: str = HOLD_OUT
    background: tuple[str, ...] = ()
    tagger: str = ""


class AttackOutcome(NamedTuple):
    """What an attacker finds among the instances that are published, document by document."""

    attacker: Attacker
    decoding: str
    counts: tuple[ConfusionCounts, ...]

    @property
    def total(self) -> ConfusionCounts:
        """The counts over all documents."""
        return ConfusionCounts(*np.array(self.counts, np.int64).reshape(-1, 4).sum(0).tolist())


class AttackConfig(AttackerSettings):
    """Settings of attackers.

    ``publisher`` is what the release was made with, where it was made by models: each learner in its own way.
    ``public`` are labelled examples of other text; with them one more attacker of each learner needs no labelled text
    of the release. ``loss_ratio`` sets the threshold of cost-sensitive decoding. No model of an attacker is kept, so
    its key is not a secret.
    """

    publisher: SkipValidation[tuple[Attacker, ...]] = ()
    public: SkipValidation[tuple[TrainingExample, ...]] = Field(default=(), repr=False)
    loss_ratio: LossRatio = LOSS_RATIO
    workers: int = Field(default=1, ge=1)
    key: bytes = Field(default=bytes(KEY_BYTES), repr=False)

    def attackers(self) -> tuple[Attacker, ...]:
        """List the attackers: the publisher's own way first, then every learner with its features, then strong ones."""
        like = self.publisher[0] if self.publisher else Attacker("", self.features, tagger=self.tagger)
        best = Attacker("", self.stronger, background=self.background, tagger=self.tagger)
        weak, strong = ([each._replace(learner=name) for name in self.learners] for each in (like, best))
        public = [each._replace(source=PUBLIC) for each in strong if self.public]
        return tuple(dict.fromkeys((*self.publisher, *weak, *strong, *public)))

    def decodings(self) -> dict[str, DecodingRule]:
        """Return the decodings that every attacker tries."""
        return {"viterbi": PLAIN, "cost": cost_sensitive(self.loss_ratio)}


def attack(
    cases: Sequence[GameDocument],
    config: AttackConfig,
    progress: Progress = lambda line: None,
    *,
    workers: TaskWorkers | None = None,
) -> tuple[tuple[AttackOutcome, ...], tuple[DocumentInstances, ...]]:
    """Let every attacker learn on labelled published text and inspect the rest; return what each finds.

    By folds: each document is inspected by models that learned from the other folds. All attackers are counted on
    the same instances, the word tokens of the first. ``workers`` fit, by default as many processes as the settings
    state. Raises UsageError with fewer than two groups of documents.
    """
    if len({case.group for case in cases}) < 2:
        raise UsageError("gold: expected labelled documents of at least two subjects, or two documents without one")
    attackers = config.attackers()
    plans = [_tasks(cases, attacker, config) for attacker in attackers]
    done = _run([task for plan in plans for task in plan], workers or LocalProcesses(config.workers), progress)
    attacks: list[AttackOutcome] = []
    instance_sets: tuple[DocumentInstances, ...] | None = None
    first = 0
    for attacker, plan in zip(attackers, plans, strict=True):
        held = hold_together(plan, dict(enumerate(done[first : first + len(plan)])))
        assert held is not None
        instance_sets = instance_sets or make_instance_sets(cases, held.tokens)
        attacks.extend(_judge(attacker, held, cases, instance_sets, config))
        first += len(plan)
    assert instance_sets is not None
    return tuple(attacks), instance_sets


def public_examples(documents: Sequence[Document], labels: Sequence[str] | None) -> tuple[TrainingExample, ...]:
    """Return labelled documents as attackers learn from them."""
    return tuple(
        TrainingExample(
            document.doc_id,
            TextView(document.text),
            resolve_overlaps(document.text, [s for s in document.spans if labels is None or s.label in labels]),
        )
        for document in documents
    )


def _tasks(cases: Sequence[GameDocument], attacker: Attacker, config: AttackConfig) -> tuple[FitTask, ...]:
    """Plan the fits of an attacker: one a fold, or one on public data."""
    settings = LearnerSettings(attacker.features, config.key, background=attacker.background, tagger=attacker.tagger)
    learner = make_learner(attacker.learner, settings)
    name = f"{attacker.learner} ({features_label(attacker.features)}, {attacker.source})"
    decodings = tuple(config.decodings().values())
    if attacker.source == PUBLIC:
        everything, views = tuple(range(len(cases))), tuple(case.view for case in cases)
        return (FitTask(name, learner, config.public, everything, views, decodings, config.seed, keep=False),)
    training = TrainConfig(key=config.key, folds=config.folds, seed=config.seed, learner=attacker.learner)
    return tuple(
        task._replace(name=f"{name}, {task.name}", decodings=decodings)
        for task in plan_fits(cases, learner, training)
        if task.held
    )


def _run(tasks: Sequence[FitTask], workers: TaskWorkers, progress: Progress) -> list[FoldFit]:
    progress(f"fit {len(tasks)} models of attackers, {workers.size} at a time")
    began = time.perf_counter()
    done = dict(run_fits(tasks, workers, progress))
    progress(f"all attackers are fitted, {time.perf_counter() - began:.1f} s")
    return [done[index] for index in range(len(tasks))]


def _judge(
    attacker: Attacker,
    held: HeldOutPredictions,
    cases: Sequence[GameDocument],
    instance_sets: Sequence[DocumentInstances],
    config: AttackConfig,
) -> list[AttackOutcome]:
    """Count each decoding that the attacker's models can follow."""
    found = []
    for name, decoding in config.decodings().items():
        if decoding in held.predictions:
            spans_of = held.predictions[decoding]
            cells = []
            for case, instance_set, spans in zip(cases, instance_sets, spans_of, strict=True):
                presented = instances(case, instance_set)
                positive = instance_set.touched(spans)
                cells.append(count_cells(positive[presented], instance_set.sensitive[presented]))
            found.append(AttackOutcome(attacker, name, tuple(cells)))
    return found


def instances(case: GameDocument, tokens: DocumentInstances) -> Bools:
    """Return which tokens are instances: all but placeholders."""
    return np.asarray(~tokens.touched(case.view.removed))
