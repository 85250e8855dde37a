"""The documents of a person as one text: what tells of a term in one of them tells of it in all."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plausibility.text.reading import GREEDY, read_document
from spark_deid.plausibility.text.segments import BETWEEN
from spark_deid.plausibility.text.settings import GeneralizeRules
from spark_deid.plausibility.text.settling import TOO_LONG

MOST_CHARACTERS = 1 << 25
"""The longest text of a person whose terms are generalized; those of more are suppressed."""


class PersonDocument(NamedTuple):
    """A document of a person: its text, the spans that rules edit, and the disjoint pieces that they leave."""

    text: str
    spans: tuple[Span, ...]
    pieces: tuple[Span, ...]


class TermAnswer(NamedTuple):
    """What becomes of a place of a document: a replacement, or None and why it is suppressed.

    ``label`` is the term's; places that no detector marked have one, too.
    """

    start: int
    end: int
    label: str
    replacement: str | None
    reason: str = ""


class PersonAnswers(NamedTuple):
    """What becomes of the terms of each document of a person, and how many exact searches gave way to greedy ones."""

    by_document: Sequence[Sequence[TermAnswer]]
    greedy: int = 0


def read_person(documents: Sequence[PersonDocument], rules: GeneralizeRules) -> PersonAnswers:
    """Generalize the terms of all documents of a person as those of one text, in which each is a document by itself.

    >>> from spark_deid.plausibility.text.settings import GeneralizeSettings
    >>> rules = GeneralizeRules({"TERM": GeneralizeSettings(t=64)})
    >>> marked = Span(0, 11, "TERM")
    >>> given = [PersonDocument("lung cancer", (marked,), (marked,)), PersonDocument("The cancer spread.", (), ())]
    >>> [[each.replacement for each in found] for found in read_person(given, rules).by_document]
    [['tumor'], ['tumor']]
    """
    starts = [*accumulate((len(each.text) + len(BETWEEN) for each in documents), initial=0)]
    if starts[-1] > MOST_CHARACTERS:
        return PersonAnswers([[*_too_long(each, rules)] for each in documents])
    if not any(rules.reading_of(piece.label) for each in documents for piece in each.pieces):
        return PersonAnswers([[] for _ in documents])
    text = BETWEEN.join(each.text for each in documents)
    spans, pieces = (
        tuple(moved for at, each in enumerate(documents) for moved in _moved(given(each), at, starts[at]))
        for given in (_spans_of, _pieces_of)
    )
    reading = read_document(Document("", text, spans=spans), pieces, rules=rules)
    labels = {span.start: span.label for span in (*pieces, *reading.further)}
    found: list[list[TermAnswer]] = [[] for _ in documents]
    for row in reading.apply(Document("", text), ()) or ():
        at = bisect_right(starts, row.start) - 1
        first = starts[at]
        if row.end - first > len(documents[at].text):
            raise ValueError("a term is in two documents")
        found[at].append(_answer(row, labels[row.start], first))
    return PersonAnswers(found, sum(number for note, number in reading.noted if note == GREEDY))


def _answer(row: Edit | SuppressedSpan, label: str, first: int) -> TermAnswer:
    start, end = row.start - first, row.end - first
    if isinstance(row, SuppressedSpan):
        return TermAnswer(start, end, label, None, row.reason)
    return TermAnswer(start, end, label, row.replacement)


def _too_long(document: PersonDocument, rules: GeneralizeRules) -> Iterator[TermAnswer]:
    for piece in document.pieces:
        if rules.reading_of(piece.label) is not None:
            yield TermAnswer(piece.start, piece.end, piece.label, None, TOO_LONG)


def _spans_of(document: PersonDocument) -> tuple[Span, ...]:
    return document.spans


def _pieces_of(document: PersonDocument) -> tuple[Span, ...]:
    return document.pieces


def _moved(spans: Iterable[Span], at: int, start: int) -> Iterator[Span]:
    """Yield spans where they stand in a person's text; ids of annotations are those of one document each."""
    for span in spans:
        name = None if span.annotation_id is None else f"{at} {span.annotation_id}"
        yield span._replace(start=span.start + start, end=span.end + start, annotation_id=name)
