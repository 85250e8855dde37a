"""Counts of one document or of many: a value with ``+``, so that partitions can count apart."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.span import Span, join_pieces
from spark_deid.core.words import word_borders

# Mentions and the word tokens that they touch: what scores consist of.


class WordOffsets:
    r"""Index the word tokens (``\w+``) of a text by offset.

    >>> WordOffsets("I am Ann Lee.").touched(4, 8)
    range(2, 3)
    """

    def __init__(self, text: str) -> None:
        starts, ends = word_borders(text)
        self._starts: list[int] = starts.tolist()
        self._ends: list[int] = ends.tolist()

    def __len__(self) -> int:
        return len(self._starts)

    def touched(self, start: int, end: int) -> range:
        """Return the numbers of the words that share a character with ``[start, end)``."""
        return range(bisect_right(self._ends, start), bisect_left(self._starts, end))

    def touched_by(self, intervals: Iterable[tuple[int, int]]) -> frozenset[int]:
        """Return the numbers of the words that share a character with any interval."""
        return frozenset(word for start, end in intervals for word in self.touched(start, end))


def mentions(spans: Iterable[Span]) -> tuple[tuple[Span, ...], ...]:
    """Group spans into mentions: the pieces of a discontinuous annotation are one, every other span is separate.

    Equal spans are one mention.

    >>> pieces = [Span(3, 4, "N", annotation_id="T1"), Span(6, 7, "N", annotation_id="T1")]
    >>> [len(mention) for mention in mentions([Span(0, 2, "N"), *pieces])]
    [1, 2]
    """
    groups: dict[tuple[object, ...], list[Span]] = {}
    for span in sorted(set(spans), key=lambda s: (s.start, s.end, s.label)):
        own = (span.start, span.end) if span.annotation_id is None else (span.annotation_id, span.source)
        groups.setdefault((span.label, *own), []).append(span)
    return tuple(tuple(group) for group in groups.values())


END_TOLERANCE = 2

_Name = tuple[str, str, str]
_Hull = tuple[str, int, int]
_Placed = tuple[str, int, int, range]
"""Label, start and end, and the numbers of the words that are touched."""
_LABEL = itemgetter(0)


class CountCell(NamedTuple):
    """Name one count: ``("strict", "NAME", "matched")``; ``label`` is empty where a measure has none."""

    measure: str
    label: str
    kind: str


@dataclass(frozen=True)
class MatchCounts:
    """Hold counts by cell; absent cells are 0 and ``+`` adds cell by cell.

    Measures ``strict``, ``relaxed``, ``token`` (a label each) and ``binary_token`` have the kinds ``matched``,
    ``gold`` and ``predicted``; ``documents`` and ``words`` and ``entities`` have ``all`` and, but the first, ``kept``:
    words that no predicted span touches, entities all of whose mentions are covered. ``strays`` counts the spans of
    documents that were not given.
    """

    cells: Mapping[CountCell, int] = field(default_factory=lambda: MappingProxyType({}))

    def __add__(self, other: "MatchCounts") -> "MatchCounts":
        total = Counter(self.cells)
        total.update(other.cells)
        return MatchCounts(MappingProxyType(dict(total)))

    def __getitem__(self, cell: tuple[str, str, str]) -> int:
        return self.cells.get(CountCell(*cell), 0)

    def labels(self, measure: str) -> tuple[str, ...]:
        """Return the labels that a measure has met, sorted."""
        return tuple(sorted({cell.label for cell in self.cells if cell.measure == measure}))


def count_documents(documents: Iterable[tuple[str, Sequence[Span], Sequence[Span]]]) -> MatchCounts:
    """Count many documents, each its text, its gold and its predicted spans, in one pass."""
    total: Counter[_Name] = Counter()
    for text, gold, predicted in documents:
        _count(text, gold, predicted, total)
    return MatchCounts(MappingProxyType({CountCell(*name): count for name, count in total.items() if count}))


def _count(text: str, gold: Sequence[Span], predicted: Sequence[Span], total: Counter[_Name]) -> None:
    """Add one document to the total, whose keys are cells as plain tuples: they are many, and cells cost more."""
    words = WordOffsets(text)
    covered = words.touched_by((s.start, s.end) for s in predicted)
    total["documents", "", "all"] += 1
    total["words", "", "all"] += len(words)
    total["words", "", "kept"] += len(words) - len(covered)
    marked, found = _distinct(gold), _distinct(predicted)
    _tally(marked, found, total)
    left, right = _placed(words, gold, marked), _placed(words, predicted, found)
    _tokens(left, right, total)
    _entities(text, words, gold, left, covered, total)


def _distinct(spans: Sequence[Span]) -> list[_Hull]:
    """Return label, start and end of the hulls of spans, each once, in order."""
    if _has_pieces(spans):
        spans = join_pieces(spans)
    return sorted({(label, start, end) for start, end, label, *_ in spans})


def _has_pieces(spans: Iterable[Span]) -> bool:
    return any(span.annotation_id is not None for span in spans)


def _placed(words: WordOffsets, spans: Sequence[Span], distinct: Sequence[_Hull]) -> list[_Placed]:
    """Return the spans, or what is distinct of them where they have no pieces, with the words that they touch."""
    if _has_pieces(spans):
        distinct = [(span.label, span.start, span.end) for span in spans]
    return [(label, start, end, words.touched(start, end)) for label, start, end in distinct]


def _tally(gold: Sequence[_Hull], predicted: Sequence[_Hull], total: Counter[_Name]) -> None:
    """Sum ``gold``, ``predicted`` and ``matched`` of each label, strictly and with ends that may differ a little."""
    for kind, hulled in (("gold", gold), ("predicted", predicted)):
        for label, number in Counter(map(_LABEL, hulled)).items():
            total["strict", label, kind] += number
            total["relaxed", label, kind] += number
    ends = _ends(gold)
    for key, own in _ends(predicted).items():
        if key in ends:
            total["strict", key[0], "matched"] += count_equal_ends(ends[key], own)
            total["relaxed", key[0], "matched"] += count_pairs_within_tolerance(ends[key], own)


def _ends(hulled: Iterable[_Hull]) -> dict[tuple[str, int], list[int]]:
    """Group hulls in order by label and start; the ends of each are sorted."""
    ends: dict[tuple[str, int], list[int]] = {}
    for label, start, end in hulled:
        ends.setdefault((label, start), []).append(end)
    return ends


def count_equal_ends(gold: Sequence[int], predicted: Sequence[int]) -> int:
    """Count the ends that are in both."""
    return len(set(gold) & set(predicted))


def count_pairs_within_tolerance(gold: Sequence[int], predicted: Sequence[int]) -> int:
    """Pair as many ends as can be paired one to one at a distance of at most two; both are sorted."""
    i = j = pairs = 0
    while i < len(gold) and j < len(predicted):
        if abs(gold[i] - predicted[j]) <= END_TOLERANCE:
            i, j, pairs = i + 1, j + 1, pairs + 1
        elif gold[i] < predicted[j]:
            i += 1
        else:
            j += 1
    return pairs


def _tokens(gold: Iterable[_Placed], predicted: Iterable[_Placed], total: Counter[_Name]) -> None:
    left, right = _labelled_words(gold), _labelled_words(predicted)
    nothing: set[int] = set()
    for label in left.keys() | right.keys():
        _count_words("token", label, left.get(label, nothing), right.get(label, nothing), total)
    _count_words("binary_token", "", nothing.union(*left.values()), nothing.union(*right.values()), total)


def _labelled_words(placed: Iterable[_Placed]) -> dict[str, set[int]]:
    labelled: dict[str, set[int]] = {}
    for label, _, _, touched in placed:
        labelled.setdefault(label, set()).update(touched)
    return labelled


def _count_words(measure: str, label: str, gold: set[int], predicted: set[int], total: Counter[_Name]) -> None:
    total[measure, label, "gold"] += len(gold)
    total[measure, label, "predicted"] += len(predicted)
    total[measure, label, "matched"] += len(gold & predicted)


def _entities(
    text: str,
    words: WordOffsets,
    gold: Sequence[Span],
    placed: Sequence[_Placed],
    covered: frozenset[int],
    total: Counter[_Name],
) -> None:
    """Count the entities, mentions of one label and surface, that have words, and those of them all covered."""
    with_words: set[tuple[str, str]] = set()
    uncovered: set[tuple[str, str]] = set()
    is_plain = len(placed) == len(gold) and not _has_pieces(gold)
    each = (
        ((label, text[start:end], touched) for label, start, end, touched in placed)
        if is_plain
        else _of_mentions(text, words, gold)
    )
    for label, surface, touched in each:
        if touched:
            entity = label, surface_key(surface)
            with_words.add(entity)
            if not covered.issuperset(touched):
                uncovered.add(entity)
    total["entities", "", "all"] += len(with_words)
    total["entities", "", "kept"] += len(with_words - uncovered)


def surface_key(surface: str) -> str:
    """Return what the surfaces of one entity have in common: all but case and the kind of spaces."""
    return " ".join(surface.split()).casefold()


def _of_mentions(text: str, words: WordOffsets, gold: Sequence[Span]) -> Iterator[tuple[str, str, Sequence[int]]]:
    """Yield label, surface and words of mentions that may have pieces."""
    for mention in mentions(gold):
        surface = " ".join(text[piece.start : piece.end] for piece in mention)
        yield mention[0].label, surface, list(words.touched_by((piece.start, piece.end) for piece in mention))
