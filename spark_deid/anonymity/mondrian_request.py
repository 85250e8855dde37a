"""What is asked of Mondrian, and rows by person: models that cuts can keep, how quasi-identifiers are shown."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.errors import CorpusError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.numerics.arrays import Int64s, UInt64s


def rows_by_person(persons: pa.Array | None, rows: int) -> tuple[Int64s, Int64s, Sequence[object]]:
    """Return rows in an order that has each person's together, where each person begins, and the persons' names.

    Without persons every row is one, named by its number. Raises CorpusError for rows that name no person.
    """
    if persons is None:
        return np.arange(rows), np.arange(rows + 1), range(rows)
    if persons.null_count:
        raise CorpusError(f"{persons.null_count} rows have no person. Expected a person in every row")
    encoded = pc.cast(persons, pa.string()).dictionary_encode()
    indices = encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(indices, kind="stable")
    units = np.append(0, np.cumsum(np.bincount(indices, minlength=len(encoded.dictionary))))
    return order, units.astype(np.int64), encoded.dictionary.to_pylist()


def ties_of(key: bytes, names: Iterable[object]) -> UInt64s:
    """Return a number for each person that only the key's holder can tell."""
    return np.array([int(keyed_hash(key, "tie", str(name))[:16], 16) for name in names], np.uint64)
