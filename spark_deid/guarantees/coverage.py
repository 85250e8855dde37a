"""Whether edits cover spans: interval arithmetic of its own, apart from the code that makes edits."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_deid.guarantees.disclosure import tells_original
from spark_deid.guarantees.fields import count_overreaching
from spark_deid.guarantees.syntax import count_broken, hides_whole

Interval = tuple[int, int]
Marked = tuple[int, int, str]
"""Where a span begins and ends, and its label."""
Placeholders = Mapping[str, Callable[[str], str]]
"""What techniques write for a label that says nothing of the original."""
SUPPRESS, _REMOVED, _STAR = "suppress", "[REMOVED]", "★"


class CoverageFaults(NamedTuple):
    """What is wrong with one document, or with many; all zero when nothing is.

    ``uncovered`` counts characters of spans outside every edit, ``overlapping`` edits that begin before another's end
    or leave their text, ``unchanged`` edits that put back what they replace, ``unexpected`` placeholders that are not
    those of the labels of spans they cover, ``telling`` edits that tell what they replace, ``overreaching``
    suppressions that join more than they may (``guarantees.fields``), ``altered`` documents whose published text is not
    the original with its edits, ``lost`` documents that are not published, ``foreign`` published
    documents that are not in the corpus, ``forgotten`` spans that were found and are not among what was decided,
    ``broken`` parts in JSON, HL7 or CSV that no longer parse (``guarantees.syntax``).
    """

    documents: int = 0
    uncovered: int = 0
    overlapping: int = 0
    unchanged: int = 0
    unexpected: int = 0
    telling: int = 0
    overreaching: int = 0
    altered: int = 0
    lost: int = 0
    foreign: int = 0
    forgotten: int = 0
    broken: int = 0


class CheckedEdit(NamedTuple):
    """An edit as the checker sees it."""

    start: int
    end: int
    technique: str
    replacement: str
    label: str = ""


def count_uncovered(spans: Iterable[Interval], edits: Iterable[Interval]) -> int:
    """Count characters that some span marks and no edit covers.

    >>> count_uncovered([(0, 4), (2, 8)], [(0, 3), (5, 6)])
    4
    """
    covered = _union(edits)
    return _length(_union([*spans, *covered])) - _length(covered)


def count_overlapping(edits: Iterable[Interval], length: int) -> int:
    """Count edits that begin before an earlier one ends, are empty, or leave a text of this length.

    >>> count_overlapping([(0, 3), (2, 5), (6, 6), (7, 9)], 8)
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


def count_unchanged_edits(
    text: str, edits: Iterable[CheckedEdit], placeholders: Placeholders, listed: Collection[str] = ()
) -> int:
    """Count edits whose replacement is what stood there.

    A technique that writes placeholders may put back a word that is ``listed``, which stands for what was removed
    before, and stars.
    """
    return sum(
        text[e.start : e.end] == e.replacement
        and not (e.technique in placeholders and (e.replacement in listed or not e.replacement.strip(_STAR)))
        for e in edits
    )


def count_telling(
    text: str, edits: Iterable[CheckedEdit], placeholders: Placeholders, recounted: Collection[str]
) -> int:
    """Count edits that write something else, from which what stood there can be read off (``guarantees.disclosure``).

    Looked at are techniques that write no placeholders and are not ``recounted`` by a guarantee of their own.
    """
    return sum(
        e.technique not in placeholders
        and e.technique not in recounted
        and text[e.start : e.end] != e.replacement
        and tells_original(text[e.start : e.end], e.replacement)
        for e in edits
    )


def count_unexpected(
    text: str, marked: Sequence[Marked], edits: Sequence[CheckedEdit], placeholders: Placeholders
) -> int:
    """Count placeholders that no label of the spans below them has, and other edits that say another label.

    What is expected is made of the spans alone, not of what the edit says: of the label of a span that lies in the edit
    or crosses it, or ``[REMOVED]`` where that is the very text. Of edits without a label nothing more is expected.

    >>> count_unexpected("Ann", [(0, 3, "NAME")], [CheckedEdit(0, 3, "suppress", "[Ann]")], {"suppress": "[{}]".format})
    1
    """
    begins: dict[int, list[str]] = {}
    for start, _, label in marked:
        begins.setdefault(start, []).append(label)
    doubtful = []
    for edit in edits:
        if not is_of_one(edit, begins.get(edit.start, ()), placeholders):
            doubtful.append(edit)
    count = 0
    for edit, below in _with_labels_below(doubtful, marked):
        if not below:  # nothing was marked, so nothing had to be hidden
            continue
        if edit.technique == SUPPRESS and edit.replacement == _REMOVED:
            count += text[edit.start : edit.end] not in {f"[{label}]" for label in below}
        else:
            count += not is_of_one(edit, below, placeholders)
    return count


