"""Whether edits cover spans: interval arithmetic of its own, apart from the code that makes edits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

Interval = tuple[int, int]
Placeholders = Mapping[str, Callable[[str], str]]
"""What techniques write for a label that says nothing of the original."""


class Faults(NamedTuple):
    """What is wrong with one document, or with many; all zero when nothing is.

    ``uncovered`` counts characters of spans outside every edit, ``overlapping`` edits that begin before another's end
    or leave their text, ``unchanged`` edits made of the original that put back what they replace, ``altered``
    documents whose published text is not the original with its edits, ``lost`` documents that are not published,
    ``foreign`` published documents that are not in the corpus, ``forgotten`` spans that were found and are not
    among what was decided.
    """

    documents: int = 0
    uncovered: int = 0
    overlapping: int = 0
    unchanged: int = 0
    altered: int = 0
    lost: int = 0
    foreign: int = 0
    forgotten: int = 0


class Replaced(NamedTuple):
    """An edit as the checker sees it."""

    start: int
    end: int
    technique: str
    replacement: str
    label: str = ""


def uncovered(spans: Iterable[Interval], edits: Iterable[Interval]) -> int:
    """Count characters that some span marks and no edit covers.

    >>> uncovered([(0, 4), (2, 8)], [(0, 3), (5, 6)])
    4
    """
    covered = _union(edits)
    return _length(_union([*spans, *covered])) - _length(covered)


def overlapping(edits: Iterable[Interval], length: int) -> int:
    """Count edits that begin before an earlier one ends, are empty, or leave a text of this length.

    >>> overlapping([(0, 3), (2, 5), (6, 6), (7, 9)], 8)
    3
    """
    count = 0
    reached = 0
    for start, end in sorted(edits):
        count += not reached <= start < end <= length
        reached = max(reached, end)
    return count


def is_exempt(source: str, exempt: Iterable[str]) -> bool:
    """Tell whether a span's source is a detector that is exempt from editing, or a detail of one.

    What nobody knows is not exempt: its spans must be covered.

    >>> is_exempt("gold", ("gold",)), is_exempt("golden/x", ("gold",)), is_exempt("patterns/date", ("patterns",))
    (True, False, True)
    """
    return any(source == name or source.startswith(f"{name}/") for name in exempt)


def unchanged(text: str, edits: Iterable[Replaced], placeholders: Placeholders) -> int:
    """Count edits whose replacement is what stood there.

    Those of the techniques ``placeholders`` are passed over, where they are the placeholder of their label, once or
    several times: that says nothing of the original, and may equal a ``[NAME]`` of the input that a detector marked.
    """
    return sum(text[e.start : e.end] == e.replacement and not _is_placeholder(e, placeholders) for e in edits)


def _is_placeholder(edit: "Replaced", placeholders: Placeholders) -> bool:
    """Tell whether an edit is a placeholder; where its label is not known its technique must do."""
    if edit.technique not in placeholders or not edit.label:
        return edit.technique in placeholders
    word = placeholders[edit.technique](edit.label)
    return word * (len(edit.replacement) // max(len(word), 1)) == edit.replacement


def is_faithful(text: str, published: str, edits: Sequence[Replaced]) -> bool:
    """Tell whether a published text is the original but for its edits; walks both from the left.

    >>> is_faithful("I am Ann.", "I am [NAME].", [Replaced(5, 8, "suppress", "[NAME]")])
    True
    """
    original = position = 0
    for start, end, _, replacement, _ in sorted(edits):
        kept = start - original
        if kept < 0 or not published.startswith(text[original:start] + replacement, position):
            return False
        position += kept + len(replacement)
        original = end
    return published[position:] == text[original:]


def faults_of(
    text: str | None,
    published: str | None,
    spans: Sequence[Interval],
    edits: Sequence[Replaced],
    placeholders: Placeholders,
) -> Faults:
    """Check one document; ``text`` is None where the corpus has none of its id, ``published`` where none is published.

    Spans and edits of an unknown document count as faults too: nothing shows what became of them. ``placeholders`` are
    the techniques that may put back what stood there.
    """
    intervals = [(edit.start, edit.end) for edit in edits]
    bare = uncovered(spans, intervals)
    if text is None:
        return Faults(uncovered=bare, overlapping=len(edits), foreign=int(published is not None))
    faults = Faults(1, bare, overlapping(intervals, len(text)), unchanged(text, edits, placeholders))
    if published is None:
        return faults._replace(lost=1)
    return faults._replace(altered=int(not is_faithful(text, published, edits)))


def add(one: Faults, other: Faults) -> Faults:
    """Add faults up.

    >>> add(Faults(documents=1, lost=1), Faults(documents=2))
    Faults(documents=3, uncovered=0, overlapping=0, unchanged=0, altered=0, lost=1, foreign=0, forgotten=0)
    """
    return Faults(*(a + b for a, b in zip(one, other, strict=True)))


def _union(intervals: Iterable[Interval]) -> list[Interval]:
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif start < end:
            joined.append((start, end))
    return joined


def _length(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)
