"""Fitted levels: the level that Incognito chose for each column of a table, kept for later batches of the same kind.

A folder, private because it holds originals: ``levels.json`` and the values of each quasi-identifier.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import (
    AttributeOrder,
    CodedAttribute,
    as_comparable,
    attribute_of,
    default_hierarchy,
)
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import NO_TYPES, NUMBER_PATTERN, ColumnKind, ColumnTypes, are_ordered
from spark_deid.anonymity.fitted import check_fitted_names, read_values, save_values
from spark_deid.anonymity.lattice import AttributeLevels, Node, levels_of
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.numerics.arrays import Bools
from spark_deid.ontology.hierarchy import ValueHierarchy

LEVELS = "levels.json"
_NUMBER = re.compile(NUMBER_PATTERN)


@dataclass(frozen=True)
class FittedLevels:
    """The values of each quasi-identifier of a fitted table, its hierarchy if it has one, and its level."""

    names: tuple[str, ...]
    values: tuple[pa.Array, ...]
    hierarchies: Mapping[str, ValueHierarchy]
    node: Node
    types: ColumnTypes

    def extended(self, place: int, batch: pa.Array) -> tuple[CodedAttribute, AttributeLevels]:
        """Return a column with the values of the fitted table and those of a batch that fit, and its levels.

        A value fits if the hierarchy has it. Without a hierarchy, a value fits if the fitted table shows its label.
        Raises SparkDeidError if the batch's values are of another kind.
        """
        name, level = self.names[place], self.node[place]
        hierarchy = self.hierarchies.get(name)
        if hierarchy is not None:
            leaves = pa.array([row[0] for row in hierarchy.rows], pa.string())
            attribute = attribute_of(name, leaves, hierarchy)
            return attribute, levels_of(attribute, hierarchy)
        kind = self.types[name].kind if name in self.types else ColumnKind.TEXT
        known = _in_one_spelling(self.values[place], kind)
        fitted = attribute_of(name, known, kind=kind)
        if not len(known):
            return fitted, AttributeLevels(np.zeros((1, 1), np.int32), ((None,),))
        values = pa.concat_arrays([known, _fitting_numbers(fitted, _as_fitted(name, batch, known.type))])
        both = attribute_of(name, values, kind=kind)
        if both.kind is not fitted.kind:
            raise SparkDeidError(f"column {name}: expected values of the fitted kind {fitted.kind.value}")
        made = default_hierarchy(both, fitted.span)
        shown = {*fitted.texts()}
        labels = {row[level] for row in made.rows if row[0] in shown}
        rows = tuple(row for row in made.rows if row[level] in labels)
        fits = pc.is_in(both.values.cast(pa.string()), value_set=pa.array([row[0] for row in rows], pa.string()))
        attribute = attribute_of(name, both.values.filter(fits), kind=kind)
        return attribute, levels_of(attribute, replace(made, rows=rows))


def save_levels(folder: Path, claim: PrivacyClaim, attributes: Sequence[CodedAttribute], node: Node) -> None:
    """Keep levels in a private folder, which must exist."""
    save_values(folder, attributes)
    recipe = {
        "quasi": list(claim.quasi),
        "model": str(claim.models),
        "hierarchies": {name: claim.hierarchies[name] for name in claim.quasi if name in claim.hierarchies},
        "node": list(node),
    }
    with os.fdopen(os.open(folder / LEVELS, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as stream:
        json.dump(recipe, stream)


def read_levels(folder: Path, quasi: Sequence[str], types: ColumnTypes = NO_TYPES) -> FittedLevels:
    """Read levels of columns that were read as ``types``.

    Raises UsageError if the folder has no levels, or levels of other quasi-identifiers.
    """
    try:
        recipe = json.loads((folder / LEVELS).read_text(encoding="utf-8"))
        names, node = tuple(map(str, recipe["quasi"])), tuple(map(int, recipe["node"]))
        values = read_values(folder, len(names))
        trees = {name: ValueHierarchy(tuple(map(tuple, rows)), name) for name, rows in recipe["hierarchies"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"--fitted {folder.parent}: expected the --workspace of a run with --algorithm incognito"
        ) from error
    check_fitted_names(names, quasi)
    return FittedLevels(names, values, trees, node, types)


def _in_one_spelling(values: pa.Array, kind: ColumnKind) -> pa.Array:
    """Return fitted values as text if later batches of the column are read as text."""
    if kind is ColumnKind.TEXT:
        return values
    return (values.cast(pa.date32()) if pa.types.is_timestamp(values.type) else values).cast(pa.string())


def _as_fitted(name: str, batch: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return as_comparable(batch, kind).drop_null()
    except pa.ArrowInvalid as error:
        raise SparkDeidError(f"column {name}: expected values of the fitted type {kind}") from error


def _fitting_numbers(fitted: CodedAttribute, batch: pa.Array) -> pa.Array:
    """Return the values of a batch that are integers if all fitted numbers are integers."""
    if fitted.kind is not AttributeOrder.NUMBER or not _are_integers(fitted.line).all():
        return batch
    is_number = pa.array(are_ordered(batch.cast(pa.string()), ColumnKind.NUMBER))
    return batch.filter(pc.or_(pc.invert(is_number), pa.array(_are_integers(batch))))


def _are_integers(values: pa.Array) -> Bools:
    numbers = (Decimal(text) if _NUMBER.fullmatch(text) else None for text in values.cast(pa.string()).to_pylist())
    return np.array([number is not None and number == number.to_integral_value() for number in numbers], np.bool_)
