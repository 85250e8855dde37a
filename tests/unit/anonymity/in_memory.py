"""Mondrian over a table in memory: each row's class, and what the class shows; Spark's is compared with it."""

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.coding import TableCoder, coder_of, constraint_for, rows_by_person, ties_of
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.partition import PartClasses, UnitRows, class_labels, cut_part, rows_of, with_bands
from spark_deid.anonymity.recoding_modes import Modes, RecodingMode, check_mondrian, modes_of
from spark_deid.core.errors import GateRefused
from spark_deid.core.numerics.arrays import Int64s

TIGHT: Modes = MappingProxyType({})


@dataclass(frozen=True)
class RecodedTable:
    """Rows in their order: ``classes`` numbers each row's class, ``labels`` has the recoded quasi-identifiers.

    ``cut`` are the classes themselves, of ``coder``'s attributes.
    """

    classes: Int64s
    labels: pa.Table
    cut: PartClasses
    coder: TableCoder


def recode_table(
    table: pa.Table, claim: PrivacyClaim, *, recoding: Modes = TIGHT, is_relaxed: bool = False, key: bytes = b""
) -> RecodedTable:
    """Cut a table into classes that satisfy a claim's models, and show each row as its class does.

    Recoding is tight where ``recoding`` does not state otherwise. ``key`` orders the people, or rows, that relaxed cuts
    part. Raises GateRefused where the whole table, as one class, does not satisfy the models, UsageError for absent
    columns and for models that cuts can't keep, CorpusError for rows without a person.
    """
    check_mondrian(claim)
    check_columns(claim, table.column_names)
    columns = {name: table.column(name).combine_chunks() for name in claim.columns}
    order, units, names = rows_by_person(columns.get(claim.person or ""), table.num_rows)
    coder = coder_of(claim, columns)
    sorted_columns = {name: column.take(pa.array(order)) for name, column in columns.items()}
    part = coder.part(sorted_columns, units, ties_of(key, names) if is_relaxed else np.empty(0, np.uint64))
    holders = np.bincount(part.held, minlength=int(coder.offsets[-1])).astype(np.int64)
    constraint = constraint_for(claim, coder, holders)
    if not satisfies(constraint, np.int64(part.number), np.int64(0), holders):
        raise refused(part.number)
    modes = modes_of(claim, dict.fromkeys(claim.quasi, RecodingMode.TIGHT) | dict(recoding))
    coder = replace(coder, quasi=with_bands(coder.quasi, modes))
    classes = cut_part(part, coder.quasi, constraint, modes, is_relaxed=is_relaxed)
    rows, bounds = rows_of(part, classes.order, classes.starts)
    owners = np.empty(len(order), np.int64)
    owners[order[rows]] = np.repeat(np.arange(classes.number), np.diff(bounds))
    return RecodedTable(owners, pa.table(labels_of(part, coder, classes, owners)), classes, coder)


def refused(units: int) -> GateRefused:
    """Return the refusal of a table that no cut helps."""
    return GateRefused(f"nothing is written: all {units} together, as one class, do not satisfy the model")


def labels_of(part: UnitRows, coder: TableCoder, classes: PartClasses, owners: Int64s) -> dict[str, pa.Array]:
    """Return what rows show, a column a quasi-identifier."""
    named = zip(coder.quasi, class_labels(classes, coder.quasi), strict=True)
    return {attribute.name: names.take(pa.array(owners)).dictionary_decode() for attribute, names in named}
