"""The detector ``deny``: terms of the user's own, everywhere they occur."""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from pydantic import Field, model_validator

from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection
from spark_deid.core.span import Finder, Span
from spark_deid.text.terms.term_list import (
    PreparedTerms,
    TermExpression,
    TermIndex,
    TermList,
    index_terms,
    prepared_terms,
)
from spark_deid.text.visible import visible

DENY = "deny"


class DenySettings(PlanSection):
    """Terms that are hidden at every place: one list, or several as ``deny: [{...}, {...}]``.

    A list has ``words``, ``files`` of a term per line, ``expressions``, a ``label`` (``TERM``) and ``match_case``.
    A term is found as whole words, in any case unless ``match_case`` states otherwise, through characters that no one
    sees, with any spaces between its words. Expressions are searched as those of models are, for a limited time.
    """

    lists: tuple[TermList, ...] = Field(min_length=1, description="Lists of terms.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        """Read one list, or several, as a plan writes them."""
        if isinstance(given, list | tuple):
            return {"lists": given}
        return {"lists": [given]} if isinstance(given, Mapping) and "lists" not in given else given


def deny_spans(text: str, *, lists: tuple[PreparedTerms, ...]) -> list[Span]:
    """Return where terms are in a text as it looks, and where expressions match it as it is written as well."""
    shown = visible(text)
    found = [span for number, each in enumerate(lists) for span in _found(shown.text, each, number)]
    if not shown.is_whole:
        as_written = (span for number, each in enumerate(lists) for span in _matched(text, each, number))
        found = [*dict.fromkeys((*map(shown.original, found), *as_written))]
    return found


def _found(text: str, terms: PreparedTerms, number: int) -> list[Span]:
    words = [Span(*place, terms.label, source=f"{DENY}/word") for place in _index(terms).find(text)]
    return [*words, *_matched(text, terms, number)]


def _matched(text: str, terms: PreparedTerms, number: int) -> list[Span]:
    """Return where the expressions of a list match; ``number`` is the list's among those of the plan, from 0."""
    return [
        Span(start, end, terms.label, source=f"{DENY}/expression")
        for index, expression in enumerate(terms.expressions)
        for match in _expression(terms.label, expression).finditer(text, f"{DENY}[{number}].expressions[{index}]")
        for start, end in (match.span(),)
        if end > start
    ]


@lru_cache(maxsize=32)
def _index(terms: PreparedTerms) -> TermIndex:
    return index_terms(terms.terms, match_case=terms.match_case)


@lru_cache(maxsize=256)
def _expression(label: str, expression: str) -> TermExpression:
    return TermExpression(label, expression)


def _make(settings: DenySettings, run: MethodContext) -> Finder:
    return partial(deny_spans, lists=tuple(map(_prepared, settings.lists)))


def _prepared(given: TermList) -> PreparedTerms:
    return prepared_terms(given, tuple(pattern.pattern for pattern in given.patterns), given.label)


def _check(settings: DenySettings) -> None:
    for each in settings.lists:
        assert each.terms is not None


def _describe(settings: DenySettings) -> str:
    words, expressions = _counted(settings)
    labels = ", ".join(dict.fromkeys(each.label for each in settings.lists))
    return f"find terms of your own ({labels}): {words} words and {expressions} expressions"


def _counted(settings: DenySettings) -> tuple[int, int]:
    return sum(len(each.terms) for each in settings.lists), sum(len(each.expressions) for each in settings.lists)


def _public(settings: DenySettings) -> Mapping[str, object]:
    words, expressions = _counted(settings)
    return {DENY: {"words": words, "expressions": expressions}}


def _seeks(settings: DenySettings) -> DetectorScope:
    labels = dict.fromkeys(each.label for each in settings.lists)
    return DetectorScope(tuple(labels), blind_spots=("terms that are misspelled or inflected",))


KIND = DetectorKind(
    settings=DenySettings,
    describe=_describe,
    legend="terms of your own",
    make=_make,
    public=_public,
    check=_check,
    example="deny: {words: [lighthouse], label: TERM}",
    seeks=_seeks,
)
