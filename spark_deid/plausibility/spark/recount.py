"""Operator: count again what generalization promises, in every document as it was decided."""

from collections import Counter
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from spark_deid.core.arrow import spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.span import detector_of
from spark_deid.plausibility.recount.document import Edited, Recounted, recount_document
from spark_deid.plausibility.text.settings import Rules
from spark_deid.storage.parts import Parts, read_groups
from spark_deid.storage.spark.tasks import run_tasks

COLUMNS = ("doc_id", "text", "spans", "edits")
DOCUMENTS_NAMED = 5


class Total(NamedTuple):
    """What was counted of a corpus; ``documents`` names a few that have faults."""

    counted: Recounted
    documents: tuple[str, ...] = ()


def recount(corpus: Corpus, rules: Rules, exempt: tuple[str, ...]) -> Total:
    """Count every document of the decisions again; one Spark job. ``exempt`` are detectors that are not edited."""
    count = partial(_count_part, rules=rules, exempt=frozenset(exempt))
    total = Total(Recounted(Counter()))
    for part in run_tasks(corpus.documents.sparkSession, count, corpus.decided):
        total = _added(total, part)
    return total


def _count_part(parts: Parts, *, rules: Rules, exempt: frozenset[str]) -> Total:
    total = Total(Recounted(Counter()))
    for batch in read_groups(parts["decisions"].path, COLUMNS):
        for counted in _counted(batch, rules, exempt):
            total = _added(total, counted)
    return total


def _counted(batch: pa.RecordBatch, rules: Rules, exempt: frozenset[str]) -> list[Total]:
    ids, texts = (batch.column(name).to_pylist() for name in COLUMNS[:2])
    found = []
    for doc_id, text, spans, edits in zip(
        ids, texts, spans_in(batch.column("spans")), tuples_of(batch.column("edits")), strict=True
    ):
        marked = {(span.start, span.end) for span in spans if detector_of(span.source) not in exempt}
        counted = recount_document(text, marked, list(map(Edited._make, edits)), rules)
        found.append(Total(counted, (doc_id,) if counted.faults else ()))
    return found


def _added(one: Total, other: Total) -> Total:
    return Total(one.counted.plus(other.counted), (*one.documents, *other.documents)[:DOCUMENTS_NAMED])
