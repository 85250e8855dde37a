"""Terms of the user's own that stay: a span whose whole text is one is left as it is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from pydantic import Field, model_validator

from spark_deid.core.kinds import PlanSection
from spark_deid.core.span import ALLOWED, Finder, Span, SpanExtender, detector_of
from spark_deid.text.terms.term_list import PreparedTerms, WordList, prepared_terms, tokens_of

_BETWEEN = 3
"""Words of one name have so many characters between them at most, none of them a letter, a digit or a line's end."""


class AllowSettings(PlanSection):
    """Terms that stay where they are all that a detector found: one list, or several as ``allow: [{...}, {...}]``.

    A list has ``words``, ``files`` of a term a line, and ``match_case``. A span that is longer, or that overlaps or
    adjoins another one, is edited all the same; marks at its ends do not count: "May" of "May Smith" does not stay.
    Spans that stay have the source ``<detector>/allowed``. Annotations of the input are not spared.
    """

    lists: tuple[WordList, ...] = Field(min_length=1, description="Lists of terms.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        """Read one list, or several, as a plan writes them."""
        if isinstance(given, list | tuple):
            return {"lists": given}
        return {"lists": [given]} if isinstance(given, Mapping) and "lists" not in given else given

    def prepared(self) -> tuple[PreparedTerms, ...]:
        """Return the lists as finders travel with them. Raises UsageError for a file that can't be read."""
        return tuple(prepared_terms(each, (), "") for each in self.lists)


def shared_terms(denied: Iterable[WordList], allowed: Iterable[WordList]) -> int:
    """Count the terms of lists that others have as well, in any case."""
    keys = [{_keys(term, match_case=False) for each in lists for term in each.terms} for lists in (denied, allowed)]
    return len(keys[0] & keys[1])


def spared_spans(
    text: str,
    *,
    finders: tuple[Finder, ...],
    lists: tuple[PreparedTerms, ...],
    is_unspared: Callable[[str], bool] | None = None,
) -> list[Span]:
    """Return what finders find in a text; the source of what is to stay is ``<detector>/allowed``.

    ``is_unspared`` returns whether the spans of a label are never spared.
    """
    found = list(chain.from_iterable(find(text) for find in finders))
    single = _alone(text, {span[:2] for span in found})
    return [
        span._replace(source=f"{detector_of(span.source)}/{ALLOWED}")
        if span[:2] in single
        and not (is_unspared and is_unspared(span.label))
        and _is_term(text[span.start : span.end], lists)
        else span
        for span in found
    ]


def unspared_spans(
    text: str, spans: Sequence[Span], *, extend: SpanExtender, lists: tuple[PreparedTerms, ...]
) -> list[Span]:
    """Return the spans that a function adds, without terms of the lists."""
    added = list(extend(text, spans))
    single = _alone(text, {span[:2] for span in (*spans, *added)})
    return [span for span in added if not (span[:2] in single and _is_term(text[span.start : span.end], lists))]


def _alone(text: str, places: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the places that no other overlaps or adjoins."""
    ordered = sorted(places)
    joined: set[tuple[int, int]] = set()
    for number, place in enumerate(ordered):
        for other in _followers(ordered, number):
            if not _is_apart(text, place[1], other[0]):
                joined |= {place, other}
    return set(ordered) - joined


def _followers(ordered: list[tuple[int, int]], number: int) -> Iterator[tuple[int, int]]:
    reach = ordered[number][1] + _BETWEEN
    for other in ordered[number + 1 :]:
        if other[0] > reach:
            return
        yield other


def _is_apart(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    return start > end and (len(between) > _BETWEEN or any(c.isalnum() or c in "\r\n\v\f\u2028\u2029" for c in between))


def _is_term(text: str, lists: tuple[PreparedTerms, ...]) -> bool:
    return any(_keys(text, match_case=each.match_case) in _known(each) for each in lists)


@lru_cache(maxsize=32)
def _known(terms: PreparedTerms) -> frozenset[tuple[str, ...]]:
    return frozenset(_keys(term, match_case=terms.match_case) for term in terms.terms)


def _keys(text: str, *, match_case: bool) -> tuple[str, ...]:
    """Return the tokens of a text without the marks at its ends, which detectors may take along."""
    keys = [token.key for token in tokens_of(text, match_case=match_case)]
    words = [number for number, key in enumerate(keys) if any(map(str.isalnum, key))]
    return tuple(keys[words[0] : words[-1] + 1]) if words else ()
