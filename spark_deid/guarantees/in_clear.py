"""Annotations of which edits leave something to read, document by document and by columns."""

from collections.abc import Iterator, Sequence

import numpy as np

from spark_deid.core.columns import Bools, Int64s, JoinedTexts, MarkedColumns
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.core.words import WORD, after_titles, characters_of

_LONG = 100
"""Characters of an annotation up to which it is looked up what titles it begins with."""


def labels_in_clear(
    text: str, annotations: Sequence[Span], edits: Sequence[LabelledEdit]
) -> Iterator[tuple[str, bool]]:
    """Yield the label of each annotation of which some word character stands outside all edits, and whether all do.

    Of annotations that edits touch, titles that they begin with do not count.

    >>> edits = [LabelledEdit(0, 4, "suppress", "[NAME]", "NAME")]
    >>> spans = [Span(0, 4, "NAME"), Span(3, 10, "PAIR"), Span(4, 5, "GAP"), Span(9, 10, "NAME")]
    >>> list(labels_in_clear("Dr A and B", spans, edits))
    [('PAIR', False), ('NAME', True)]
    """
    hidden = bytearray(len(text))
    for edit in edits:
        hidden[edit.start : edit.end] = b"\1" * (edit.end - edit.start)
    for start, end, label, *_ in annotations:
        if hidden.find(0, start, end) < 0:
            continue
        if hidden.find(1, start, end) < 0:
            if WORD.search(text, start, end):
                yield label, True
            continue
        letters = [place for place in range(after_titles(text, start, end), end) if WORD.match(text[place])]
        shown = [place for place in letters if not hidden[place]]
        if shown:
            yield label, len(shown) == len(letters)


def clear_columns(texts: JoinedTexts, annotations: MarkedColumns, edits: MarkedColumns) -> tuple[Bools, Bools]:
    """Tell of annotations what ``labels_in_clear`` tells: whether some word character is in clear, and whether all are.

    Edits are disjoint, and none is empty; all lies in its document.
    """
    codes = np.frombuffer(texts.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_word = characters_of(WORD)[codes]
    change = np.zeros(len(codes) + 1, np.int8)
    change[edits.starts] += 1
    change[edits.ends] -= 1
    is_hidden = np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)
    words, hidden, shown = _before(is_word), _before(is_hidden), _before(is_word & ~is_hidden)
    starts, ends = annotations.starts, annotations.ends
    touched = hidden[ends] - hidden[starts]
    in_clear = (touched == 0) & (words[ends] > words[starts])
    are_whole = in_clear.copy()
    partly = np.flatnonzero((touched > 0) & (touched < ends - starts))
    names = _after_titles(texts.text, starts[partly], ends[partly])
    left = shown[ends[partly]] - shown[names]
    in_clear[partly] = left > 0
    are_whole[partly] = (left > 0) & (left == words[ends[partly]] - words[names])
    return in_clear, are_whole


def _before(flags: Bools) -> Int64s:
    """Count the flags that are set before each place."""
    counts: Int64s = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=counts[1:])
    return counts


def _after_titles(text: str, starts: Int64s, ends: Int64s) -> Int64s:
    found = np.empty(len(starts), np.int64)
    sizes: dict[str, int] = {}
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        if end - start > _LONG:  # no copy of what may be half of the text
            found[row] = after_titles(text, start, end)
            continue
        if (surface := text[start:end]) not in sizes:
            sizes[surface] = after_titles(surface, 0, end - start)
        found[row] = start + sizes[surface]
    return found
