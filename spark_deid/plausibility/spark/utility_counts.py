"""Operator: a sample of released documents, in which other originals of single terms are tried."""

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, named_of, spans_in
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_tasks
from spark_deid.plausibility.recount.losses import losses_of, similarity, texts_of, unknown_terms
from spark_deid.plausibility.spark.by_person import edited_document
from spark_deid.plausibility.substitutes import SubstituteCounts, try_substitutes
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.storage.parts import Parts, read_groups

SAMPLED = 100
"""Documents that are checked, drawn by a hash of their ids."""
_LONGEST = 20_000
_TRIED = pa.schema([("label", pa.string()), ("tried", pa.int64()), ("alike", pa.int64())])


class SampledSubstitutes(dict[str, SubstituteCounts]):
    """What was tried, by label; ``documents`` are those in which anything was."""

    documents = 0


def sample_substitutes(
    corpus: Corpus, rules: GeneralizeRules, edited: tuple[str, ...], staying: frozenset[str]
) -> SampledSubstitutes:
    """Try other originals in documents with generalized terms, each document separately; one Spark job.

    Documents of more than 20,000 characters are skipped.
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


# Operator: sum up what generalizations lost, and which terms no ontology has.


MOST_UNKNOWN = 100_000
"""Terms that a task lists; of more, the rarest are omitted."""
TENTHS = 10


SEGMENTS, BITS, OTHERS, SHORT = "segments", "bits", "others", "short"
"""Of a rule: segments with terms, hundredths of bits of |D|, of |D| without the leaves below the originals, and the
segments that this leaves short of t."""
_HUNDREDTHS = 100


class LossCounts(NamedTuple):
    """Counts: terms by label and whole bits lost, documents by tenths of similarity, terms that no ontology has.

    ``texts`` has sums by rule and what is summed up, ``documents`` those that have terms, by label.
    """

    bits: Counter[tuple[str, int]]
    similar: Counter[int]
    unknown: Counter[str]
    texts: Counter[tuple[str, str]]
    documents: Counter[str]

    @classmethod
    def nothing(cls) -> "LossCounts":
        """Return what is counted of nothing."""
        return cls(Counter(), Counter(), Counter(), Counter(), Counter())

    def mean_bits(self, key: str, which: str) -> float:
        """Return the mean of log2 |D| of a rule's segments, of all leaves (BITS) or the others (OTHERS) only."""
        return self.texts[key, which] / _HUNDREDTHS / max(self.texts[key, SEGMENTS], 1)


def count_losses(corpus: Corpus, rules: GeneralizeRules) -> LossCounts:
    """Count over all documents; one Spark job."""
    parts = run_tasks(corpus.documents.sparkSession, partial(_count_part, rules=rules), corpus.decided)
    total = LossCounts.nothing()
    for part in parts:
        total.bits.update(part.bits)
        total.similar.update(part.similar)
        total.unknown.update(part.unknown)
        total.texts.update(part.texts)
        total.documents.update(part.documents)
    return total


def _count_part(parts: Parts, *, rules: GeneralizeRules) -> LossCounts:
    lost = LossCounts.nothing()
    for batch in read_groups(parts["decisions"].path, ("text", "edits")):
        texts = batch.column("text").to_pylist()
        for text, edits in zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True):
            losses, unknown = list(losses_of(text, edits, rules)), list(unknown_terms(text, edits, rules))
            lost.bits.update((loss.label, int(loss.bits)) for loss in losses)
            lost.unknown.update(unknown)
            labels = {loss.label for loss in losses}
            lost.documents.update(labels | {rules.key_of(label) or "" for label in labels})
            for each in texts_of(text, losses, rules):
                lost.texts[each.key, SEGMENTS] += 1
                lost.texts[each.key, BITS] += round(math.log2(each.number) * _HUNDREDTHS)
                lost.texts[each.key, OTHERS] += round(math.log2(each.others) * _HUNDREDTHS)
                lost.texts[each.key, SHORT] += each.others < rules.by_label[each.key].t
            if losses or unknown:
                lost.similar[int(similarity(losses, len(unknown)) * TENTHS)] += 1
    return lost._replace(unknown=Counter(dict(lost.unknown.most_common(MOST_UNKNOWN))))
