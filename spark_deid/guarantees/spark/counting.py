"""Count what was decided, in one pass over what was written: faults, scores, and what manifests tell."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import spans_in, to_batch, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import GOLD, Span
from spark_deid.evaluation.counts import Cell, Counts, count_documents
from spark_deid.evaluation.score import Scores
from spark_deid.guarantees.coverage import Faults, Replaced, add, faults_of, is_exempt
from spark_deid.guarantees.spark.content import Content, agree, check_release, measure
from spark_deid.rewriting.spark.operators import edits_of_decisions, published_of_decisions, spans_of_decisions

_CELLS = pa.schema([*((name, pa.string()) for name in Cell._fields), ("value", pa.int64())])
_FAULTS, _TOTALS, _SPANS, _EDITS, _HANDED_BACK = ("(faults)", "(totals)", "(spans)", "(edits)", "(handed back)")
_SUMMED = ("words", "published_words", "gold_unedited")
_COLUMNS = ("doc_id", "text", "published", "spans", "edits", "handed_back", *_SUMMED)
_RECORD = r"#[0-9]+$"
"""How the id of a document ends that is named by its file and number."""

Nested = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Totals:
    """Counts over the documents of a run; ``named_by_file`` are those whose ids hold a file's name and a number."""

    documents: int = 0
    words: int = 0
    published_words: int = 0
    gold_unedited: int = 0
    named_by_file: int = 0


@dataclass(frozen=True)
class Counted:
    """What one pass over decisions counted.

    ``spans`` are by source and label, ``edits`` by technique and label, ``handed_back`` by technique and reason.
    ``scores`` compare edited spans with gold, where that was asked for. ``agreed`` tells whether the rows say what the
    workspace's tables say.
    """

    faults: Faults
    totals: Totals
    spans: Nested
    edits: Nested
    handed_back: Nested
    scores: Scores | None
    agreed: bool


class Checking(NamedTuple):
    """How decisions are looked at: which detectors are exempt from editing, which techniques write placeholders."""

    exempt: tuple[str, ...]
    placeholders: tuple[str, ...]
    scored: bool = False


def count_decisions(decisions: DataFrame, corpus: Corpus, content: Content, checking: Checking) -> Counted:
    """Count what is wrong with decisions (columns of DECISIONS), what they hold and, if asked for, scores against gold.

    Texts, spans and edits of a document stand in one row, so nothing is joined. That a row has what the workspace's
    tables say of its document is shown by sums of hashes; ``content`` is the measure of the documents table. Where
    these differ the tables are joined and every document checked: what they say decides. Runs three Spark jobs, and
    one more where the hashes differ.
    """
    counted = decisions.select(*_COLUMNS).mapInArrow(partial(_count_batches, checking=checking), tables.ddl(_CELLS))
    rows = counted.groupBy(*Cell._fields).agg(F.sum("value").alias("value")).collect()
    cells = {Cell(row["measure"], row["label"], row["kind"]): int(row["value"]) for row in rows}
    faults = Faults(**_taken(cells, _FAULTS))
    totals = Totals(**_taken(cells, _TOTALS))
    spans, edits, handed_back = (_nested(cells, measure) for measure in (_SPANS, _EDITS, _HANDED_BACK))
    agreed = _shows_tables(decisions, corpus, content)
    if not agreed:
        published = published_of_decisions(decisions)
        faults = check_release(
            corpus.documents,
            published,
            corpus.spans,
            corpus.edits,
            exempt=checking.exempt,
            placeholders=checking.placeholders,
        )
    scores = Scores(Counts(MappingProxyType(cells))) if checking.scored else None
    return Counted(faults, totals, spans, edits, handed_back, scores, agreed)


def _taken(cells: dict[Cell, int], measure: str) -> dict[str, int]:
    """Take the cells of a measure out, by their kinds."""
    return {cell.kind: cells.pop(cell) for cell in list(cells) if cell.measure == measure}


