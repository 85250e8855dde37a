"""Before and after: stretches of text around edits. For the workspace alone: it shows originals."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.kinds import Change

CONTEXT = 80
GAP = "…"


class Piece(NamedTuple):
    """A stretch that was kept (``before`` is ``after``), or replaced."""

    before: str
    after: str
    is_edit: bool = False


class Excerpt(NamedTuple):
    """A document's edits with some text around each, and what techniques tell of what was lost."""

    doc_id: str
    pieces: tuple[Piece, ...]
    changes: tuple[Change, ...] = ()


def excerpt(
    doc_id: str, text: str, edits: Sequence[Edit], *, context: int = CONTEXT, changes: Sequence[Change] = ()
) -> Excerpt:
    """Cut a document down to its edits and at most ``context`` characters on either side.

    >>> excerpt("d", "I am Ann.", [Edit(5, 8, "suppress", "[NAME]")]).pieces[1]
    Piece(before='Ann', after='[NAME]', is_edit=True)
    """
    return Excerpt(doc_id, tuple(_pieces(text, sorted(edits), context)), tuple(changes))


def pieces_of(text: str, edits: Iterable[Edit | LabelledEdit]) -> tuple[Piece, ...]:
    """Cut a whole text at its edits. Raises EditError where these overlap or leave the text."""
    ordered = sorted(Edit(*edit[:4]) for edit in edits)
    apply_edits(text, ordered)
    return tuple(_pieces(text, ordered, len(text)))


def sides(pieces: Iterable[Piece]) -> tuple[str, str]:
    """Return the text before and after.

    >>> sides([Piece("I am ", "I am "), Piece("Ann", "[NAME]", True)])
    ('I am Ann', 'I am [NAME]')
    """
    pieces = tuple(pieces)
    return "".join(piece.before for piece in pieces), "".join(piece.after for piece in pieces)


def _pieces(text: str, edits: Sequence[Edit], context: int) -> Iterator[Piece]:
    position = 0
    for edit in edits:
        yield from _kept(text[position : edit.start], context, context if position else 0)
        yield Piece(text[edit.start : edit.end], edit.replacement, True)
        position = edit.end
    yield from _kept(text[position:], 0, context)


def _kept(stretch: str, before_edit: int, after_edit: int) -> Iterator[Piece]:
    """Shorten a stretch to what stands next to edits: the first and last so many characters."""
    if not stretch:
        return
    if len(stretch) > before_edit + after_edit + len(GAP):
        stretch = stretch[:after_edit] + GAP + (stretch[-before_edit:] if before_edit else "")
    yield Piece(stretch, stretch)
