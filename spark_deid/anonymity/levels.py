"""Levels of a hierarchy as arrays: what each value becomes, level by level."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int32s
from spark_deid.ontology.hierarchy import ValueHierarchy


@dataclass(frozen=True)
class AttributeLevels:
    """``codes[level, code]`` numbers what a value becomes, ``labels[level]`` names it; level 0 is the value.

    A missing value (code 0) is a label of its own, None, until the last level, which is one label for all.
    """

    codes: Int32s
    labels: tuple[tuple[str | None, ...], ...]

    @property
    def height(self) -> int:
        """Return the number of levels above the values."""
        return len(self.labels) - 1


def levels_of(attribute: CodedAttribute, hierarchy: ValueHierarchy) -> AttributeLevels:
    """Number the labels of each level of a hierarchy for the values of an attribute.

    Raises SparkDeidError where the hierarchy lacks values.
    """
    rows = {row[0]: row for row in hierarchy.rows}
    texts = attribute.values.cast(pa.string()).to_pylist()
    lacking = sum(text not in rows for text in texts)
    if lacking:
        raise SparkDeidError(f"{hierarchy.name}: lacks {lacking} of the values of column {attribute.name}")
    codes = np.empty((hierarchy.height + 1, attribute.size), np.int32)
    labels = []
    for level in range(hierarchy.height + 1):
        of_missing = rows[texts[0]][level] if level == hierarchy.height and texts else None
        named = [of_missing, *(rows[text][level] for text in texts)]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(named))}
        codes[level] = [numbers[label] for label in named]
        labels.append(tuple(numbers))
    return AttributeLevels(codes, tuple(labels))
