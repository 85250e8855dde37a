"""The stages of a plan: each takes a corpus and gives one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

from pyspark.sql import DataFrame

from spark_deid.context.settings import Correlation
from spark_deid.context.spark import find_rules, with_context, words_by_document
from spark_deid.detection.installed import spans_found
from spark_deid.detection.patterns import pattern_spans
from spark_deid.greedy.spark.detect import finder
from spark_deid.plan.config import RepeatsSettings
from spark_deid.plan.corpus import Corpus
from spark_deid.repeats.spark.search import choose_unit, with_rare_spans
from spark_deid.repeats.spark.shards import find_rare_text
from spark_deid.rewriting.spark.operators import edits_of_decisions, sanitize, spans_of_decisions
from spark_deid.text.patterns import PatternDetector

Materialize = Callable[[str, DataFrame], DataFrame]
"""Write a table under a name and return it as read back."""


class Stage(Protocol):
    """What a plan is made of."""

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with what this stage adds."""
        ...

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage: no path or other setting."""
        ...

    def describe(self) -> str:
        """Say in one line what this stage does."""
        ...


@dataclass(frozen=True)
class DetectPatterns:
    """Add the spans of the pattern detectors."""

    detector: PatternDetector

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with one more finder."""
        return replace(corpus, finders=(*corpus.finders, partial(pattern_spans, detector=self.detector)))

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "find patterns"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        return f"find patterns: {', '.join(self.detector.names)}"


@dataclass(frozen=True)
class DetectInstalled:
    """Add the spans of a detector that an installed package brings."""

    detector: str

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with one more finder."""
        return replace(corpus, finders=(*corpus.finders, partial(spans_found, name=self.detector)))

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "apply installed detector"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        return f"apply the installed detector {self.detector}"


@dataclass(frozen=True)
class DetectModel:
    """Add the spans of every round of a trained model."""

    folder: Path
    expected_hash: str
    decoding: Literal["viterbi", "cost"]
    placeholders: tuple[str, ...]

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with one more finder."""
        find = finder(
            corpus.annotated.sparkSession,
            str(self.folder),
            self.expected_hash,
            decoding=self.decoding,
            placeholders=self.placeholders,
        )
        return replace(corpus, finders=(*corpus.finders, find))

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "apply model"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        return f"apply every round of the model {self.folder} ({self.decoding} decoding)"


@dataclass(frozen=True)
class DetectContext:
    """Add the terms that give identifiers away: those correlated with what the edits of ``sources`` take out.

    Runs three actions: what the finders find, the words of each document and the rules are materialized. The rules
    hold text, and stay in the workspace.
    """

    correlations: tuple[Correlation, ...]
    sources: tuple[str, ...]
    materialize: Materialize

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with more spans, and with the rules."""
        decided = sanitize(corpus.annotated, corpus.finders, sources=self.sources)
        found = self.materialize("found", decided).select(*corpus.annotated.columns)
        words = self.materialize("words", words_by_document(found, self.correlations, sources=self.sources))
        rules = self.materialize("associations", find_rules(words, found, self.correlations))
        annotated = with_context(found, words, rules, sources=self.sources)
        return replace(corpus, annotated=annotated, associations=rules, finders=())

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "find context"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        categories = ", ".join(
            f"{each.label} (support {each.min_support}, confidence {each.min_confidence:g}, lift {each.min_lift:g})"
            for each in self.correlations
        )
        return f"find terms that give identifiers away: {categories}"


@dataclass(frozen=True)
class DetectRare:
    """Add what is rare in the text as the other detectors leave it.

    What the edits of ``sources`` replace is neither rare nor evidence, and no run crosses it. Runs one action, which
    applies the finders and materializes what they find, and a small one where the settings leave open what k counts.
    """

    settings: RepeatsSettings
    sources: tuple[str, ...]
    placeholders: tuple[str, ...]
    materialize: Materialize
    folder: str
    """Where shards keep their state, if the text needs shards."""

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with more spans."""
        rarity = self.settings.rarity(choose_unit(corpus.documents, self.settings.unit))
        decided = sanitize(corpus.annotated, corpus.finders, sources=self.sources)
        detected = self.materialize("detected", decided)
        shards = self.settings.shards
        found = find_rare_text(detected, rarity, shards=shards, folder=self.folder, placeholders=self.placeholders)
        return replace(corpus, annotated=with_rare_spans(detected, found), finders=())

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "find rare text"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        units = {"auto": "persons (documents, where the input names none)", "occurrence": "places"}
        counted = units.get(self.settings.unit, f"{self.settings.unit}s")
        kept = f"keep runs of at least {self.settings.min_length} characters ({self.settings.covering})"
        return f"find text of fewer than {self.settings.k} {counted}; {kept}"


@dataclass(frozen=True)
class Suppress:
    """Apply the finders, decide edits and rewrite: every span of the named sources gives way to a typed placeholder.

    Runs one action, a single pass over the documents. The decisions are materialized, since spans, edits, rewritten
    texts and the publish ratio all come from them.
    """

    sources: tuple[str, ...]
    materialize: Materialize

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus with spans and edits."""
        decided = sanitize(corpus.annotated, corpus.finders, sources=self.sources)
        decisions = self.materialize("decisions", decided)
        spans, edits = spans_of_decisions(decisions), edits_of_decisions(decisions)
        return replace(corpus, spans=spans, edits=edits, finders=())

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return "decide edits"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        return f"apply the detectors and suppress every span of: {', '.join(self.sources)}"


@dataclass(frozen=True)
class Checkpoint:
    """Write tables to the workspace and go on with what was written."""

    names: tuple[str, ...]
    materialize: Materialize

    def __call__(self, corpus: Corpus) -> Corpus:
        """Return the corpus, read back."""
        written: dict[str, Any] = {name: self.materialize(name, corpus.table(name)) for name in self.names}
        return replace(corpus, **written)

    @property
    def name(self) -> str:
        """Return what manifests and reports call this stage."""
        return f"write {' and '.join(self.names)}"

    def describe(self) -> str:
        """Say in one line what this stage does."""
        return f"write {', '.join(self.names)} to the workspace"


@dataclass(frozen=True)
class Plan:
    """Stages in order; itself a stage."""

    stages: tuple[Stage, ...]
    begin: Callable[[Stage], None]
    """Called with each stage before it runs."""

    def __call__(self, corpus: Corpus) -> Corpus:
        """Run every stage."""
        for stage in self.stages:
            self.begin(stage)
            corpus = stage(corpus)
        return corpus
