"""Terms that give identifiers away, as a detector of a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field, RootModel

from spark_deid.core.kinds import DetectorKind, DetectorScope, DetectorSections, MethodContext, PlanSection
from spark_deid.core.labels import Label
from spark_deid.detection.context.rules import SUFFIX, CorrelationSettings, Route, categories_of

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


class CategorySettings(PlanSection):
    """When a term gives identifiers of a category away, and what becomes of it (see ``context.settings``).

    ``remove`` takes the term out after the other detectors; ``label`` marks it before training, for ``train``.
    """

    route: Literal["remove", "label"] = "remove"
    min_support: int = Field(default=3, ge=2)
    min_confidence: float = Field(default=0.5, ge=0, le=1)
    min_lift: float = Field(default=5.0, ge=1)
    max_words: int = Field(default=1, ge=1, le=5)


class ContextSettings(RootModel[dict[Label, CategorySettings]]):
    """The categories of a plan, by their labels."""

    def correlations(self, route: Route) -> tuple[CorrelationSettings, ...]:
        """Return the categories whose terms take this route, by name."""
        given = (CorrelationSettings(label, **each.model_dump()) for label, each in sorted(self.root.items()))
        return categories_of(tuple(given), route)


def correlations_of(plan: DetectorSections, route: Route) -> tuple[CorrelationSettings, ...]:
    """Return the categories of a plan whose terms take a route."""
    settings: ContextSettings | None = plan.given("context")
    return settings.correlations(route) if settings else ()


def _search(settings: ContextSettings, corpus: "Corpus", run: MethodContext, edited: Sequence[str]) -> "Corpus":
    """Add the terms correlated with what the edits of other detectors take out; the rules remain in the workspace.

    Runs three actions: words, rules and the places of terms are materialized.
    """
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.detection.context.spark import find_rules, term_spans, with_context, words_by_document

    correlations = settings.correlations("remove")
    found = corpus.annotated
    words = run.materialize("words", words_by_document(found, correlations, detectors=edited))
    rules = run.materialize("associations", find_rules(words, found, correlations))
    terms = run.materialize("terms", term_spans(found, words, rules, detectors=edited))
    return replace(corpus, annotated=with_context(found, terms), associations=rules)


def _describe(settings: ContextSettings) -> str:
    categories = ", ".join(
        f"{each.label} (support {each.min_support}, confidence {each.min_confidence:g}, lift {each.min_lift:g})"
        for each in settings.correlations("remove")
    )
    return f"find terms that reveal identifiers: {categories}"


def _is_requested(settings: ContextSettings) -> bool:
    return bool(settings.correlations("remove"))


def _public(settings: ContextSettings) -> Mapping[str, object]:
    return {"context": settings.model_dump(mode="json")}


def _names(settings: ContextSettings) -> tuple[str, ...]:
    return tuple(name for label in settings.root for name in (label, f"{label}{SUFFIX}"))


def _seeks(_: ContextSettings) -> DetectorScope:
    message = "words that reveal a hidden label without being among the terms of the context"
    return DetectorScope(also=("terms that occur with another hidden span",), blind_spots=(message,))


KIND = DetectorKind(
    settings=ContextSettings,
    describe=_describe,
    legend="context",
    search=_search,
    public=_public,
    asked=_is_requested,
    example="context: {LABEL: {}}",
    seeks=_seeks,
    names=_names,
)
