"""Labelled documents as a release shows them: gold offsets moved to the published text."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, join_pieces
from spark_deid.core.words import count_words
from spark_deid.greedy.game_documents import GameDocument, remaining_gold
from spark_deid.rewriting.registry import writes_placeholders
from spark_deid.text.view import TextView


class LabelledOriginal(NamedTuple):
    """A labelled document before its release, and the edits that it was released with."""

    document: Document
    edits: tuple[Edit, ...]


class LabelWords(NamedTuple):
    """How many words annotations of one label have, and how many of these edits left, if in part."""

    sensitive: int
    residual: int


class PublishedDocument(NamedTuple):
    """A document as attackers meet it, and how many words it had.

    All, those that no edit touches, those of gold annotations, and of these the ones that edits left, if in part; the
    last two for each label as well, where a word of two labels counts for both.
    """

    case: GameDocument
    words: int
    published_words: int
    sensitive_words: int
    residual_words: int
    labels: Mapping[str, LabelWords] = MappingProxyType({})


class MovedOffsets:
    """Move offsets of an original text to the text that edits made of it."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = tuple(sorted(edits))
        self._ends = [edit.end for edit in self._edits]
        grown = (len(edit.replacement) - (edit.end - edit.start) for edit in self._edits)
        self._shifts = [0, *accumulate(grown)]

    def __call__(self, offset: int) -> int:
        """Return where an offset outside edits, or on the border of one, went: behind the edits that end before it.

        >>> move = MovedOffsets([Edit(0, 3, "suppress", "[NAME]")])
        >>> [move(3), move(10)]
        [6, 13]
        """
        return offset + self._shifts[bisect_right(self._ends, offset)]

    def replacements(self) -> tuple[tuple[int, int, Edit], ...]:
        """Return where each replacement is in the new text, in order."""
        starts = (edit.start + shift for edit, shift in zip(self._edits, self._shifts, strict=False))
        return tuple(
            (start, start + len(edit.replacement), edit) for start, edit in zip(starts, self._edits, strict=True)
        )


def publish(original: LabelledOriginal, labels: Sequence[str] | None) -> PublishedDocument:
    """Show a document as its release does, with what remains of its gold annotations.

    What suppression and its like write are placeholders: no instances, and known as such to publisher and attacker
    alike. Other replacements look like text, and are instances that are not sensitive. ``labels`` names what is
    sensitive, None represents every label.
    """
    document, edits = original
    text = document.text
    gold = tuple(span for span in document.spans if labels is None or span.label in labels)
    pieces = resolve_overlaps(text, gold)
    residual = remaining_gold(text, pieces, [Span(edit.start, edit.end, "") for edit in sorted(edits)])
    move = MovedOffsets(edits)
    moved = tuple(span._replace(start=move(span.start), end=move(span.end - 1) + 1) for span in residual)
    released = apply_edits(text, edits)
    hidden = tuple(
        Span(start, end, edit.replacement)
        for start, end, edit in move.replacements()
        if writes_placeholders(edit.technique) and start < end
    )
    group = f"document {document.doc_id}" if document.subject_id is None else f"subject {document.subject_id}"
    words, published = count_words(text, [(edit.start, edit.end) for edit in edits])
    return PublishedDocument(
        case=GameDocument(
            document.doc_id,
            group,
            join_pieces(moved),
            resolve_overlaps(released, moved),
            (),
            TextView(released).remove(hidden),
        ),
        words=words,
        published_words=published,
        sensitive_words=_touched_words(text, pieces),
        residual_words=_touched_words(text, residual),
        labels={label: _words_of(text, label, gold, residual) for label in {span.label for span in gold}},
    )


def _words_of(text: str, label: str, gold: Sequence[Span], residual: Sequence[Span]) -> LabelWords:
    own = ([span for span in spans if span.label == label] for spans in (gold, residual))
    return LabelWords(*(_touched_words(text, resolve_overlaps(text, spans)) for spans in own))


def _touched_words(text: str, spans: Sequence[Span]) -> int:
    words, untouched = count_words(text, [(span.start, span.end) for span in spans])
    return words - untouched
