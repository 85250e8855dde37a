"""Counts of one document or of many: a value with ``+``, so that partitions can count apart."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.span import Span, hulls
from spark_deid.evaluation.mentions import Words, mentions

END_TOLERANCE = 2

_Name = tuple[str, str, str]


class Cell(NamedTuple):
    """Name one count: ``("strict", "NAME", "matched")``; ``label`` is empty where a measure has none."""

    measure: str
    label: str
    kind: str


@dataclass(frozen=True)
class Counts:
    """Hold counts by cell; absent cells are 0 and ``+`` adds cell by cell.

    Measures ``strict``, ``relaxed``, ``token`` (a label each) and ``binary_token`` have the kinds ``matched``,
    ``gold`` and ``predicted``; ``documents`` and ``words`` and ``entities`` have ``all`` and, but the first, ``kept``:
    words that no predicted span touches, entities all of whose mentions are covered. ``strays`` counts the spans of
    documents that were not given.
    """

    cells: Mapping[Cell, int] = field(default_factory=lambda: MappingProxyType({}))

    def __add__(self, other: "Counts") -> "Counts":
        total = Counter(self.cells)
        total.update(other.cells)
        return Counts(MappingProxyType(dict(total)))

    def __getitem__(self, cell: tuple[str, str, str]) -> int:
        return self.cells.get(Cell(*cell), 0)

    def labels(self, measure: str) -> tuple[str, ...]:
        """Return the labels that a measure has met, sorted."""
        return tuple(sorted({cell.label for cell in self.cells if cell.measure == measure}))


def count_documents(documents: Iterable[tuple[str, Sequence[Span], Sequence[Span]]]) -> Counts:
    """Count many documents, each its text, its gold and its predicted spans, in one pass."""
    total: Counter[_Name] = Counter()
    for text, gold, predicted in documents:
        _count(text, gold, predicted, total)
    return Counts(MappingProxyType({Cell(*name): count for name, count in total.items() if count}))


def _count(text: str, gold: Sequence[Span], predicted: Sequence[Span], total: Counter[_Name]) -> None:
    """Add one document to the total, whose keys are cells as plain tuples: they are many, and cells cost more."""
    words = Words(text)
    covered = words.touched_by((s.start, s.end) for s in predicted)
    total["documents", "", "all"] += 1
    total["words", "", "all"] += len(words)
    total["words", "", "kept"] += len(words) - len(covered)
    gold_ends, predicted_ends = _ends(gold), _ends(predicted)
    _tally("strict", gold_ends, predicted_ends, _equal_ends, total)
    _tally("relaxed", gold_ends, predicted_ends, _pairs_within_tolerance, total)
    _tokens(words, gold, predicted, total)
    _entities(text, words, gold, covered, total)


def _ends(spans: Iterable[Span]) -> dict[tuple[str, int], list[int]]:
    """Group the distinct hulls of spans by label and start; the ends of each are sorted."""
    ends: dict[tuple[str, int], list[int]] = {}
    for label, start, end in sorted({(s.label, s.start, s.end) for s in hulls(spans)}):
        ends.setdefault((label, start), []).append(end)
    return ends


def _tally(
    measure: str,
    gold: Mapping[tuple[str, int], Sequence[int]],
    predicted: Mapping[tuple[str, int], Sequence[int]],
    match: Callable[[Sequence[int], Sequence[int]], int],
    total: Counter[_Name],
) -> None:
    """Sum ``gold``, ``predicted`` and ``matched`` over the keys of each label."""
    for (label, _), ends in gold.items():
        total[measure, label, "gold"] += len(ends)
    for key, ends in predicted.items():
        total[measure, key[0], "predicted"] += len(ends)
        if key in gold:
            total[measure, key[0], "matched"] += match(gold[key], ends)


def _equal_ends(gold: Sequence[int], predicted: Sequence[int]) -> int:
    return len(set(gold) & set(predicted))


def _pairs_within_tolerance(gold: Sequence[int], predicted: Sequence[int]) -> int:
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


def _tokens(words: Words, gold: Sequence[Span], predicted: Sequence[Span], total: Counter[_Name]) -> None:
    left, right = _labelled_words(words, gold), _labelled_words(words, predicted)
    nothing: set[int] = set()
    for label in left.keys() | right.keys():
        _count_words("token", label, left.get(label, nothing), right.get(label, nothing), total)
    _count_words("binary_token", "", nothing.union(*left.values()), nothing.union(*right.values()), total)


def _labelled_words(words: Words, spans: Iterable[Span]) -> dict[str, set[int]]:
    labelled: dict[str, set[int]] = {}
    for span in spans:
        labelled.setdefault(span.label, set()).update(words.touched(span.start, span.end))
    return labelled


def _count_words(measure: str, label: str, gold: set[int], predicted: set[int], total: Counter[_Name]) -> None:
    total[measure, label, "gold"] += len(gold)
    total[measure, label, "predicted"] += len(predicted)
    total[measure, label, "matched"] += len(gold & predicted)


def _entities(text: str, words: Words, gold: Sequence[Span], covered: frozenset[int], total: Counter[_Name]) -> None:
    entities: dict[tuple[str, str], set[int]] = {}
    for mention in mentions(gold):
        surface = " ".join(" ".join(text[s.start : s.end] for s in mention).split()).casefold()
        needed = entities.setdefault((mention[0].label, surface), set())
        for piece in mention:
            needed.update(words.touched(piece.start, piece.end))
    with_words = [needed for needed in entities.values() if needed]
    total["entities", "", "all"] += len(with_words)
    total["entities", "", "kept"] += sum(needed <= covered for needed in with_words)
