"""Count what was decided, in one pass over what was written: faults, scores, and what manifests tell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.span import GOLD
from spark_deid.engine.tasks import run_tasks
from spark_deid.evaluation.counts import CountCell, MatchCounts
from spark_deid.evaluation.score import MatchScores
from spark_deid.guarantees.checking import CheckSettings
from spark_deid.guarantees.content import NO_SUMS, CorpusDigest, Sums, content_of, holds_rows, measure_content
from spark_deid.guarantees.counter import EDITS, FAULTS, HANDED_BACK, IN_CLEAR, SPANS, TOTALS, WHOLE, DecisionCounter
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.spark.content import check_release
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.storage.parts import Parts, read_groups

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
    for decisions, *tables in zip_longest(*extra):
        if decisions is None:
            agreed = False
            continue
        agreed = agreed and all(map(partial(holds_rows, decisions), _CHECKED_TABLES, tables))
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
