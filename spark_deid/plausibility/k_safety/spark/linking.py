"""Operator: link released documents back to the records of an external table, and count what too few share (ERASE)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.core.arrow import tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.engine import functions as F
from spark_deid.engine.shared import SharedValue, share
from spark_deid.engine.tasks import run_tasks
from spark_deid.plausibility.k_safety.linking import LinkageFacts, RecordLinker, Words, lines_of, term_of, words_of
from spark_deid.plausibility.k_safety.settings import EraseSettings
from spark_deid.plausibility.k_safety.spark.records import records_of
from spark_deid.rewriting.registry import TECHNIQUES, writes_placeholders
from spark_deid.storage.parts import Parts, read_groups

DOCUMENTS_NAMED = 5
_KEPT = 1 << 16
_WORD, _TERM = " ", "\n"
Lines = Mapping[str, Mapping[str, tuple[Words, ...]]]


class LinkageCounts(NamedTuple):
    """What was counted: documents, records that share a word with some, faults by name, a few documents with faults."""

    documents: int
    records: int
    faults: Counter[str]
    named: tuple[str, ...]


def link_to_records(settings: EraseSettings, corpus: Corpus) -> LinkageCounts:
    """Link every document of the decisions; four Spark jobs."""
    spark = corpus.documents.sparkSession
    words = frozenset[str]().union(*run_tasks(spark, _words_of_part, corpus.decided))
    records = records_of(spark, settings)
    lines = lines_of(settings.hierarchies, records.columns)
    known = share(spark, (words, lines))
    result = _facts(records, lines, known)
    sent = share(spark, result)
    link_part = partial(_link_part, facts=sent, k=settings.k, keeps_values=settings.terms != "shared")
    parts = run_tasks(spark, link_part, corpus.decided)
    faults = sum((part.faults for part in parts), Counter[str]())
    named = tuple(name for part in parts for name in part.named)[:DOCUMENTS_NAMED]
    return LinkageCounts(sum(part.documents for part in parts), sum(result.numbers), faults, named)


def _facts(records: DataFrame, lines: Lines, known: SharedValue[tuple[frozenset[str], Lines]]) -> LinkageFacts:
    """Return the facts by which records are recognized, as far as words of released texts go."""
    rows = records.mapInPandas(partial(_terms, columns=tuple(records.columns), known=known), "terms string, own string")
    counted = rows.groupBy("terms").agg(F.count(F.lit(1)).alias("records")).where(F.col("terms") != "").collect()
    values = rows.select(F.explode(F.split("own", _TERM)).alias("own")).distinct().where(F.col("own") != "").collect()
    above = {
        (low, high)
        for paths in lines.values()
        for path in paths.values()
        for at, low in enumerate(path)
        for high in path[at + 1 :]
        if low != high
    }
    return LinkageFacts(
        tuple(tuple(map(_split, row[0].split(_TERM))) for row in counted),
        tuple(int(row[1]) for row in counted),
        frozenset(_split(row[0]) for row in values),
        frozenset(above),
    )


def _split(term: str) -> Words:
    return tuple(term.split(_WORD))


def _terms(
    batches: Iterable[pd.DataFrame], *, columns: tuple[str, ...], known: SharedValue[tuple[frozenset[str], Lines]]
) -> Iterator[pd.DataFrame]:
    """Give the terms of each record that the words of released texts could make, and those that are its values."""
    words, lines = known.value

    @lru_cache(_KEPT)
    def known_by(column: str, value: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the terms of a value and those that are the value itself; tables have few different ones."""
        term = term_of(value)
        path = (term, *lines.get(column, {}).get(value, ()))
        own = (_WORD.join(term),) if term and words.issuperset(term) else ()
        return frozenset(_WORD.join(each) for each in path if each and words.issuperset(each)), frozenset(own)

    for batch in batches:
        results: list[tuple[str, str]] = []
        for row in batch.itertuples(index=False):
            values = [known_by(*each) for each in zip(columns, row, strict=True) if isinstance(each[1], str)]
            found, own = (set[str]().union(*(value[place] for value in values)) for place in (0, 1))
            results.append((_TERM.join(sorted(found)), _TERM.join(sorted(own))))
        yield pd.DataFrame(results, columns=["terms", "own"])


def _words_of_part(parts: Parts) -> frozenset[str]:
    found: set[str] = set()
    for batch in read_groups(parts["decisions"].path, ("published",)):
        for text in batch.column("published").to_pylist():
            found.update(words_of(text))
    return frozenset(found)


def _link_part(parts: Parts, *, facts: SharedValue[LinkageFacts], k: int, keeps_values: bool) -> LinkageCounts:
    linker = RecordLinker(facts.value, k, keeps_values=keeps_values)
    hidden = frozenset(name for name in TECHNIQUES.names() if writes_placeholders(name))
    faults, named, documents = Counter[str](), list[str](), 0
    for batch in read_groups(parts["decisions"].path, ("doc_id", "text", "edits")):
        ids, texts = (batch.column(name).to_pylist() for name in ("doc_id", "text"))
        for doc_id, text, rows in zip(ids, texts, tuples_of(batch.column("edits")), strict=True):
            wrong = linker.faults(text, [LabelledEdit(*row) for row in rows], hidden)
            faults += wrong
            documents += 1
            if wrong and len(named) < DOCUMENTS_NAMED:
                named.append(doc_id)
    return LinkageCounts(documents, 0, faults, tuple(named))
