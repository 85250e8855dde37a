"""Operator: count again what generalization promises, in every document as it was decided."""

from collections import Counter
from functools import cache, partial
from itertools import islice
from typing import NamedTuple

import pyarrow as pa

from spark_deid.core.arrow import named_of, spans_in
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import detector_of
from spark_deid.plausibility.recount.document import recount_document
from spark_deid.plausibility.recount.faults import PlausibilityCounts, sum_up
from spark_deid.plausibility.text.settings import GeneralizeRules
from spark_deid.storage.parts import Parts, read_groups
from spark_deid.storage.spark.tasks import run_tasks

COLUMNS = ("doc_id", "text", "spans", "edits")
DOCUMENTS_NAMED = 5


class RecountTotal(NamedTuple):
    """What was counted of a corpus: ``documents`` names a few that have faults, ``with_terms`` counts all."""

    counted: PlausibilityCounts
    documents: tuple[str, ...] = ()
    with_terms: int = 0


def recount(corpus: Corpus, rules: GeneralizeRules, exempt: tuple[str, ...]) -> RecountTotal:
    """Count every document of the decisions again; one Spark job. ``exempt`` are detectors that are not edited."""
    count = partial(_count_part, rules=rules, exempt=frozenset(exempt))
    total = RecountTotal(PlausibilityCounts(Counter()))
    for part in run_tasks(corpus.documents.sparkSession, count, corpus.decided):
        total = _added(total, part)
    return total


def _count_part(parts: Parts, *, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    total = RecountTotal(PlausibilityCounts(Counter()))
    for batch in read_groups(parts["decisions"].path, COLUMNS):
        total = _added(total, _counted(batch, rules, exempt))
    return total


def _counted(batch: pa.RecordBatch, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    is_edited = cache(lambda source: detector_of(source) not in exempt)
    ids, texts = (batch.column(name).to_pylist() for name in COLUMNS[:2])
    edits = named_of(batch.column("edits"), LabelledEdit)
    counted = [
        recount_document(text, {(s.start, s.end) for s in spans if is_edited(s.source)}, decided, rules)
        for text, spans, decided in zip(texts, spans_in(batch.column("spans")), edits, strict=True)
    ]
    faulty = (doc_id for doc_id, each in zip(ids, counted, strict=True) if each.faults)
    return RecountTotal(
        sum_up(counted), tuple(islice(faulty, DOCUMENTS_NAMED)), sum(each.terms > 0 for each in counted)
    )


def _added(one: RecountTotal, other: RecountTotal) -> RecountTotal:
    named = (*one.documents, *other.documents)[:DOCUMENTS_NAMED]
    return RecountTotal(sum_up((one.counted, other.counted)), named, one.with_terms + other.with_terms)
