"""Operator: sum up what generalizations lost, and which terms no ontology has."""

from collections import Counter
from functools import partial
from typing import NamedTuple

from spark_deid.core.arrow import named_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.plausibility.recount.losses import losses_of, similarity, unknown_terms
from spark_deid.plausibility.text.settings import Rules
from spark_deid.storage.parts import Parts, read_groups
from spark_deid.storage.spark.tasks import run_tasks

MOST_UNKNOWN = 100_000
"""Terms that a task lists; of more, the rarest are left out."""
TENTHS = 10


class Lost(NamedTuple):
    """Counts: terms by label and whole bits lost, documents by tenths of similarity, terms that no ontology has."""

    bits: Counter[tuple[str, int]]
    similar: Counter[int]
    unknown: Counter[str]


def count_losses(corpus: Corpus, rules: Rules) -> Lost:
    """Count over all documents; one Spark job."""
    parts = run_tasks(corpus.documents.sparkSession, partial(_count_part, rules=rules), corpus.decided)
    total = Lost(Counter(), Counter(), Counter())
    for part in parts:
        total.bits.update(part.bits)
        total.similar.update(part.similar)
        total.unknown.update(part.unknown)
    return total


def _count_part(parts: Parts, *, rules: Rules) -> Lost:
    lost = Lost(Counter(), Counter(), Counter())
    for batch in read_groups(parts["decisions"].path, ("text", "edits")):
        texts = batch.column("text").to_pylist()
        for text, edits in zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True):
            losses, unknown = list(losses_of(text, edits, rules)), list(unknown_terms(text, edits, rules))
            lost.bits.update((loss.label, int(loss.bits)) for loss in losses)
            lost.unknown.update(unknown)
            if losses or unknown:
                lost.similar[int(similarity(losses, len(unknown)) * TENTHS)] += 1
    return lost._replace(unknown=Counter(dict(lost.unknown.most_common(MOST_UNKNOWN))))
