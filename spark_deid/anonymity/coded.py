"""How a table's columns are coded, and rows of a partition as a part of whole persons."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import UNKNOWN, CodedAttribute
from spark_deid.anonymity.coding import held_by
from spark_deid.anonymity.multivalued import row_values
from spark_deid.anonymity.partition import UnitRows
from spark_deid.core.errors import CorpusError, SparkDeidError
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s


@dataclass(frozen=True)
class CodedTable:
    """Quasi-identifiers, and sensitive attributes in one common numbering.

    Tables of rows have a column for each, in this order; where ``by_person``, then one that names the person, whose
    rows stand together. Else every row is a person of its own. Sensitive columns may have lists, of which a row holds
    each value.
    """

    quasi: tuple[CodedAttribute, ...]
    sensitive: tuple[CodedAttribute, ...] = ()
    by_person: bool = False

    @property
    def offsets(self) -> Int64s:
        """Return where the numbers of each sensitive attribute begin, and where the last one's end."""
        return np.concatenate([[0], np.cumsum([each.size for each in self.sensitive])]).astype(np.int64)

    def part(self, rows: pa.RecordBatch | pa.Table) -> UnitRows:
        """Code rows; raises CorpusError where rows name no person, SparkDeidError where a value is unknown."""
        width = len(self.quasi)
        codes = _codes(rows, self.quasi, 0)
        units = self._units(rows)
        held = [
            row_values(_cells(rows, width + at), partial(_codes_of, attribute=attribute), start)
            for at, (attribute, start) in enumerate(zip(self.sensitive, self.offsets, strict=False))
        ]
        offsets, values = held_by(held, units, int(self.offsets[-1]))
        return UnitRows(codes, units, np.empty(0, np.uint64), offsets, values)

    def _units(self, rows: pa.RecordBatch | pa.Table) -> Int64s:
        if not self.by_person:
            return np.arange(rows.num_rows + 1)
        person = rows.column(rows.num_columns - 1)
        if person.null_count:
            raise CorpusError("rows without a person. Expected a person in every row")
        return np.append(np.flatnonzero(_begins(person)), rows.num_rows)


def _codes(rows: pa.RecordBatch | pa.Table, attributes: Sequence[CodedAttribute], start: int) -> Int32s:
    codes = np.empty((rows.num_rows, len(attributes)), np.int32)
    for at, attribute in enumerate(attributes):
        codes[:, at] = _codes_of(_cells(rows, start + at), attribute)
    return codes


def _cells(rows: pa.RecordBatch | pa.Table, place: int) -> pa.Array:
    cells = rows.column(place)
    return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells


def _codes_of(cells: pa.Array, attribute: CodedAttribute) -> Int32s:
    codes = attribute.encode(cells)
    if (codes == UNKNOWN).any():
        raise SparkDeidError(
            f"column {attribute.name}: the values changed during the run. Run it again on unchanged data"
        )
    return codes


def _begins(person: pa.Array | pa.ChunkedArray) -> Bools:
    """Tell where a row's person is another than the one before."""
    changes = pc.not_equal(person.slice(1), person.slice(0, max(len(person) - 1, 0)))
    return np.concatenate([np.ones(min(len(person), 1), np.bool_), np.asarray(changes, np.bool_)])
