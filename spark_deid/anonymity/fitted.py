"""Fitted recodings: what Mondrian made of a table, kept for later batches of the same kind.

A folder, private because it holds ranges of originals: ``recipe.json``, the values of each quasi-identifier, the cuts
of the whole table, and a file of cuts and classes a part.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import MISSING, UNKNOWN, AttributeOrder, CodedAttribute, attribute_of
from spark_deid.anonymity.bands import show_as_bands
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import NO_TYPES, OTHER, ColumnTypes, kind_of_column
from spark_deid.anonymity.kernels.cuts import LAST, NO_TIE, CutTree
from spark_deid.anonymity.partition import PartClasses
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.ontology.hierarchy import ValueHierarchy

FITTED = "fitted"
"""The folder of a workspace that keeps a recoding."""
RECIPE, TOP = "recipe.json", "top.npz"
OUTSIDE, SHORT = "outside_of_fitted_ranges", "in_classes_that_fail"
"""The reasons of rows that a fitted recoding omits."""
_LINES = (AttributeOrder.NUMBER, AttributeOrder.DATE)


@dataclass(frozen=True)
class FittedPart:
    """Cuts of a part in doubled codes, the class of each of their nodes (-1: none), and ``Ranges`` of classes."""

    cuts: CutTree
    classes: Int32s
    lows: Int32s
    highs: Int32s
    extras: Int64s


@dataclass(frozen=True)
class FittedRecoding:
    """A folder of a fitted recoding: its attributes, and the cuts of the whole table in doubled codes.

    The *doubled code* of a value that the fitted table has is twice its code; one more is a value between it and the
    next, which the table lacks.
    """

    folder: Path
    attributes: tuple[CodedAttribute, ...]
    cuts: CutTree

    def part(self, number: int) -> FittedPart:
        """Read what became of a part."""
        with np.load(self.folder / f"part-{number}.npz") as arrays:
            cuts = double_cuts(CutTree(*(arrays[name] for name in CutTree._fields)))
            classes = np.full(len(cuts.columns), -1, np.int32)
            classes[arrays["nodes"]] = np.arange(len(arrays["nodes"]))
            return FittedPart(
                cuts, classes, arrays["class_lows"], arrays["class_highs"], arrays["class_missing"].astype(np.int64)
            )


def save_part(folder: Path, number: int, classes: PartClasses) -> None:
    """Keep the cuts and classes of a part."""
    ranges = {"class_lows": classes.lows, "class_highs": classes.highs, "class_missing": classes.extras}
    _save(folder / f"part-{number}.npz", {**classes.cuts._asdict(), "nodes": classes.nodes, **ranges})


def save_fitted(folder: Path, claim: PrivacyClaim, attributes: Sequence[CodedAttribute], cuts: CutTree) -> None:
    """Keep what the parts have in common; the folder must exist."""
    save_values(folder, attributes)
    _save(folder / TOP, cuts._asdict())
    recipe = {
        "quasi": list(claim.quasi),
        "model": str(claim.models),
        "hierarchies": {name: claim.hierarchies[name] for name in claim.quasi if name in claim.hierarchies},
        "bands": [attribute.name for attribute in attributes if attribute.is_banded],
    }
    (folder / RECIPE).write_text(json.dumps(recipe) + "\n", encoding="utf-8")
    for path in folder.iterdir():
        path.chmod(0o600)


def save_values(folder: Path, attributes: Sequence[CodedAttribute]) -> None:
    """Keep the values of attributes in a private folder."""
    for place, attribute in enumerate(attributes):
        table, path = pa.table({"values": attribute.values}), folder / f"values-{place}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)
        path.chmod(0o600)


def read_values(folder: Path, number: int) -> tuple[pa.Array, ...]:
    """Read the values that ``save_values`` kept of a number of attributes. Raises OSError and ValueError."""
    return tuple(_values(folder / f"values-{place}.arrow") for place in range(number))


def check_fitted_names(fitted: Sequence[str], quasi: Sequence[str]) -> None:
    """Raise UsageError for other quasi-identifiers than those that were fitted."""
    if tuple(fitted) != tuple(quasi):
        raise UsageError(f"--quasi: expected the columns of the fitted recoding in this order: {','.join(fitted)}")


def read_fitted(folder: Path, quasi: Sequence[str], types: ColumnTypes = NO_TYPES) -> FittedRecoding:
    """Read a fitted recoding, of columns that were read as ``types``.

    Raises UsageError where there is none, or one of other quasi-identifiers.
    """
    try:
        recipe = json.loads((folder / RECIPE).read_text(encoding="utf-8"))
        with np.load(folder / TOP) as arrays:
            cuts = double_cuts(CutTree(*(arrays[name] for name in CutTree._fields)))
        bands = frozenset(recipe.get("bands", ()))
        values = read_values(folder, len(recipe["quasi"]))
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
        raise UsageError(
            f"--fitted {folder.parent}: this folder contains no fitted recoding. Expected the --workspace of an "
            "earlier run"
        ) from error
    check_fitted_names(recipe["quasi"], quasi)
    trees = {name: ValueHierarchy(tuple(map(tuple, rows)), name) for name, rows in recipe["hierarchies"].items()}
    made = (
        attribute_of(name, each, trees.get(name), kind_of_column(types, name))
        for name, each in zip(quasi, values, strict=True)
    )
    attributes = tuple(show_as_bands(each) if each.name in bands else each for each in made)
    return FittedRecoding(folder, attributes, cuts)


def double_cuts(cuts: CutTree) -> CutTree:
    """Return cuts of codes as cuts of doubled codes: what lies between two values goes with the lower one."""
    parted = cuts.limits != NO_TIE
    highs = cuts.highs.astype(np.int64) * 2 + np.where(parted, 0, 1)
    return cuts._replace(lows=cuts.lows * 2, highs=np.minimum(highs, LAST).astype(np.int32))


def doubled_codes(fitted: CodedAttribute, batch: CodedAttribute) -> Int32s:
    """Return the doubled code of each code of a batch's attribute; UNKNOWN for values outside the fitted ones.

    Raises SparkDeidError where the batch's values are of another kind.
    """
    if fitted.kind in _LINES:
        if batch.kind is not fitted.kind and batch.last:
            raise SparkDeidError(f"column {fitted.name}: expected values of the fitted kind {fitted.kind.value}")
        ordered = fitted.positions[1 : fitted.last + 1]
        sought = batch.positions[1 : batch.last + 1]
        places = np.searchsorted(ordered, sought, side="right")
        exact = fitted.positions[places] == sought
        outside = (places == 0) | (~exact & (places == fitted.last))
        codes = np.append(np.where(outside, UNKNOWN, 2 * places + ~exact), _doubled_categories(fitted, batch))
    else:
        texts = batch.values.cast(pa.string())
        found = pc.fill_null(pc.index_in(texts, value_set=fitted.values.cast(pa.string())), -1)
        places = found.to_numpy(zero_copy_only=False).astype(np.int64)
        codes = np.where(places < 0, UNKNOWN, 2 * (places + 1))
    return np.append(MISSING, codes).astype(np.int32)


def _doubled_categories(fitted: CodedAttribute, batch: CodedAttribute) -> Int64s:
    """Return the doubled codes of categories among numbers or dates; one that was not fitted is ``other``."""
    known = fitted.values.slice(fitted.last).cast(pa.string())
    other = pc.index(known, pa.scalar(OTHER)).as_py()
    found = pc.index_in(batch.values.slice(batch.last).cast(pa.string()), value_set=known)
    places = pc.fill_null(found, other).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.where(places < 0, UNKNOWN, 2 * (fitted.last + places + 1))


def are_within_classes(part: FittedPart, codes: Int32s, classes: Int64s, ends: Int32s) -> Bools:
    """Tell which rows, of doubled codes, lie within what their class shows in every attribute."""
    there = classes >= 0
    at = np.maximum(classes, 0)
    within = (codes >= 2 * part.lows[at]) & (codes <= 2 * part.highs[at]) & (part.lows[at] > 0)
    bits = np.where(codes == MISSING, 0, codes // 2 - ends)
    is_extra = (codes == MISSING) | (bits > 0)
    within[is_extra] = ((part.extras[at][is_extra] >> bits[is_extra]) & 1) == 1
    shown: Bools = there & within.all(axis=1) & (codes != UNKNOWN).all(axis=1)
    return shown


def _values(path: Path) -> pa.Array:
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all().column("values").combine_chunks()


def _save(path: Path, arrays: Mapping[str, Any]) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        np.savez(stream, **arrays)
