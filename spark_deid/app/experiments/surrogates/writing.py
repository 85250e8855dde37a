"""Rewrite labelled documents in the ways that are compared: as they are, with placeholders, and with surrogates."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.greedy.attack.published import LabelledOriginal
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.scoped import ScopeAssignments, scope_of
from spark_deid.surrogates.settings import BY_LABEL, SURROGATE
from spark_deid.surrogates.surrogate_scope import SurrogateWork
from spark_deid.values.date_words import locale_named

Writing = Literal["original", "placeholders", "surrogates by document", "surrogates by person"]
WRITINGS: tuple[Writing, ...] = ("original", "placeholders", "surrogates by document", "surrogates by person")
BY_PERSON: Writing = "surrogates by person"
_DAYS = 365


def with_persons(documents: Sequence[Document], expression: str | None) -> tuple[Document, ...]:
    """Name the people of documents that name none, by the first match of an expression in their ids.

    >>> with_persons([Document("mail-07_2", "")], "[0-9]+")[0].subject_id
    '07'
    """
    if expression is None:
        return tuple(documents)
    found = (each.subject_id or _match(expression, each.doc_id) for each in documents)
    return tuple(each._replace(subject_id=person) for each, person in zip(documents, found, strict=True))


def _match(expression: str, doc_id: str) -> str | None:
    match = re.search(expression, doc_id)
    return match[0] if match else None


def rewrite_documents(
    documents: Sequence[Document], marked: Sequence[Sequence[Span]], writing: Writing, locale: str, key: bytes
) -> tuple[LabelledOriginal, ...]:
    """Return documents with the edits of what is marked in them; what has no surrogate becomes a placeholder."""
    pieces = [resolve_overlaps(each.text, spans) for each, spans in zip(documents, marked, strict=True)]
    if writing == "original":
        return tuple(LabelledOriginal(each, ()) for each in documents)
    if writing == "placeholders":
        written: Sequence[Mapping[Span, str]] = [{} for _ in documents]
    else:
        written = _surrogates(documents, pieces, _work(pieces, locale, key, by_subject=writing == BY_PERSON))
    return tuple(
        LabelledOriginal(each, tuple(_edit(span, own) for span in spans))
        for each, spans, own in zip(documents, pieces, written, strict=True)
    )


def _edit(span: Span, written: Mapping[Span, str]) -> Edit:
    text = written.get(span)
    technique = "suppress" if text is None else SURROGATE
    return Edit(span.start, span.end, technique, f"[{span.label}]" if text is None else text)


def _work(pieces: Sequence[Sequence[Span]], locale: str, key: bytes, *, by_subject: bool) -> SurrogateWork:
    labels = {span.label for own in pieces for span in own}
    place = locale_named(locale)
    return SurrogateWork(
        kinds={label: BY_LABEL.get(label.upper()) for label in labels},
        labels=frozenset(),
        locale=place,
        shift=ShiftRequest(_DAYS, False, place, key),
        by_subject=by_subject,
        key=key,
    )


def _surrogates(
    documents: Sequence[Document], pieces: Sequence[Sequence[Span]], work: SurrogateWork
) -> list[dict[Span, str]]:
    """Return the surrogates of each document's pieces, one set of them a scope."""
    scopes = [scope_of(each, by_subject=work.by_subject) for each in documents]
    assignments = ScopeAssignments((work,))
    for given in zip(scopes, documents, pieces, strict=True):
        assignments.take(*given)
    return [
        dict(_written(assignments.mentions(scope, document, own), own))
        for scope, document, own in zip(scopes, documents, pieces, strict=True)
    ]


def _written(mentions: Iterable[LinkedMention], pieces: Sequence[Span]) -> Iterator[tuple[Span, str]]:
    known = {(span.start, span.end, span.label): span for span in pieces}
    for each in mentions:
        if each.replacement is not None:
            yield known[each.start, each.end, each.label], each.replacement
