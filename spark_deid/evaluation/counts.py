"""Counts of one document or of many: a value with ``+``, so that partitions can count apart."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from spark_deid.core.span import Span, hulls
from spark_deid.core.words import count_words
from spark_deid.evaluation.mentions import Words, mentions

END_TOLERANCE = 2

_Key = TypeVar("_Key")


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
    total: Counter[Cell] = Counter()
    for text, gold, predicted in documents:
        total.update(dict(_count(text, gold, predicted)))
    return Counts(MappingProxyType({cell: count for cell, count in total.items() if count}))


def _count(text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[tuple[Cell, int]]:
    words = Words(text)
    all_words, published = count_words(text, [(s.start, s.end) for s in predicted])
    yield Cell("documents", "", "all"), 1
    yield Cell("words", "", "all"), all_words
    yield Cell("words", "", "kept"), published
    yield from _spans(gold, predicted)
    yield from _tokens(words, gold, predicted)
    yield from _entities(text, words, gold, predicted)


def _spans(gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[tuple[Cell, int]]:
    gold_ends, predicted_ends = _ends(gold), _ends(predicted)
    yield from _tally("strict", gold_ends, predicted_ends, lambda g, p: len(set(g) & set(p)))
    yield from _tally("relaxed", gold_ends, predicted_ends, _pairs_within_tolerance)


def _ends(spans: Iterable[Span]) -> dict[tuple[str, int], list[int]]:
    """Group the distinct hulls of spans by label and start; the ends of each are sorted."""
    ends: dict[tuple[str, int], list[int]] = {}
    for label, start, end in sorted({(s.label, s.start, s.end) for s in hulls(spans)}):
        ends.setdefault((label, start), []).append(end)
    return ends


def _tally(
    measure: str,
    gold: Mapping[tuple[str, _Key], Sequence[int]],
    predicted: Mapping[tuple[str, _Key], Sequence[int]],
    match: Callable[[Sequence[int], Sequence[int]], int],
) -> Iterator[tuple[Cell, int]]:
    """Sum ``gold``, ``predicted`` and ``matched`` over the keys of each label."""
    tally: Counter[Cell] = Counter()
    for key in gold.keys() | predicted.keys():
        left, right = gold.get(key, ()), predicted.get(key, ())
        tally[Cell(measure, key[0], "gold")] += len(left)
        tally[Cell(measure, key[0], "predicted")] += len(right)
        tally[Cell(measure, key[0], "matched")] += match(left, right)
    yield from tally.items()


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


def _tokens(words: Words, gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[tuple[Cell, int]]:
    left, right = _labelled_words(words, gold), _labelled_words(words, predicted)
    for label in left.keys() | right.keys():
        yield from _word_cells("token", label, left.get(label, set()), right.get(label, set()))
    yield from _word_cells("binary_token", "", set().union(*left.values()), set().union(*right.values()))


def _labelled_words(words: Words, spans: Iterable[Span]) -> dict[str, set[int]]:
    labelled: dict[str, set[int]] = {}
    for span in spans:
        labelled.setdefault(span.label, set()).update(words.touched(span.start, span.end))
    return labelled


def _word_cells(measure: str, label: str, gold: set[int], predicted: set[int]) -> Iterator[tuple[Cell, int]]:
    yield Cell(measure, label, "gold"), len(gold)
    yield Cell(measure, label, "predicted"), len(predicted)
    yield Cell(measure, label, "matched"), len(gold & predicted)


def _entities(text: str, words: Words, gold: Sequence[Span], predicted: Sequence[Span]) -> Iterator[tuple[Cell, int]]:
    covered = words.touched_by((s.start, s.end) for s in predicted)
    entities: dict[tuple[str, str], set[int]] = {}
    for mention in mentions(gold):
        surface = " ".join(" ".join(text[s.start : s.end] for s in mention).split()).casefold()
        touched = words.touched_by((s.start, s.end) for s in mention)
        entities.setdefault((mention[0].label, surface), set()).update(touched)
    with_words = [needed for needed in entities.values() if needed]
    yield Cell("entities", "", "all"), len(with_words)
    yield Cell("entities", "", "kept"), sum(needed <= covered for needed in with_words)
