"""Before and after: stretches of text around edits. For the workspace only: it shows originals."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.kinds import TermLoss
from spark_deid.core.span import Span
from spark_deid.core.words import WORD, after_titles

CONTEXT = 80
GAP = "…"
MISSED = "(missed)"
JOINT = ", "
"""Text between labels of one stretch."""


@dataclass(frozen=True)
class MarkedStretch:
    """A stretch of text; where something was found in it, its label, the label's hue, and by whom."""

    text: str
    label: str = ""
    hue: int = 0
    found: str = ""


class ExcerptPiece(NamedTuple):
    """A stretch that was kept (``before`` is ``after``), or replaced; ``is_missed`` where it is kept and annotated.

    ``label`` is that of the edit, or of the annotations, joined by commas.
    """

    before: str
    after: str
    is_edit: bool = False
    is_missed: bool = False
    label: str = ""

    @property
    def tells_label(self) -> bool:
        """Return whether what is after the edit names the label, as placeholders do."""
        return not self.label or (self.is_edit and self.label in self.after)


class DocumentExcerpt(NamedTuple):
    """A document's edits with some text around each, and what techniques reveal what was lost."""

    doc_id: str
    pieces: tuple[ExcerptPiece, ...]
    changes: tuple[TermLoss, ...] = ()

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels of its edits and of what was missed."""
        return frozenset(label for piece in self.pieces for label in piece.label.split(JOINT) if label)

    @property
    def is_leaking(self) -> bool:
        """Return whether something that is annotated remains."""
        return any(piece.is_missed for piece in self.pieces)


def labels_of(excerpts: Iterable[DocumentExcerpt]) -> tuple[tuple[str, int], ...]:
    """Return the labels of excerpts, sorted, each with the number of documents that have it.

    >>> labels_of([excerpt("d", "I am Ann.", [LabelledEdit(5, 8, "suppress", "[NAME]", "NAME")])])
    (('NAME', 1),)
    """
    return tuple(sorted(Counter(label for each in excerpts for label in each.labels).items()))


def excerpt(
    doc_id: str,
    text: str,
    edits: Sequence[Edit | LabelledEdit],
    *,
    annotations: Sequence[Span] = (),
    context: int = CONTEXT,
    changes: Sequence[TermLoss] = (),
) -> DocumentExcerpt:
    """Cut a document down to its edits, to what of annotations no edit touches, and to ``context`` beside these.

    ``context`` is the most characters that are shown on either side.

    >>> excerpt("d", "I am Ann.", [Edit(5, 8, "suppress", "[NAME]")]).pieces[1]
    ExcerptPiece(before='Ann', after='[NAME]', is_edit=True, is_missed=False, label='')
    >>> excerpt("d", "I am Ann.", [], annotations=[Span(5, 8, "NAME")]).pieces[1]
    ExcerptPiece(before='Ann', after='Ann', is_edit=False, is_missed=True, label='NAME')
    """
    stops = sorted((*map(_labelled, edits), *_missed(text, edits, annotations)))
    return DocumentExcerpt(doc_id, tuple(_pieces(text, stops, context)), tuple(changes))


def _labelled(edit: Edit | LabelledEdit) -> LabelledEdit:
    return edit if isinstance(edit, LabelledEdit) else LabelledEdit(*edit, label="")


def _missed(text: str, edits: Sequence[Edit | LabelledEdit], annotations: Sequence[Span]) -> Iterator[LabelledEdit]:
    """Yield the stretches with word characters that annotations mark and edits leave, as edits that change nothing."""
    clear = bytearray(len(text))
    for span in annotations:
        clear[span.start : span.end] = b"\1" * (span.end - span.start)
    for edit in edits:
        clear[edit.start : edit.end] = bytes(edit.end - edit.start)
    for stretch in re.finditer(b"\1+", clear):
        start, end = stretch.span()
        if WORD.search(text, start, end) and not _is_title(text, start, end, annotations):
            labels = sorted({span.label for span in annotations if span.start < end and start < span.end})
            yield LabelledEdit(start, end, MISSED, text[start:end], JOINT.join(labels))


def _is_title(text: str, start: int, end: int, annotations: Sequence[Span]) -> bool:
    """Tell whether a stretch is but the title before a name that is hidden: the report counts it as no leak either."""
    names = [span.end for span in annotations if span.start == start and end < span.end]
    return bool(names) and after_titles(text, start, max(names)) >= end


def pieces_of(text: str, edits: Iterable[Edit | LabelledEdit]) -> tuple[ExcerptPiece, ...]:
    """Cut a whole text at its edits. Raises EditError where these overlap or leave the text."""
    ordered = sorted(map(_labelled, edits))
    apply_edits(text, ordered)
    return tuple(_pieces(text, ordered, len(text)))


def _pieces(text: str, edits: Sequence[LabelledEdit], context: int) -> Iterator[ExcerptPiece]:
    position = 0
    for edit in edits:
        yield from _kept(text[position : edit.start], context, context if position else 0)
        is_missed = edit.technique == MISSED
        yield ExcerptPiece(text[edit.start : edit.end], edit.replacement, not is_missed, is_missed, edit.label)
        position = edit.end
    yield from _kept(text[position:], 0, context)


def _kept(stretch: str, before_edit: int, after_edit: int) -> Iterator[ExcerptPiece]:
    """Shorten a stretch to what is next to edits: the first and last that many characters."""
    if not stretch:
        return
    if len(stretch) > before_edit + after_edit + len(GAP):
        stretch = stretch[:after_edit] + GAP + (stretch[-before_edit:] if before_edit else "")
    yield ExcerptPiece(stretch, stretch)


# Documents of a release to search; ticks next to them are about all of it.


_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_-]{0,39}(?: \d+)?\]|\*{2,}")


class SampledStretch(NamedTuple):
    """A stretch of released text; ``is_placeholder`` where it is written as what represents removed text is."""

    text: str
    is_placeholder: bool


class SampledDocument(NamedTuple):
    """A released document, whole."""

    doc_id: str
    text: str

    @property
    def pieces(self) -> tuple[SampledStretch, ...]:
        """Cut the text at what looks like placeholders."""
        return tuple(_sampled_pieces(self.text))


class ReleaseSample(NamedTuple):
    """Documents of a release; ``number`` is that of all, ``digest`` what they were drawn by, ``draw`` counts from 1.

    ``bounds`` has, for each number of documents that are ticked, the most of all, as a share, that are like them, with
    a confidence.
    """

    documents: tuple[SampledDocument, ...]
    number: int
    digest: str
    draw: int
    confidence: float
    bounds: tuple[float, ...]


def _sampled_pieces(text: str) -> Iterator[SampledStretch]:
    position = 0
    for match in _PLACEHOLDER.finditer(text):
        yield SampledStretch(text[position : match.start()], False)
        yield SampledStretch(match[0], True)
        position = match.end()
    yield SampledStretch(text[position:], False)
