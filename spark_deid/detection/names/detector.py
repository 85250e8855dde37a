"""The detector ``names``: words of removed names at all places in the texts of the same person."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection
from spark_deid.core.labels import NAME_LABELS, Label
from spark_deid.core.span import Span, SpanExtender, detector_of
from spark_deid.detection.names.words import NAMES, name_spans, name_words
from spark_deid.rewriting.spared_terms import unspared_labels
from spark_deid.text.terms.sparing import AllowSettings, unspared_spans
from spark_deid.text.terms.term_list import PreparedTerms

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


class NamesSettings(PlanSection):
    """Words of removed names that are hidden elsewhere in the texts of the same person.

    A word of a removed name is hidden if it begins with an uppercase letter. A common word of the language is hidden
    only as part of the whole name or after a title: "White" of "Dr. White" remains in "White count". The list of common
    words is English. In other languages, a word remains if no list of names has it
    and if it is also in lowercase in the same text.
    """

    propagate: bool = Field(description="Whether words of removed names are hidden elsewhere in the person's texts.")
    labels: tuple[Label, ...] = Field(
        default=(), description="Further labels of people's names, in addition to NAME, PERSON, PATIENT and the like."
    )

    @property
    def all_labels(self) -> frozenset[str]:
        """Return the labels of names: those that are known, and those of the plan."""
        return NAME_LABELS | frozenset(self.labels)


def further_spans(text: str, spans: Sequence[Span], *, labels: frozenset[str], detectors: frozenset[str]) -> list[Span]:
    """Return the words of the names that detectors found in a text, at the places that their spans do not touch."""
    edited = [span for span in spans if detector_of(span.source) in detectors]
    return name_spans(text, edited, name_words(text, edited, labels))


def _nothing(_: str, __: Sequence[Span]) -> tuple[Span, ...]:
    return ()


def _extend(settings: NamesSettings, run: MethodContext, before: Sequence[str]) -> SpanExtender:
    if not settings.propagate:
        return _nothing
    extend = partial(further_spans, labels=settings.all_labels, detectors=frozenset(before))
    lists = _spared_lists(run)
    return partial(unspared_spans, extend=extend, lists=lists) if lists else extend


def _spared_lists(run: MethodContext) -> tuple[PreparedTerms, ...]:
    """Return the terms that are not hidden as words of names; none if a plan spares no word of a replaced value."""
    allow = run.plan.allow
    return allow.prepared() if isinstance(allow, AllowSettings) and unspared_labels(run.plan) is None else ()


def _needs_search(settings: NamesSettings, run: MethodContext) -> bool:
    return settings.propagate and run.subjects > 1


def _search(settings: NamesSettings, corpus: "Corpus", run: MethodContext, edited: Sequence[str]) -> "Corpus":
    """Add the words of names that are removed from other texts of a person; runs an action."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.detection.names.spark import propagate

    detectors = frozenset(edited)
    return propagate(corpus, run, labels=settings.all_labels, detectors=detectors, allowed=_spared_lists(run))


def _describe(settings: NamesSettings) -> str:
    if not settings.propagate:
        return "find no further names (names.propagate: false)"
    return "find words of removed names elsewhere in the texts of the same person"


def _public(settings: NamesSettings) -> Mapping[str, object]:
    return {NAMES: {"propagate": settings.propagate}}


_BLIND_SPOTS = (
    "words of names in lowercase letters, and common words without a title or another word of the name next to them",
)


def _seeks(settings: NamesSettings) -> DetectorScope:
    return DetectorScope(also=("further words of names",) if settings.propagate else (), blind_spots=_BLIND_SPOTS)


KIND = DetectorKind(
    settings=NamesSettings,
    describe=_describe,
    legend="words of removed names",
    extend=_extend,
    search=_search,
    needs_search=_needs_search,
    public=_public,
    example="names: {propagate: true}",
    seeks=_seeks,
)
