"""Text with what was found in it, or what became of it, for notebooks: a fragment of HTML, styles included."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.report.excerpts import ExcerptPiece, MarkedStretch, pieces_of
from spark_deid.report.render import highlighted_edits, highlighted_spans


@dataclass(frozen=True)
class HighlightedText:
    """A text for notebooks. It contains originals, but its ``repr`` does not."""

    summary: str
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


def show(text: str | Document, spans: Iterable[Span] | None = None) -> HighlightedText:
    """Show a text with spans, or a document with its own spans.

    If spans overlap, each character shows the label that a decision would select.

    Args:
        text: A text or a document.
        spans: The spans, by default those of the document.

    Returns:
        The text, highlighted in a notebook. It contains originals.

    >>> show("Call Ann", [Span(5, 8, "NAME")])
    HighlightedText(summary='1 span in 8 characters')
    """
    whole = text.text if isinstance(text, Document) else text
    given = text.spans if isinstance(text, Document) and spans is None else spans or ()
    pieces = resolve_overlaps(whole, given)
    counts = sorted(Counter(piece.label for piece in pieces).items())
    legend = tuple((label, hue_of(label), count) for label, count in counts)
    summary = f"{_number(len(pieces), 'span')} in {_number(len(whole), 'character')}"
    return HighlightedText(summary, highlighted_spans(tuple(_marked(whole, pieces)), legend, summary))


def compare(before: str, edits: Iterable[Edit | LabelledEdit]) -> HighlightedText:
    """Show a text before and after edits, side by side.

    Args:
        before: The original text.
        edits: Disjoint edits, with offsets of the original.

    Returns:
        Both texts, highlighted in a notebook.

    Raises:
        EditError: Edits overlap or leave the text.

    >>> compare("Call Ann", [Edit(5, 8, "suppress", "[NAME]")])
    HighlightedText(summary='1 edit in 8 characters')
    """
    pieces: tuple[ExcerptPiece, ...] = pieces_of(before, edits)
    summary = f"{_number(sum(piece.is_edit for piece in pieces), 'edit')} in {_number(len(before), 'character')}"
    return HighlightedText(summary, highlighted_edits(pieces, summary))


def hue_of(label: str) -> int:
    """Return the hue of a label, the same everywhere.

    >>> hue_of("NAME") == hue_of("NAME"), 0 <= hue_of("DATE") < 360
    (True, True)
    """
    return int.from_bytes(hashlib.sha256(label.encode()).digest()[:4]) % 360


def _marked(text: str, pieces: Iterable[Span]) -> Iterator[MarkedStretch]:
    position = 0
    for piece in pieces:
        yield MarkedStretch(text[position : piece.start])
        score = "" if piece.score is None else f", score {piece.score:.2f}"
        yield MarkedStretch(text[piece.start : piece.end], piece.label, hue_of(piece.label), f"{piece.source}{score}")
        position = piece.end
    yield MarkedStretch(text[position:])


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
