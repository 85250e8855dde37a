"""Which of overlapping spans wins, and what remains of the others: of all that was found, disjoint spans."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from operator import itemgetter, le

from spark_deid.core.span import Span


def priority(span: Span) -> tuple[int, float, int, str, str]:
    """Return the sort key of law 1: longest first, then score (null last), start, label, source."""
    score = float("-inf") if span.score is None else span.score
    return (span.start - span.end, -score, span.start, span.label, span.source)


def resolve_overlaps(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Make spans disjoint so that every marked character remains marked exactly once (contract, law 1).

    The winner takes the overlap and what remains of the other remains a separate span; a remainder without a
    word character joins the span it touches. Returned in order of start.

    >>> resolve_overlaps("Dr. John Smith", [Span(0, 8, "TITLE"), Span(4, 14, "NAME")])
    (Span(start=0, end=4, label='TITLE', score=None, source='', annotation_id=None), \
Span(start=4, end=14, label='NAME', score=None, source='', annotation_id=None))
    """
    given = sorted(set(spans), key=itemgetter(0))
    if all(map(le, map(itemgetter(1), given), map(itemgetter(0), given[1:]))):
        return tuple(given)
    ordered = sorted(given, key=priority)
    pieces: list[Span] = []
    for component in _components(ordered):
        pieces.extend(component if len(component) == 1 else _resolve_component(text, component))
    return tuple(sorted(pieces, key=lambda s: s.start))


def _components(ordered: Sequence[Span]) -> list[list[Span]]:
    """Group spans that overlap directly or through others; each group keeps the order of priority."""
    groups: list[tuple[int, list[int]]] = []
    for index in sorted(range(len(ordered)), key=lambda i: ordered[i].start):
        span = ordered[index]
        if groups and span.start < groups[-1][0]:
            end, members = groups[-1]
            members.append(index)
            groups[-1] = (max(end, span.end), members)
        else:
            groups.append((span.end, [index]))
    return [[ordered[i] for i in sorted(members)] for _, members in groups]


def _resolve_component(text: str, spans: Sequence[Span]) -> list[Span]:
    if all(spans[0].start <= span.start and span.end <= spans[0].end for span in spans):
        return [spans[0]]  # as detectors often find the same
    pieces: list[Span] = []
    owners: list[int] = []
    for start, end, owner in _owned(spans):
        if owners and owners[-1] == owner:
            pieces[-1] = pieces[-1]._replace(end=end)
        else:
            pieces.append(spans[owner]._replace(start=start, end=end))
            owners.append(owner)
    return _absorb_marks(text, pieces)


def _owned(spans: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Yield where each stretch between borders starts and ends, and the first of the spans, in their order, over it."""
    order = sorted(range(len(spans)), key=lambda index: spans[index].start)
    borders = sorted({border for span in spans for border in (span.start, span.end)})
    over: list[int] = []
    begun = 0
    for start, end in pairwise(borders):
        while begun < len(order) and spans[order[begun]].start <= start:
            heappush(over, order[begun])
            begun += 1
        while spans[over[0]].end <= start:
            heappop(over)
        yield start, end, over[0]


def _absorb_marks(text: str, pieces: list[Span]) -> list[Span]:
    """Join pieces without a word character to the neighbour of the higher priority; pieces touch each other."""
    result: list[Span] = []
    pending: int | None = None
    for piece in pieces:
        if not any(c.isalnum() or c == "_" for c in text[piece.start : piece.end]):
            if result:
                result[-1] = result[-1]._replace(end=piece.end)
            elif pending is None:
                pending = piece.start
            last_wordless = piece
            continue
        start = piece.start if pending is None else pending
        pending = None
        result.append(piece._replace(start=start))
    if not result:
        return [last_wordless._replace(start=pieces[0].start, end=pieces[-1].end)]
    return result


# Join neighbouring suppressions of one label into one (contract, law 3).


FIELD_BREAKS = frozenset("\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")
"""What parts lines, and fields of a line."""
JOINED_OVER = "at most two spaces"
"""The law in words: trainings record it, and what one by another law counted shows nothing of releases."""
_MOST_SPACES = 2


def join_adjacent(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    r"""Join disjoint spans of one label that touch or stand apart by one or two spaces.

    The result is in order of start and keeps start, end and label only, since a joined piece has several sources.
    Joining again, or joining after more spans were added, gives what joining all at once gives.

    >>> spans = [Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(8, 11, "NAME")]
    >>> [(span.start, span.end) for span in join_adjacent("Ann Lee\tBob", spans)]
    [(0, 7), (8, 11)]
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and joined[-1].label == span.label and is_gap(text[joined[-1].end : span.start]):
            joined[-1] = Span(joined[-1].start, span.end, span.label)
        else:
            joined.append(Span(span.start, span.end, span.label))
    return tuple(joined)


def is_gap(between: str) -> bool:
    """Return whether the text between two pieces joins them: nothing, or one or two spaces; fields are never joined.

    >>> [is_gap(between) for between in ("", "  ", "   ", "\\t", ",")]
    [True, True, False, False, False]
    """
    return not between or (len(between) <= _MOST_SPACES and between.isspace() and FIELD_BREAKS.isdisjoint(between))
