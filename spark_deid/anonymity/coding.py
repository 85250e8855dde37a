"""Columns of a table as codes: units with their rows, ready to be cut."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import UNKNOWN, AttributeOrder, CodedAttribute, attribute_of, sensitive_attribute_of
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import kind_of_column
from spark_deid.anonymity.constraint import ClassConstraint, free_constraint, sensitive_of
from spark_deid.anonymity.lattice import levels_of
from spark_deid.anonymity.model_options import L, ModelNeeds, SensitiveDistance
from spark_deid.anonymity.multivalued import RowValues, row_values
from spark_deid.anonymity.partition import UnitRows
from spark_deid.core.errors import CorpusError, SparkDeidError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt64s
from spark_deid.ontology.hierarchy import ValueHierarchy


@dataclass(frozen=True)
class TableCoder:
    """The attributes that cuts go by, and those whose values must not be told.

    The values of sensitive attribute a have numbers from ``offsets[a]`` on. Where sensitive columns are
    ``of_lists``, a row holds each value of its list, and none where that is empty.
    """

    quasi: tuple[CodedAttribute, ...]
    sensitive: tuple[CodedAttribute, ...]
    of_lists: bool = False

    @property
    def offsets(self) -> Int64s:
        """Return where the numbers of each sensitive attribute begin; the last is how many there are."""
        return np.cumsum([0, *(attribute.size for attribute in self.sensitive)]).astype(np.int64)

    def part(self, columns: Mapping[str, pa.Array], units: Int64s, ties: UInt64s) -> UnitRows:
        """Return rows as a part; ``units`` are where the rows of each unit begin, and where the last end."""
        codes = np.stack([codes_of(attribute, columns[attribute.name]) for attribute in self.quasi], axis=1)
        values = [
            row_values(columns[attribute.name], partial(codes_of, attribute), start)
            for attribute, start in zip(self.sensitive, self.offsets, strict=False)
        ]
        return UnitRows(np.ascontiguousarray(codes), units, ties, *held_by(values, units, int(self.offsets[-1])))


def coder_of(claim: PrivacyClaim, values: Mapping[str, pa.Array]) -> TableCoder:
    """Make the attributes of a claim from the values of its columns.

    Sensitive ones are left out where no model asks for them. Raises SparkDeidError.
    """
    hierarchies = {name: ValueHierarchy(rows, f"the hierarchy of {name}") for name, rows in claim.hierarchies.items()}
    return TableCoder(
        tuple(
            attribute_of(name, values[name], hierarchies.get(name), kind_of_column(claim.types, name))
            for name in claim.quasi
        ),
        tuple(
            sensitive_attribute_of(name, values[name], hierarchies.get(name)) for name in find_sensitive_columns(claim)
        ),
    )


def find_sensitive_columns(claim: PrivacyClaim) -> tuple[str, ...]:
    """Return the sensitive columns, where a model asks for them."""
    return claim.sensitive if ModelNeeds.SENSITIVE in claim.models.needs else ()


def constraint_for(claim: PrivacyClaim, coder: TableCoder, holders: Int64s) -> ClassConstraint:
    """Return the models of a claim as a constraint; ``holders`` are the persons that hold each sensitive value.

    Of lists nobody needs a value: a class of persons without any links nobody to one, so that only l asks for some.
    """
    sensitive = []
    for attribute, (start, end) in zip(coder.sensitive, pairwise(coder.offsets), strict=True):
        rows = claim.hierarchies.get(attribute.name)
        is_near = rows is not None and claim.distance in (SensitiveDistance.AUTO, SensitiveDistance.HIERARCHICAL)
        sensitive.append(
            sensitive_of(
                holders[start:end],
                claim.distance,
                ordered=attribute.kind in (AttributeOrder.NUMBER, AttributeOrder.DATE),
                ancestors=_ancestors(attribute, rows) if is_near and rows is not None else None,
            )
        )
    constraint = claim.models.tighten(free_constraint(sensitive))
    return without_need(constraint, claim) if coder.of_lists else constraint


def without_need(constraint: ClassConstraint, claim: PrivacyClaim) -> ClassConstraint:
    """Return a constraint that classes without any sensitive value satisfy, unless l-diversity is asked for."""
    return constraint if L in claim.models else constraint._replace(distinct=0)


def codes_of(attribute: CodedAttribute, column: pa.Array) -> Int32s:
    """Return the codes of a column, of which the values are encoded once each where it is a dictionary."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    known = np.append(attribute.encode(column.dictionary), np.int32(0))
    places = pc.fill_null(column.indices, len(known) - 1).to_numpy(zero_copy_only=False)
    codes: Int32s = known[places]
    return codes


def held_by(values: Sequence[RowValues], units: Int64s, width: int) -> tuple[Int64s, Int32s]:
    """Return where the sensitive values of each unit begin, and these, each once; ``values`` are by row."""
    number = len(units) - 1
    if not values:
        return np.zeros(number + 1, np.int64), np.empty(0, np.int32)
    if number == units[-1] and all(each.offsets is None for each in values):
        offsets = np.arange(number + 1, dtype=np.int64) * len(values)
        return offsets, np.stack([each.codes for each in values], axis=1).astype(np.int32).ravel()
    owners = np.repeat(np.arange(number, dtype=np.int64), np.diff(units))
    keys = np.unique(np.concatenate([owners[each.rows] * width + each.codes for each in values]))
    counts = np.bincount(keys // width, minlength=number)
    return np.append(0, np.cumsum(counts)).astype(np.int64), (keys % width).astype(np.int32)


def _ancestors(attribute: CodedAttribute, rows: tuple[tuple[str, ...], ...]) -> Int64s:
    levels = levels_of(attribute, ValueHierarchy(rows, f"the hierarchy of {attribute.name}"))
    return levels.codes[:-1].astype(np.int64)


# How a table's columns are coded, and rows of a partition as a part of whole persons.


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


# What is asked of Mondrian, and rows by person: models that cuts can keep, how quasi-identifiers are shown.


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
