"""Mondrian over a table in memory: each row's class, and what the class shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.claim import Claim, check_claim, check_columns
from spark_deid.anonymity.coding import Coder, coder_of, constraint_for
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.models import DELTA, M
from spark_deid.anonymity.partition import Classes, Part, Recoding, cut_part, rows_of, shown
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.numerics.arrays import Int64s, UInt64s

UNSUPPORTED = (DELTA, M)
"""Models that Mondrian's cuts can't keep."""
Modes = Mapping[str, Recoding]
TIGHT: Modes = MappingProxyType({})


@dataclass(frozen=True)
class RecodedTable:
    """Rows in their order: ``classes`` numbers each row's class, ``labels`` has the recoded quasi-identifiers.

    ``cut`` are the classes themselves, of ``coder``'s attributes.
    """

    classes: Int64s
    labels: pa.Table
    cut: Classes
    coder: Coder


def recode_table(
    table: pa.Table, claim: Claim, *, recoding: Modes = TIGHT, is_relaxed: bool = False, key: bytes = b""
) -> RecodedTable:
    """Cut a table into classes that satisfy a claim's models, and show each row as its class does.

    Recoding is tight where ``recoding`` does not say otherwise. ``key`` orders the persons, or rows, that relaxed cuts
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
    classes = cut_part(part, coder.quasi, constraint, modes_of(claim, recoding), is_relaxed=is_relaxed)
    rows, bounds = rows_of(part, classes.order, classes.starts)
    owners = np.empty(len(order), np.int64)
    owners[order[rows]] = np.repeat(np.arange(classes.number), np.diff(bounds))
    return RecodedTable(owners, pa.table(labels_of(part, coder, classes, owners)), classes, coder)


def check_mondrian(claim: Claim) -> None:
    """Raise UsageError where a claim is not whole, or asks for what Mondrian can't keep."""
    wrong = [demand.parameters for demand in claim.models.demands if demand.name in UNSUPPORTED]
    if wrong:
        raise UsageError(f"--model {', '.join(wrong)}: Mondrian can't keep it")
    check_claim(claim)


def read_recoding(text: str, quasi: Sequence[str]) -> Modes:
    """Read how quasi-identifiers are shown: one mode for all, or ``column=mode`` with commas between.

    Raises UsageError.

    >>> {name: mode.value for name, mode in read_recoding("age=region", ("age", "zip")).items()}
    {'age': 'region', 'zip': 'tight'}
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 1 and "=" not in parts[0]:
        return dict.fromkeys(quasi, _mode(parts[0]))
    given = {part.partition("=")[0].strip(): part.partition("=")[2].strip() for part in parts}
    unknown = sorted(set(given) - set(quasi))
    if unknown:
        raise UsageError(f"--recoding: {', '.join(unknown)}: expected quasi-identifiers, as in {quasi[0]}=region")
    return {name: _mode(given.get(name, Recoding.TIGHT.value)) for name in quasi}


def _mode(text: str) -> Recoding:
    try:
        return Recoding(text)
    except ValueError:
        modes = ", ".join(mode.value for mode in Recoding)
        raise UsageError(f"--recoding: expected one of {modes}, or column=mode, got {text!r}") from None


def refused(units: int) -> GateRefused:
    """Return the refusal of a table that no cut helps."""
    return GateRefused(f"nothing is written: all {units} together, as one class, do not satisfy the model")


def modes_of(claim: Claim, recoding: Modes) -> dict[str, Recoding]:
    """Return how each quasi-identifier is shown."""
    return {name: recoding.get(name, Recoding.TIGHT) for name in claim.quasi}


def rows_by_person(persons: pa.Array | None, rows: int) -> tuple[Int64s, Int64s, Sequence[object]]:
    """Return rows in an order that has each person's together, where each person begins, and the persons' names.

    Without persons every row is one, named by its number. Raises CorpusError for rows that name no person.
    """
    if persons is None:
        return np.arange(rows), np.arange(rows + 1), range(rows)
    if persons.null_count:
        raise CorpusError(f"{persons.null_count} rows name no person; expected one in every row")
    encoded = pc.cast(persons, pa.string()).dictionary_encode()
    indices = encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(indices, kind="stable")
    units = np.append(0, np.cumsum(np.bincount(indices, minlength=len(encoded.dictionary))))
    return order, units.astype(np.int64), encoded.dictionary.to_pylist()


def ties_of(key: bytes, names: Iterable[object]) -> UInt64s:
    """Return a number for each person that only the key's holder can tell."""
    return np.array([int(keyed_hash(key, "tie", str(name))[:16], 16) for name in names], np.uint64)


def labels_of(part: Part, coder: Coder, classes: Classes, owners: Int64s) -> dict[str, pa.Array]:
    """Return what rows show, a column a quasi-identifier."""
    named = zip(coder.quasi, shown(classes, coder.quasi), strict=True)
    return {attribute.name: names.take(pa.array(owners)).dictionary_decode() for attribute, names in named}
