"""Before and after: stretches of text around edits. For the workspace alone: it shows originals."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.kinds import TermLoss
from spark_deid.core.span import Span
from spark_deid.core.words import WORD

CONTEXT = 80
GAP = "…"
MISSED = "(missed)"


class ExcerptPiece(NamedTuple):
    """A stretch that was kept (``before`` is ``after``), or replaced; ``is_missed`` where it is kept and annotated."""

    before: str
    after: str
    is_edit: bool = False
    is_missed: bool = False


class DocumentExcerpt(NamedTuple):
    """A document's edits with some text around each, and what techniques tell of what was lost."""

    doc_id: str
    pieces: tuple[ExcerptPiece, ...]
    changes: tuple[TermLoss, ...] = ()


def excerpt(
    doc_id: str,
    text: str,
    edits: Sequence[Edit],
    *,
    annotations: Sequence[Span] = (),
    context: int = CONTEXT,
    changes: Sequence[TermLoss] = (),
) -> DocumentExcerpt:
    """Cut a document down to its edits, to what of annotations no edit touches, and to ``context`` beside these.

    ``context`` is the most characters that are shown on either side.

    >>> excerpt("d", "I am Ann.", [Edit(5, 8, "suppress", "[NAME]")]).pieces[1]
    ExcerptPiece(before='Ann', after='[NAME]', is_edit=True, is_missed=False)
    >>> excerpt("d", "I am Ann.", [], annotations=[Span(5, 8, "NAME")]).pieces[1]
    ExcerptPiece(before='Ann', after='Ann', is_edit=False, is_missed=True)
    """
    stops = sorted((*edits, *_missed(text, edits, annotations)))
    return DocumentExcerpt(doc_id, tuple(_pieces(text, stops, context)), tuple(changes))


def _missed(text: str, edits: Sequence[Edit], annotations: Iterable[Span]) -> Iterator[Edit]:
    """Yield the stretches with word characters that annotations mark and edits leave, as edits that change nothing."""
    clear = bytearray(len(text))
    for span in annotations:
        clear[span.start : span.end] = b"\1" * (span.end - span.start)
    for edit in edits:
        clear[edit.start : edit.end] = bytes(edit.end - edit.start)
    for stretch in re.finditer(b"\1+", clear):
        start, end = stretch.span()
        if WORD.search(text, start, end):
            yield Edit(start, end, MISSED, text[start:end])


def pieces_of(text: str, edits: Iterable[Edit | LabelledEdit]) -> tuple[ExcerptPiece, ...]:
    """Cut a whole text at its edits. Raises EditError where these overlap or leave the text."""
    ordered = sorted(Edit(*edit[:4]) for edit in edits)
    apply_edits(text, ordered)
    return tuple(_pieces(text, ordered, len(text)))


def _pieces(text: str, edits: Sequence[Edit], context: int) -> Iterator[ExcerptPiece]:
    position = 0
    for edit in edits:
        yield from _kept(text[position : edit.start], context, context if position else 0)
        is_missed = edit.technique == MISSED
        yield ExcerptPiece(text[edit.start : edit.end], edit.replacement, not is_missed, is_missed)
        position = edit.end
    yield from _kept(text[position:], 0, context)


def _kept(stretch: str, before_edit: int, after_edit: int) -> Iterator[ExcerptPiece]:
    """Shorten a stretch to what stands next to edits: the first and last so many characters."""
    if not stretch:
        return
    if len(stretch) > before_edit + after_edit + len(GAP):
        stretch = stretch[:after_edit] + GAP + (stretch[-before_edit:] if before_edit else "")
    yield ExcerptPiece(stretch, stretch)
