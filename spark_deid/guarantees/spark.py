"""Count what was decided, in one pass over what was written: faults, scores, and what manifests tell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.span import GOLD
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_tasks
from spark_deid.evaluation.counts import CountCell, MatchCounts
from spark_deid.evaluation.score import MatchScores
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.content import NO_SUMS, CorpusDigest, Sums, content_of, holds_rows, measure_content
from spark_deid.guarantees.counter import EDITS, FAULTS, HANDED_BACK, IN_CLEAR, SPANS, TOTALS, WHOLE, DecisionCounter
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, add_faults, faults_of, is_exempt
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.storage.parts import Parts, read_groups

# Operator: whether what is to be published covers what was detected, by joins of tables.


_FAULTS = pa.schema([(name, pa.int32()) for name in CoverageFaults._fields])


def check_release(
    documents: DataFrame,
    published: DataFrame,
    spans: DataFrame,
    edits: DataFrame,
    *,
    checking: CheckSettings,
) -> CoverageFaults:
    """Count what is wrong with what is to be published; one Spark job.

    ``published`` has the columns ``doc_id`` (the original one) and ``text``. Spans of every source must be covered but
    those that ``checking`` lets stand. Every document, span and edit is looked at, those without a counterpart too.
    """
    joined = (
        documents.select("doc_id", F.col("text").alias("original"))
        .join(published.select("doc_id", F.col("text").alias("published")), on="doc_id", how="full")
        .join(_nest(spans, "spans", ("start", "end", "label", "source")), on="doc_id", how="full")
        .join(_nest(edits, "edits", CheckedEdit._fields[:4]), on="doc_id", how="full")
    )
    rows = joined.mapInArrow(partial(_check_batches, checking=checking), tables.ddl(_FAULTS))
    totals = rows.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in CoverageFaults._fields)).collect()[0]
    return CoverageFaults(*(int(total) for total in totals))


def _nest(rows: DataFrame, name: str, columns: Sequence[str]) -> DataFrame:
    return rows.groupBy("doc_id").agg(F.collect_list(F.struct(*columns)).alias(name))


def _check_batches(incoming: Iterator[pa.RecordBatch], *, checking: CheckSettings) -> Iterator[pa.RecordBatch]:
    is_free = cache(partial(is_exempt, exempt=checking.exempt))
    known = checking.placeholders, checking.listed, checking.recounted, checking.keeps_syntax
    for batch in incoming:
        total = CoverageFaults()
        texts = (batch.column(name).to_pylist() for name in ("original", "published"))
        rows = zip(*texts, tuples_of(batch.column("spans")), tuples_of(batch.column("edits")), strict=True)
        for original, published, spans, edits in rows:
            marked = [
                (start, end, label)
                for start, end, label, source in spans
                if not is_free(source) and checking.must_be_edited(original or "", start, end, label, source)
            ]
            replaced = [CheckedEdit(*edit) for edit in edits]
            total = add_faults(total, faults_of(original, published, marked, replaced, *known))
        yield to_batch([total], _FAULTS)


DECISIONS = "decisions"
_CHECKED_TABLES = ("spans", "edits")
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
    faults = CoverageFaults(**_taken(cells, FAULTS))
    totals = RunTotals(**_taken(cells, TOTALS))
    spans, edits, handed_back = (_nested(cells, measure) for measure in (SPANS, EDITS, HANDED_BACK))
    left = _nested(cells, IN_CLEAR)
    in_clear, untouched = left.get(GOLD, {}), left.get(WHOLE, {})
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
    people = _persons(corpus.documents) if content.subjects else 0
    return DecisionCounts(
        content, faults, totals, spans, edits, handed_back, scores, agreed, people, in_clear, untouched
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
        return _Counts(Counter(), sum(map(measure_content, groups), NO_SUMS))
    counter = DecisionCounter(checking)
    cells: Counter[CountCell] = Counter()
    sums, agreed = NO_SUMS, True
    extra = (read_groups(parts[name].path) for name in (DECISIONS, *_CHECKED_TABLES))
    for decisions, *checked in zip_longest(*extra):
        if decisions is None:
            agreed = False
            continue
        agreed = agreed and all(map(partial(holds_rows, decisions), _CHECKED_TABLES, checked))
        cells.update(counter.count(decisions))
        sums = sums + measure_content(decisions)
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
