"""Decide what becomes of one document: spans in, disjoint edits out that cover every marked character."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from spark_deid.core.adjacency import is_gap
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.span import Span, resolve_overlaps
from spark_deid.rewriting.rules import SUPPRESSION, PreparedRule, PreparedRules
from spark_deid.rewriting.suppress import SUPPRESS, suppress

RAISED, MALFORMED, UNCHANGED, LEFT_OUT = "raised", "malformed", "unchanged", "left-out"
"""Why a technique's span is suppressed: it raised an error, gave edits that can't stand, would put back what stood
there, or left the span out."""


class Decided(NamedTuple):
    """The edits of a document, and how many spans were suppressed in place of what their rule asked for.

    ``handed_back`` has rows of technique, reason and number of spans.
    """

    edits: tuple[LabelledEdit, ...]
    handed_back: tuple[tuple[str, str, int], ...] = ()


def decide(document: Document, spans: Iterable[Span], rules: PreparedRules) -> Decided:
    """Turn spans into disjoint edits that cover every marked character (contract, laws 1, 3 and 5).

    Each piece of text goes by the rule of the label that wins it. What a technique hands back, replaces by what stood
    there, or answers with anything else than edits of its own spans, is suppressed and counted. An edit of nothing but
    spaces between two pieces that become one placeholder goes with it.
    """
    groups: dict[PreparedRule, list[Span]] = {}
    for piece in resolve_overlaps(document.text, spans):
        groups.setdefault(rules.of(piece.label), []).append(piece)
    suppressed = groups.pop(SUPPRESSION, [])
    edits: list[LabelledEdit] = []
    handed_back: Counter[tuple[str, str]] = Counter()
    for rule, pieces in groups.items():
        made, left = _applied(rule, document, pieces)
        edits += made
        for reason, span in left:
            handed_back[rule.technique, reason] += 1
            suppressed.append(span)
    rows = tuple((technique, reason, count) for (technique, reason), count in sorted(handed_back.items()))
    return Decided(_together(_suppressed(document, suppressed), edits), rows)


def _suppressed(document: Document, spans: list[Span]) -> list[LabelledEdit]:
    """Suppress spans; the label of a placeholder is that of the span it begins with."""
    if not spans:
        return []
    spans.sort()
    labels = {span.start: span.label for span in spans}
    return [LabelledEdit(*edit, labels[edit.start]) for edit in suppress(document, spans)]


def _together(suppressed: list[LabelledEdit], others: list[LabelledEdit]) -> tuple[LabelledEdit, ...]:
    """Put edits in order; others may lie within the gaps of suppressed ones, and then go with them."""
    if not others:
        return tuple(suppressed)
    kept: list[LabelledEdit] = []
    for edit in sorted((*suppressed, *others)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def _applied(
    rule: PreparedRule, document: Document, pieces: Sequence[Span]
) -> tuple[list[LabelledEdit], list[tuple[str, Span]]]:
    """Apply a technique to disjoint spans in order; return the edits that can stand, and the other spans with why."""
    try:
        given = sorted(rule.apply(document, pieces) or ())
        edits = [Edit(int(start), int(end), rule.technique, replacement) for start, end, _, replacement in given]
    except Exception:  # a technique may fail at any text, and what it raises may quote it
        return [], [(RAISED, piece) for piece in pieces]
    return _standing(rule, document.text, pieces, edits)


def _standing(
    rule: PreparedRule, text: str, pieces: Sequence[Span], edits: Sequence[Edit]
) -> tuple[list[LabelledEdit], list[tuple[str, Span]]]:
    """Part edits that replace whole spans from others; of overlapping edits none stands."""
    begins = {piece.start: number for number, piece in enumerate(pieces)}
    ends = {piece.end: number for number, piece in enumerate(pieces)}
    overlapping = {edit for one, other in pairwise(edits) if other.start < one.end for edit in (one, other)}
    fate: dict[int, str] = {}
    made: list[LabelledEdit] = []
    for edit in edits:
        first, last = begins.get(edit.start), ends.get(edit.end)
        fits = first is not None and last is not None and first <= last and isinstance(edit.replacement, str)
        if first is None or last is None or not fits or edit in overlapping or not _in_one(text, pieces, first, last):
            fate |= {
                n: MALFORMED for n, piece in enumerate(pieces) if piece.start < edit.end and edit.start < piece.end
            }
        elif not rule.constant and text[edit.start : edit.end] == edit.replacement:
            fate |= dict.fromkeys(range(first, last + 1), UNCHANGED)
        else:
            fate |= dict.fromkeys(range(first, last + 1), "")
            made.append(LabelledEdit(*edit, pieces[first].label))
    bad = {number for number, reason in fate.items() if reason}
    standing = [edit for edit in made if bad.isdisjoint(range(begins[edit.start], ends[edit.end] + 1))]
    kept = {number for edit in standing for number in range(begins[edit.start], ends[edit.end] + 1)}
    left = [(fate.get(n) or LEFT_OUT, piece) for n, piece in enumerate(pieces) if n not in kept]
    return standing, left


def _in_one(text: str, pieces: Sequence[Span], first: int, last: int) -> bool:
    """Tell whether nothing but spaces stands between neighbouring spans that one edit takes."""
    return all(is_gap(text[one.end : other.start]) for one, other in pairwise(pieces[first : last + 1]))


__all__ = ["LEFT_OUT", "MALFORMED", "RAISED", "SUPPRESS", "UNCHANGED", "Decided", "decide"]
