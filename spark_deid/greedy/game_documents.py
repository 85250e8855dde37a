"""Labelled documents as the loop plays them: what is gold, what was found so far, what remains to find."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, join_pieces
from spark_deid.core.words import WORD
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.game.counts import Offsets, tell_touched
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView


class DocumentInstances(NamedTuple):
    """The instances of a document at the start: its word tokens, and which of them are sensitive."""

    starts: Offsets
    ends: Offsets
    sensitive: Bools

    def touched(self, spans: Iterable[Span]) -> Bools:
        """Return which instances a span touches."""
        return tell_touched(self.starts, self.ends, ((span.start, span.end) for span in spans))


@dataclass(frozen=True, repr=False)
class GameDocument:
    """One document of the game.

    ``whole`` are the annotations to be found, as hulls; ``gold`` the characters they mark, disjoint. ``found`` holds
    what detectors and rounds found so far, and ``view`` the text without it. ``auxiliary`` are spans that are not to be
    found and that learners may train on.
    """

    doc_id: str
    group: str
    whole: tuple[Span, ...]
    gold: tuple[Span, ...]
    found: tuple[Span, ...]
    view: TextView
    auxiliary: tuple[Span, ...] = ()

    @property
    def example(self) -> TrainingExample:
        """What the next round learns from."""
        text, removed = self.view.text, self.view.removed
        return TrainingExample(
            self.doc_id,
            self.view,
            remaining_gold(text, self.gold, removed),
            remaining_gold(text, self.auxiliary, removed),
        )

    def without(self, spans: tuple[Span, ...]) -> "GameDocument":
        """Return the case after one more round found these spans."""
        return replace(self, found=(*self.found, *spans), view=self.view.remove(spans))


def begin_cases(documents: Sequence[Document], config: TrainConfig) -> tuple[tuple[str, ...], tuple[GameDocument, ...]]:
    """Return the labels that are removed, sorted, and a case per document.

    Raises UsageError where a label has no annotation, or where fewer than two groups of documents are there.
    """
    present = {span.label for document in documents for span in document.spans}
    labels = present if config.labels is None else set(config.labels)
    if not labels or labels - present:
        raise UsageError(f"labels: {_missing(labels, present, len(documents))}")
    if set(config.auxiliary) - present:
        raise UsageError(f"auxiliary: {_missing(set(config.auxiliary), present, len(documents))}")
    cases = tuple(_case(document, labels, config) for document in documents)
    if len({case.group for case in cases}) < 2:
        raise UsageError("input: expected labelled documents of at least two subjects, or two documents without one")
    return tuple(sorted(labels)), cases


def _missing(labels: set[str], present: set[str], documents: int) -> str:
    missing = ", ".join(sorted(labels - present)) or "any label"
    known = ", ".join(sorted(present)) or "none at all"
    return f"no annotation of {missing} in {documents} documents. They have {known}"


def remaining_gold(text: str, gold: Iterable[Span], removed: Sequence[Span]) -> tuple[Span, ...]:
    """Return what of the gold spans was not removed: only where a word remains, and from word to word where it was cut.

    ``removed`` is disjoint and in order.

    >>> remaining_gold("Ana de la Cruz", [Span(0, 14, "NAME")], [Span(4, 9, "NAME")])
    (Span(start=0, end=3, label='NAME', score=None, source='', annotation_id=None), \
Span(start=10, end=14, label='NAME', score=None, source='', annotation_id=None))
    """
    starts, ends = [piece.start for piece in removed], [piece.end for piece in removed]
    kept: list[Span] = []
    for span in gold:
        inside = slice(bisect_right(ends, span.start), bisect_left(starts, span.end))
        begins, stops = (span.start, *ends[inside]), (*starts[inside], span.end)
        for start, end in zip(begins, stops, strict=True):
            kept.extend(_trimmed(text, span, start, end))
    return tuple(kept)


def _case(document: Document, labels: set[str], config: TrainConfig) -> GameDocument:
    spans = [s for s in document.spans if s.label in labels]
    found = config.patterns.detect(document.text)
    group = f"document {document.doc_id}" if document.subject_id is None else f"subject {document.subject_id}"
    return GameDocument(
        doc_id=document.doc_id,
        group=group,
        whole=join_pieces(spans),
        gold=resolve_overlaps(document.text, spans),
        found=found,
        view=initial_view(document.text, config.placeholders, found),
        auxiliary=resolve_overlaps(document.text, [s for s in document.spans if s.label in config.auxiliary]),
    )


def _trimmed(text: str, span: Span, start: int, end: int) -> Iterable[Span]:
    words = [match.span() for match in WORD.finditer(text, start, max(start, end))]
    if words:
        first = start if start == span.start else words[0][0]
        yield span._replace(start=first, end=end if end == span.end else words[-1][1])


# The view with which the rounds begin: listed placeholders and pattern detections are removed first.


def find_placeholders(text: str, placeholders: Sequence[str]) -> tuple[Span, ...]:
    """Find the words that are in the input for what was removed before; each word is a separate class.

    >>> find_placeholders("Dr. [NAME] came", ["[NAME]"])
    (Span(start=4, end=10, label='[NAME]', score=None, source='placeholder', annotation_id=None),)
    """
    if not placeholders:
        return ()
    longest_first = sorted(set(placeholders), key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return tuple(Span(m.start(), m.end(), m.group(), source="placeholder") for m in pattern.finditer(text))


def initial_view(text: str, placeholders: Sequence[str], found: Sequence[Span]) -> TextView:
    """Return the view of the first round; ``found`` are other detectors' spans, which win over placeholders (law 2)."""
    words = find_placeholders(text, placeholders)
    if not words and not found:
        return TextView(text)
    starts, ends = (np.array([word[side] for word in words], np.int32) for side in (0, 1))
    covered = tell_touched(starts, ends, ((span.start, span.end) for span in found))
    return TextView(text).remove((*found, *(word for word, hidden in zip(words, covered, strict=True) if not hidden)))
