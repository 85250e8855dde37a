"""Counts of gold mentions, and of words outside them, by what a set of edits makes of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from spark_deid.core.edit import Edit
from spark_deid.core.span import Span
from spark_deid.evaluation.mentions import Words, mentions


@dataclass(frozen=True)
class MentionCounts:
    """Gold mentions by how far edits touch them, and words outside gold; ``+`` adds documents.

    ``edited``: an edit touches every word of the mention; ``partly``: it keeps an unedited word; ``untouched``: it
    keeps them all. A mention without a word is edited where an edit touches it. ``published``, of ``outside`` words
    that no gold span touches, are those that no edit touches either.
    """

    edited: int = 0
    partly: int = 0
    untouched: int = 0
    outside: int = 0
    published: int = 0

    def __add__(self, other: "MentionCounts") -> "MentionCounts":
        return MentionCounts(
            self.edited + other.edited,
            self.partly + other.partly,
            self.untouched + other.untouched,
            self.outside + other.outside,
            self.published + other.published,
        )


def count_mentions(text: str, gold: Iterable[Span], edits: Iterable[Edit]) -> MentionCounts:
    """Count a document's gold mentions by how far edits touch them, and its other words.

    >>> gold = Span(0, 7, "NAME"), Span(13, 15, "NAME")
    >>> count_mentions("Ann Lee sees Bo.", gold, [Edit(0, 3, "suppress", "[NAME]")])
    MentionCounts(edited=0, partly=1, untouched=1, outside=1, published=1)
    """
    words = Words(text)
    whole = mentions(gold)
    intervals = [(edit.start, edit.end) for edit in edits]
    edited = words.touched_by(intervals)
    inside = words.touched_by((s.start, s.end) for mention in whole for s in mention)
    states = [_state(words, mention, edited, intervals) for mention in whole]
    outside = frozenset(range(len(words))) - inside
    return MentionCounts(
        states.count("edited"), states.count("partly"), states.count("untouched"), len(outside), len(outside - edited)
    )


def _state(words: Words, mention: tuple[Span, ...], edited: frozenset[int], intervals: list[tuple[int, int]]) -> str:
    needed = words.touched_by((s.start, s.end) for s in mention)
    if not needed:
        touched = any(start < s.end and s.start < end for s in mention for start, end in intervals)
        return "edited" if touched else "untouched"
    if needed <= edited:
        return "edited"
    return "partly" if needed & edited else "untouched"