def _nested(cells: dict[Cell, int], measure: str) -> dict[str, dict[str, int]]:
    """Take the cells of a measure out, by kind and label, in order."""
    found: dict[str, dict[str, int]] = {}
    for cell in sorted(cell for cell in cells if cell.measure == measure):
        found.setdefault(cell.kind, {})[cell.label] = cells.pop(cell)
    return dict(sorted(found.items()))


def _shows_tables(decisions: DataFrame, corpus: Corpus, content: Content) -> bool:
    """Tell whether decisions say of documents, spans and edits what the workspace's tables say, each document once."""
    if measure(decisions) != content or content.ids != content.documents:
        return False
    shown = {"spans": spans_of_decisions(decisions), "edits": edits_of_decisions(decisions), "about": _about(decisions)}
    return agree(shown, {"spans": corpus.spans, "edits": corpus.edits, "about": _about(corpus.documents)})


def _about(documents: DataFrame) -> DataFrame:
    """Select what a release may let out of documents besides their texts."""
    return documents.select("doc_id", "subject_id", F.map_entries("meta").alias("meta"))


def _count_batches(incoming: Iterator[pa.RecordBatch], *, checking: Checking) -> Iterator[pa.RecordBatch]:
    exempt = cache(partial(is_exempt, exempt=checking.exempt))
    placeholders = frozenset(checking.placeholders)
    for batch in incoming:
        texts, published = (batch.column(name).to_pylist() for name in ("text", "published"))
        spans = list(spans_in(batch.column("spans")))
        edits = [[LabelledEdit(*edit) for edit in cell] for cell in tuples_of(batch.column("edits"))]
        applied = [[span for span in found if not exempt(span.source)] for found in spans]
        faults = _faults(texts, published, applied, edits, placeholders)
        rows = [(_FAULTS, "", name, value) for name, value in faults._asdict().items() if value]
        rows += [*_told(spans, edits), *_totals(batch), *_returned(batch)]
        if checking.scored:
            gold = ([span for span in found if span.source == GOLD] for found in spans)
            counts = count_documents(zip(texts, gold, applied, strict=True))
            rows += [(*cell, value) for cell, value in counts.cells.items()]
        yield to_batch(rows, _CELLS)


def _faults(
    texts: list[str],
    published: list[str],
    applied: list[list[Span]],
    edits: list[list[LabelledEdit]],
    placeholders: Collection[str],
) -> Faults:
    faults = Faults()
    for text, rewritten, found, decided in zip(texts, published, applied, edits, strict=True):
        intervals = [(span.start, span.end) for span in found]
        replaced = [Replaced(*edit[:4]) for edit in decided]
        faults = add(faults, faults_of(text, rewritten, intervals, replaced, placeholders))
    return faults


def _told(spans: list[list[Span]], edits: list[list[LabelledEdit]]) -> Iterator[tuple[str, str, str, int]]:
    by_source = Counter((span.label, span.source) for found in spans for span in found)
    by_technique = Counter((edit.label, edit.technique) for decided in edits for edit in decided)
    for name, counts in ((_SPANS, by_source), (_EDITS, by_technique)):
        yield from ((name, label, kind, value) for (label, kind), value in counts.items())


def _totals(batch: pa.RecordBatch) -> Iterator[tuple[str, str, str, int]]:
    yield _TOTALS, "", "documents", batch.num_rows
    by_number = pc.match_substring_regex(batch.column("doc_id"), _RECORD)
    yield _TOTALS, "", "named_by_file", pc.sum(by_number).as_py() or 0
    for name in _SUMMED:
        yield _TOTALS, "", name, pc.sum(batch.column(name)).as_py() or 0


def _returned(batch: pa.RecordBatch) -> Iterator[tuple[str, str, str, int]]:
    for cell in tuples_of(batch.column("handed_back")):
        yield from ((_HANDED_BACK, reason, technique, spans) for technique, reason, spans in cell)
