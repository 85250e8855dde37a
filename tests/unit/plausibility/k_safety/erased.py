"""Tables of records, what documents share with them, and documents that are generalized by them, without Spark."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.plausibility.k_safety.catalogue import count_terms, labels_of, save_catalogue
from spark_deid.plausibility.k_safety.document import REASONS, SafetyRequest, find_terms, read_document
from spark_deid.plausibility.k_safety.linking import LinkageFacts, RecordLinker, term_of
from spark_deid.plausibility.k_safety.settings import ERASE, RECORD, Sensitive
from spark_deid.plausibility.k_safety.words import LabelEdges, key_of
from spark_deid.rewriting.decide import DocumentEdits, decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules, leave_all

Rows = Sequence[tuple[str, ...]]
Hierarchies = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By column, the line of each value, itself first."""


def lines(columns: Sequence[str], rows: Rows, hierarchies: Hierarchies) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the lines of all columns; a column without a hierarchy has its values only."""
    return {
        column: dict(hierarchies.get(column) or {row[place]: (row[place],) for row in rows})
        for place, column in enumerate(columns)
    }


def catalogue(path: Path, columns: Sequence[str], rows: Rows, hierarchies: Hierarchies, found: Sequence[str]) -> str:
    """Write the catalogue of a table for texts that have these terms."""
    every = lines(columns, rows, hierarchies)
    paths = {column: {value: labels_of(line) for value, line in each.items()} for column, each in every.items()}
    labels = {key_of(label) for each in paths.values() for path in each.values() for label in path}
    edges = LabelEdges(key_of(label) for each in paths.values() for path in each.values() for label in path[1:])
    plan = count_terms(paths, {key_of(term) for term in found} | {key for key in labels if edges.meet(key)})
    nodes = Counter(
        tuple(plan.values[column][value] for column, value in zip(columns, row, strict=True)) for row in rows
    )
    counted = sorted((row, number) for row, number in nodes.items() if any(row))
    records = np.array([row for row, _ in counted], np.int32).reshape(-1, len(columns))
    own = {key_of(value) for row in rows for value in row}
    file = path / "catalogue.npz"
    save_catalogue(file, plan, records, np.array([number for _, number in counted], np.int64), own)
    return str(file)


def asked(file: str, k: int, terms: Sensitive = "shared") -> SafetyRequest:
    return SafetyRequest(file, k, terms)


def decided(text: str, asked: SafetyRequest, *others: Span) -> tuple[list[Span], DocumentEdits]:
    """Find the terms of a text and decide it."""
    spans = [*find_terms(text, request=asked), *others]
    rule = PreparedRule(ERASE, leave_all, None, partial(read_document, request=asked), REASONS)
    return spans, decide(Document("d", text), spans, PreparedRules({RECORD: rule}))


def linker(columns: Sequence[str], rows: Rows, hierarchies: Hierarchies, k: int, *, keeps_values: bool) -> RecordLinker:
    """Make what links documents back to a table."""
    every = lines(columns, rows, hierarchies)
    told = {
        column: {value: [term for label in line if (term := term_of(label))] for value, line in each.items()}
        for column, each in every.items()
    }
    sets = Counter(
        tuple(sorted({term for column, value in zip(columns, row, strict=True) for term in told[column][value]}))
        for row in rows
    )
    above = {
        (low, high)
        for each in told.values()
        for line in each.values()
        for at, low in enumerate(line)
        for high in line[at + 1 :]
    }
    values = frozenset(term for row in rows for value in row if (term := term_of(value)))
    return RecordLinker(
        LinkageFacts(tuple(sets), tuple(sets.values()), values, frozenset(above)), k, keeps_values=keeps_values
    )