def is_of_one(edit: CheckedEdit, labels: Collection[str], placeholders: Placeholders) -> bool:
    """Tell whether an edit is of one of these labels: writes its placeholder or, where it writes none, says so."""
    write = placeholders.get(edit.technique)
    if write is None:
        return edit.label in labels or not edit.label
    return any(_consists_of(edit, write(label)) for label in labels)


def _with_labels_below(
    edits: list[CheckedEdit], marked: Sequence[Marked]
) -> Iterator[tuple[CheckedEdit, Collection[str]]]:
    """Yield disjoint edits, in order, each with the labels of the spans that it touches; goes once through both."""
    begun = sorted(marked, reverse=True) if edits else []
    ended = sorted((end, label) for _, end, label in marked) if edits else []
    open_labels: Counter[str] = Counter()
    place = 0
    for edit in sorted(edits):
        while begun and begun[-1][0] < edit.end:
            open_labels[begun.pop()[2]] += 1
        while place < len(ended) and ended[place][0] <= edit.start:
            open_labels[ended[place][1]] -= 1
            place += 1
        yield edit, {label for label, number in open_labels.items() if number}


def _consists_of(edit: CheckedEdit, word: str) -> bool:
    """Tell whether an edit writes a word: once, or several times where the technique is not suppression."""
    if edit.replacement == word or edit.technique == SUPPRESS:
        return edit.replacement == word
    return bool(word) and word * (len(edit.replacement) // len(word)) == edit.replacement


def is_faithful(text: str, published: str, edits: Sequence[CheckedEdit]) -> bool:
    """Tell whether a published text is the original but for its edits; walks both from the left.

    >>> is_faithful("I am Ann.", "I am [NAME].", [CheckedEdit(5, 8, "suppress", "[NAME]")])
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
    spans: Sequence[Marked],
    edits: Sequence[CheckedEdit],
    placeholders: Placeholders,
    listed: Collection[str] = (),
    recounted: Collection[str] = (),
    keeps_syntax: bool = True,
) -> CoverageFaults:
    """Check one document; ``text`` is None where the corpus has none of its id, ``published`` where none is published.

    Spans and edits of an unknown document count as faults too: nothing shows what became of them. ``placeholders`` are
    what techniques write for labels, ``listed`` the words that these may put back, and ``recounted`` the techniques
    whose replacements another guarantee checks. If the plan ``keeps_syntax``, JSON, HL7 and CSV must parse.
    """
    intervals = [(edit.start, edit.end) for edit in edits]
    bare = count_uncovered(((start, end) for start, end, _ in spans), intervals)
    if text is None:
        return CoverageFaults(uncovered=bare, overlapping=len(edits), foreign=int(published is not None))
    faults = CoverageFaults(
        1,
        bare,
        count_overlapping(intervals, len(text)),
        count_unchanged_edits(text, edits, placeholders, listed),
        count_unexpected(text, spans, edits, placeholders),
        count_telling(text, edits, placeholders, recounted),
        count_overreaching(
            text,
            [mark[:2] for mark in spans],
            [edit[:2] for edit in edits if edit.technique == SUPPRESS and not hides_whole(text, edit.start, edit.end)],
            finds_more=bool(recounted),
        ),
        broken=count_broken(text, edits) if keeps_syntax and not count_overlapping(intervals, len(text)) else 0,
    )
    if published is None:
        return faults._replace(lost=1)
    return faults._replace(altered=int(not is_faithful(text, published, edits)))


def add_faults(one: CoverageFaults, other: CoverageFaults) -> CoverageFaults:
    """Add faults up.

    >>> add_faults(CoverageFaults(1, lost=1), CoverageFaults(2)) == CoverageFaults(3, lost=1)
    True
    """
    return CoverageFaults(*(a + b for a, b in zip(one, other, strict=True)))


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
