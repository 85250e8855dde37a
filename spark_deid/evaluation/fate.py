"""What became of gold spans, and of the words outside them, under a set of edits."""

from collections.abc import Iterable
from dataclasses import dataclass

from spark_deid.core.edit import Edit
from spark_deid.core.span import Span
from spark_deid.evaluation.mentions import Words, mentions


@dataclass(frozen=True)
class Fate:
    """Count gold mentions by fate and words outside gold; ``+`` adds documents.

    ``edited``: an edit touches every word of the mention; ``partly``: it keeps an unedited word; ``untouched``: it
    keeps them all. A mention without a word is edited where an edit touches it. ``published``, of ``outside`` words
    that no gold span touches, are those that no edit touches either.
    """

    edited: int = 0
    partly: int = 0
    untouched: int = 0
    outside: int = 0
    published: int = 0

    def __add__(self, other: "Fate") -> "Fate":
        return Fate(
            self.edited + other.edited,
            self.partly + other.partly,
            self.untouched + other.untouched,
            self.outside + other.outside,
            self.published + other.published,
        )


def gold_fate(text: str, gold: Iterable[Span], edits: Iterable[Edit]) -> Fate:
    """Count the fate of a document's gold mentions and of its other words.

    >>> gold_fate("Ann Lee sees Bo.", [Span(0, 7, "NAME"), Span(13, 15, "NAME")], [Edit(0, 3, "suppress", "[NAME]")])
    Fate(edited=0, partly=1, untouched=1, outside=1, published=1)
    """
    words = Words(text)
    whole = mentions(gold)
    intervals = [(edit.start, edit.end) for edit in edits]
    edited = words.touched_by(intervals)
    inside = words.touched_by((s.start, s.end) for mention in whole for s in mention)
    fates = [_fate(words, mention, edited, intervals) for mention in whole]
    outside = frozenset(range(len(words))) - inside
    return Fate(
        fates.count("edited"), fates.count("partly"), fates.count("untouched"), len(outside), len(outside - edited)
    )


def _fate(words: Words, mention: tuple[Span, ...], edited: frozenset[int], intervals: list[tuple[int, int]]) -> str:
    needed = words.touched_by((s.start, s.end) for s in mention)
    if not needed:
        touched = any(start < s.end and s.start < end for s in mention for start, end in intervals)
        return "edited" if touched else "untouched"
    if needed <= edited:
        return "edited"
    return "partly" if needed & edited else "untouched"
