"""Operator: a sample of released documents, in which other originals of single terms are tried."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, spans_in
from spark_deid.core.corpus import Corpus
from spark_deid.plausibility.spark.by_person import edited_document
from spark_deid.plausibility.substitutes import SubstituteCounts, try_substitutes
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules

SAMPLED = 100
"""Documents that are looked at, drawn by a hash of their ids."""
_LONGEST = 20_000
_TRIED = pa.schema([("label", pa.string()), ("tried", pa.int64()), ("alike", pa.int64())])


class SampledSubstitutes(dict[str, SubstituteCounts]):
    """What was tried, by label; ``documents`` are those in which anything was."""

    documents = 0


def sample_substitutes(
    corpus: Corpus, rules: GeneralizeRules, edited: tuple[str, ...], staying: frozenset[str]
) -> SampledSubstitutes:
    """Try other originals in documents with generalized terms, each document by itself; one Spark job.

    Documents of more than 20,000 characters are passed over.
    """
    has_terms = F.exists("edits", lambda edit: edit["technique"] == GENERALIZE)
    rows = corpus.decisions.where(has_terms & (F.length("text") <= _LONGEST))
    drawn = rows.orderBy(F.xxhash64("doc_id"), "doc_id").limit(SAMPLED).select("doc_id", "text", "spans")
    search = partial(_try_batches, rules=rules, detectors=frozenset(edited), staying=staying)
    found = SampledSubstitutes()
    for label, tried, equal in drawn.mapInArrow(search, tables.ddl(_TRIED)).collect():
        if label is None:
            found.documents += 1
            continue
        before = found.get(label, SubstituteCounts())
        found[label] = SubstituteCounts(before.tried + tried, before.alike + equal)
    return found


def _try_batches(
    incoming: Iterator[pa.RecordBatch], *, rules: GeneralizeRules, detectors: frozenset[str], staying: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    yield from gather_batches(_tried(incoming, rules, detectors, staying), _TRIED)


def _tried(
    incoming: Iterator[pa.RecordBatch], rules: GeneralizeRules, detectors: frozenset[str], staying: frozenset[str]
) -> Iterator[tuple[str | None, int, int]]:
    for batch in incoming:
        for text, spans in zip(batch.column("text").to_pylist(), spans_in(batch.column("spans")), strict=True):
            pieces = edited_document(text, spans, detectors, staying).pieces
            random = np.random.default_rng(len(text))
            found = try_substitutes(text, pieces, rules, random)
            yield from ((label, *counts) for label, counts in found.items())
            if found:
                yield None, 0, 0
