"""Count what was decided, in one pass over what was written: faults, scores, and what manifests tell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.arrow import named_of, spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import GOLD, Span, is_allowed
from spark_deid.core.words import WORD, after_titles
from spark_deid.evaluation.counts import CountCell, MatchCounts, count_documents
from spark_deid.evaluation.score import MatchScores
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.content import NO_SUMS, CorpusDigest, Sums, content_of, measure, shows
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, Placeholders, add, faults_of, is_exempt
from spark_deid.guarantees.spark.content import check_release
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.rewriting.suppress import REMOVED
from spark_deid.storage.parts import Parts, read_groups
from spark_deid.storage.spark.tasks import run_tasks

_FAULTS, _TOTALS, _SPANS, _EDITS = ("(faults)", "(totals)", "(spans)", "(edits)")
_HANDED_BACK, _IN_CLEAR, _WHOLE = ("(handed back)", "(in clear)", "whole")
_SUMMED = ("words", "published_words", "gold_unedited")
DECISIONS = "decisions"
_CHECKED_TABLES = ("spans", "edits")
_RECORD = r"#[0-9]+$"
"""How the id of a document ends that is named by its file and number."""

Nested = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class RunTotals:
    """Counts over the documents of a run; ``named_by_file`` are those whose ids hold a file's name and a number.

    ``removed`` counts the edits of text that was its own placeholder, and ``allowed_gold`` the places that the plan
    spares and annotations mark, at least in part.
    """

    documents: int = 0
    words: int = 0
    published_words: int = 0
    gold_unedited: int = 0
    named_by_file: int = 0
    removed: int = 0
    allowed_gold: int = 0


@dataclass(frozen=True)
class DecisionCounts:
    """What one pass over decisions counted.

    ``content`` is what the documents table holds. ``spans`` are by source and label, ``edits`` by technique and label,
    ``handed_back`` by technique and reason. ``scores`` compare edited spans with gold, where that was asked for.
    ``agreed`` tells whether the rows say what the workspace's tables say. ``persons`` counts those that documents name,
    each once, ``in_clear`` annotations of the input that keep a word character, by label, where these are not edited,
    and ``untouched`` those of them that keep all.
    """

    content: CorpusDigest
    faults: CoverageFaults
    totals: RunTotals
    spans: Nested
    edits: Nested
    handed_back: Nested
    scores: MatchScores | None
    agreed: bool
    persons: int = 0
    in_clear: Mapping[str, int] = field(default_factory=dict)
    untouched: Mapping[str, int] = field(default_factory=dict)


def count_decisions(corpus: Corpus, checking: CheckSettings) -> DecisionCounts:
    """Count what is wrong with decisions, what they hold and, if asked for, scores against gold.

    Texts, spans and edits of a document stand in one row, so nothing is joined. Each row is compared with what the
    workspace's tables of spans and edits say beside it, and the documents table by sums of digests. Where these differ
    the tables are joined and every document checked: what they say decides. Runs two Spark jobs, one more where
    they differ, and one where documents name persons.
    """
    parts = [*corpus.decided, *corpus.read]
    counted = run_tasks(corpus.documents.sparkSession, partial(_count_part, checking=checking), parts)
    decided, read = counted[: len(corpus.decided)], counted[len(corpus.decided) :]
    cells: Counter[CountCell] = Counter()
    for each in decided:
        cells.update(each.cells)
    faults = CoverageFaults(**_taken(cells, _FAULTS))
    totals = RunTotals(**_taken(cells, _TOTALS))
    spans, edits, handed_back = (_nested(cells, measure) for measure in (_SPANS, _EDITS, _HANDED_BACK))
    left = _nested(cells, _IN_CLEAR)
    in_clear, untouched = left.get(GOLD, {}), left.get(_WHOLE, {})
    sums = sum((each.sums for each in read), NO_SUMS)
    shown = sum((each.sums for each in decided), NO_SUMS)
    agreed = all(each.agreed for each in decided) and bool((sums == shown).all()) and _are_unique(corpus.documents)
    if not agreed:
        faults = check_release(
            corpus.documents,
            published_of_decisions(corpus.decisions),
            corpus.spans,
            corpus.edits,
            checking=checking,
        )
    scores = MatchScores(MatchCounts(MappingProxyType(cells))) if checking.scored else None
    content = content_of(sums)
    persons = _persons(corpus.documents) if content.subjects else 0
    return DecisionCounts(
        content, faults, totals, spans, edits, handed_back, scores, agreed, persons, in_clear, untouched
    )


def _are_unique(documents: DataFrame) -> bool:
    """Tell whether no two documents have one id; a small query."""
    row = documents.agg(F.count("doc_id"), F.count_distinct("doc_id")).collect()[0]
    return bool(row[0] == row[1])


def _persons(documents: DataFrame) -> int:
    """Count the persons that documents name; a small query."""
    return int(documents.agg(F.count_distinct("subject_id")).collect()[0][0])


class _Counts(NamedTuple):
    """What a task counted: cells and digests, and whether the tables beside decisions say what these say."""

    cells: Counter[CountCell]
    sums: Sums
    agreed: bool = True


def _count_part(parts: Parts, *, checking: CheckSettings) -> _Counts:
    if DECISIONS not in parts:
        groups = read_groups(parts["documents"].path)
        return _Counts(Counter(), sum(map(measure, groups), NO_SUMS))
    counter = _Counter(checking)
    cells: Counter[CountCell] = Counter()
    sums, agreed = NO_SUMS, True
    beside = (read_groups(parts[name].path) for name in (DECISIONS, *_CHECKED_TABLES))
    for decisions, *tables in zip_longest(*beside):
        if decisions is None:
            agreed = False
            continue
        agreed = agreed and all(map(partial(shows, decisions), _CHECKED_TABLES, tables))
        cells.update(counter.count(decisions))
        sums = sums + measure(decisions)
    return _Counts(cells, sums, agreed)


def _taken(cells: dict[CountCell, int], measure: str) -> dict[str, int]:
    """Take the cells of a measure out, by their kinds."""
    return {cell.kind: cells.pop(cell) for cell in list(cells) if cell.measure == measure}


def _nested(cells: dict[CountCell, int], measure: str) -> dict[str, dict[str, int]]:
    """Take the cells of a measure out, by kind and label, in order."""
    found: dict[str, dict[str, int]] = {}
    for cell in sorted(cell for cell in cells if cell.measure == measure):
        found.setdefault(cell.kind, {})[cell.label] = cells.pop(cell)
    return dict(sorted(found.items()))


class _Counter:
    """Count decisions, batch by batch."""

    def __init__(self, checking: CheckSettings) -> None:
        self._exempt = cache(partial(is_exempt, exempt=checking.exempt))
        self._placeholders = checking.placeholders
        self._listed = frozenset(checking.listed)
        self._recounted = frozenset(checking.recounted)
        self._scored = checking.scored
        self._must_be_edited = checking.must_be_edited

    def _applies(self, text: str, span: Span) -> bool:
        """Tell whether a span must be edited."""
        return not self._exempt(span.source) and self._must_be_edited(
            text, span.start, span.end, span.label, span.source
        )

    def count(self, batch: pa.RecordBatch) -> Counter[CountCell]:
        texts, published = (batch.column(name).to_pylist() for name in ("text", "published"))
        spans = list(spans_in(batch.column("spans")))
        edits = list(named_of(batch.column("edits"), LabelledEdit))
        applied = [
            [span for span in found if self._applies(text, span)] for text, found in zip(texts, spans, strict=True)
        ]
        known = (self._placeholders, self._listed, self._recounted)
        faults = _faults(texts, published, applied, edits, *known)
        rows = [(_FAULTS, "", name, value) for name, value in faults._asdict().items() if value]
        rows += [*_counts_by_label(spans, edits), *_totals(batch), *_returned(batch)]
        rows.append((_TOTALS, "", "removed", sum(edit.replacement == REMOVED for each in edits for edit in each)))
        counted: Counter[CountCell] = Counter()
        for measured, label, kind, value in rows:
            counted[CountCell(measured, label, kind)] += value
        if self._scored:
            gold = [[span for span in found if span.source == GOLD] for found in spans]
            marked = sum(map(_spared_gold, spans))
            counted[CountCell(_TOTALS, "", "allowed_gold")] += marked
            counted.update(count_documents(zip(texts, gold, applied, strict=True)).cells)
            found = Counter(chain.from_iterable(map(labels_in_clear, texts, gold, edits)))
            for (label, is_whole), number in found.items():
                counted[CountCell(_IN_CLEAR, label, GOLD)] += number
                if is_whole:
                    counted[CountCell(_IN_CLEAR, label, _WHOLE)] += number
        return counted


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


def _faults(
    texts: list[str],
    published: list[str],
    applied: list[list[Span]],
    edits: list[list[LabelledEdit]],
    placeholders: Placeholders,
    listed: frozenset[str],
    recounted: frozenset[str],
) -> CoverageFaults:
    faults = CoverageFaults()
    for text, rewritten, found, decided in zip(texts, published, applied, edits, strict=True):
        marked = [(span.start, span.end, span.label) for span in found]
        replaced = [CheckedEdit(*edit) for edit in decided]
        faults = add(faults, faults_of(text, rewritten, marked, replaced, placeholders, listed, recounted))
    return faults


def _counts_by_label(spans: list[list[Span]], edits: list[list[LabelledEdit]]) -> Iterator[tuple[str, str, str, int]]:
    by_source = Counter((span.label, span.source) for found in spans for span in found)
    by_technique = Counter((edit.label, edit.technique) for decided in edits for edit in decided)
    for name, counts in ((_SPANS, by_source), (_EDITS, by_technique)):
        yield from ((name, label, kind, value) for (label, kind), value in counts.items())


def _spared_gold(found: Sequence[Span]) -> int:
    """Count the spans that the plan spares, each place once, of which an annotation marks a part."""
    places = {span[:2] for span in found if is_allowed(span.source)}
    gold = [span for span in found if span.source == GOLD] if places else []
    return sum(any(span.start < end and start < span.end for span in gold) for start, end in places)


def _totals(batch: pa.RecordBatch) -> Iterator[tuple[str, str, str, int]]:
    yield _TOTALS, "", "documents", batch.num_rows
    by_number = pc.match_substring_regex(batch.column("doc_id"), _RECORD)
    yield _TOTALS, "", "named_by_file", pc.sum(by_number).as_py() or 0
    for name in _SUMMED:
        yield _TOTALS, "", name, pc.sum(batch.column(name)).as_py() or 0


def _returned(batch: pa.RecordBatch) -> Iterator[tuple[str, str, str, int]]:
    for cell in tuples_of(batch.column("handed_back")):
        yield from ((_HANDED_BACK, reason, technique, spans) for technique, reason, spans in cell)
