"""Join neighbouring suppressions of one label into one (contract, law 3)."""

from collections.abc import Iterable

from spark_deid.core.span import Span

FIELD_BREAKS = frozenset("\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")
"""What parts lines, and fields of a line."""
JOINED_OVER = "at most two spaces"
"""The law in words: trainings record it, and what one by another law counted tells nothing of releases."""
_MOST_SPACES = 2


def join_adjacent(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    r"""Join disjoint spans of one label that touch or stand apart by one or two spaces.

    The result is in order of start and keeps start, end and label alone, since a joined piece has several sources.
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
    """Tell whether what stands between two pieces joins them: nothing, or one or two spaces; fields stay apart.

    >>> [is_gap(between) for between in ("", "  ", "   ", "\\t", ",")]
    [True, True, False, False, False]
    """
    return not between or (len(between) <= _MOST_SPACES and between.isspace() and FIELD_BREAKS.isdisjoint(between))
