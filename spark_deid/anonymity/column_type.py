"""Types of columns of text: numbers, codes of digits, dates or categories, decided on cells and applied to cells.

A column is numbers, codes or dates if 90% of its cells are. Its other cells are categories or read ``other``.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.date_forms import read_dates
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools

TYPES = "column-types.json"
"""The file of a workspace that keeps the types of columns."""
OTHER = "other"
"""The text of cells that are not values of the column's kind and that too few people have."""
MISSING_TEXTS = ("", "NA")
"""The cells that are missing values in columns of numbers, codes and dates."""
MOST_CATEGORIES = 60
"""The maximum number of categories of a column of numbers, codes or dates; a class stores a bit for each."""
WHITESPACE = " \t\r\n\f\v"
NUMBER_PATTERN = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$"
PLAIN_NUMBER = r"^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,2})?$"
CODE_PATTERN = r"^[0-9]{1,15}$"


class ColumnKind(Enum):
    """The kind of the values of a column of text."""

    NUMBER = "number"
    CODE = "code"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True)
class ColumnType:
    """How a column of text is read.

    Attributes:
        kind: What its values are.
        storage: The type of Spark that its cells get. Text stores values in one spelling, with categories.
        forms: The forms of its dates (``date_forms``).
        categories: Other cells that at least k people have.
        length: The number of digits of its codes.
        until: The date of the run that chose the type. A year of two digits means the latest date up to it.
    """

    kind: ColumnKind
    storage: str = "string"
    forms: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    length: int = 0
    until: date = date.max

    @property
    def is_line(self) -> bool:
        """Return whether values are numbers, codes or dates."""
        return self.kind is not ColumnKind.TEXT

    def as_text(self) -> "ColumnType":
        """Return the type with text as its storage, which has room for categories of another table."""
        return replace(self, storage="string")

    def to_json(self) -> dict[str, Any]:
        """Return the type as values of JSON."""
        return {**asdict(self), "kind": self.kind.value, "until": self.until.isoformat()}

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "ColumnType":
        """Read a type that ``to_json`` wrote.

        Raises:
            KeyError: A part is absent.
            TypeError: A part has another type.
            ValueError: A part is not a kind or a date.
        """
        return cls(
            kind=ColumnKind(content["kind"]),
            storage=str(content["storage"]),
            forms=tuple(content["forms"]),
            categories=tuple(content["categories"]),
            length=int(content["length"]),
            until=date.fromisoformat(content["until"]),
        )


ColumnTypes = Mapping[str, ColumnType]
"""Types of columns of text by name."""
NO_TYPES: ColumnTypes = MappingProxyType({})


def kind_of_column(types: ColumnTypes, name: str) -> ColumnKind:
    """Return what the values of a column are; text if its type is unknown."""
    return types[name].kind if name in types else ColumnKind.TEXT


def save_types(path: Path, types: ColumnTypes) -> None:
    """Write types into a private file."""
    content = {name: each.to_json() for name, each in types.items()}
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        json.dump(content, stream)


def read_types(path: Path) -> ColumnTypes:
    """Read types that ``save_types`` wrote; none if there is no file.

    Raises:
        UsageError: The file is not one of types.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {name: ColumnType.of_json(each) for name, each in content.items()}
    except FileNotFoundError:
        return NO_TYPES
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: expected the column types that --workspace stores") from error


def trimmed_cells(texts: pa.Array) -> pa.Array:
    """Return cells without whitespace at their ends; cells for missing values are null."""
    trimmed = pc.utf8_trim(texts, WHITESPACE)
    missing = pc.is_in(trimmed, value_set=pa.array(MISSING_TEXTS))
    return pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def are_ordered(texts: pa.Array, kind: ColumnKind) -> Bools:
    """Return which texts, as ``read_cells`` writes them, are numbers, codes or dates of a column of that kind."""
    patterns = {ColumnKind.NUMBER: NUMBER_PATTERN, ColumnKind.CODE: CODE_PATTERN}
    if kind in patterns:
        return _bools(pc.match_substring_regex(texts, patterns[kind]))
    if kind is ColumnKind.DATE:
        return _bools(pc.is_valid(read_dates(texts, ("y-M-d",), date.max)))
    return np.zeros(len(texts), np.bool_)


def read_cells(texts: pa.Array, kind: ColumnType) -> pa.Array:
    """Return cells as text in one spelling.

    Numbers are plain decimals, dates are ISO dates, and missing cells are null. Other cells are themselves if they are
    categories of the type, otherwise ``other``. In a column of categories only dates become ``other``.
    """
    if kind.kind is ColumnKind.TEXT:
        dates = pc.is_valid(read_dates(pc.utf8_trim(texts, WHITESPACE), kind.forms, kind.until))
        return pc.if_else(dates, pa.scalar(OTHER), texts)
    cells = trimmed_cells(texts)
    known = _ordered_values(cells, kind)
    shown = pc.if_else(pc.is_in(cells, value_set=pa.array(kind.categories, pa.string())), cells, pa.scalar(OTHER))
    return pc.if_else(pc.is_null(cells), cells, pc.coalesce(known, shown))


def other_cells(texts: pa.Array, kind: ColumnType) -> pa.Array:
    """Return cells, without whitespace at their ends, that are not values of the column's kind; the rest are null."""
    cells = trimmed_cells(texts)
    return pc.if_else(pc.is_valid(_ordered_values(cells, kind)), pa.scalar(None, pa.string()), cells)


def plain_number(text: str) -> str:
    """Write a number as a plain decimal without zeros that do not count.

    >>> [plain_number(text) for text in ("1.10", "+07", "-0", "2e3", "12345678901234567890")]
    ['1.1', '7', '0', '2000', '12345678901234567890']
    """
    written = format(Decimal(text), "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    sign, digits = ("-", written[1:]) if written.startswith("-") else ("", written)
    digits = digits.lstrip("0")
    digits = f"0{digits}" if digits[:1] in ("", ".") else digits
    return digits if digits == "0" else sign + digits


def _ordered_values(cells: pa.Array, kind: ColumnType) -> pa.Array:
    if kind.kind is ColumnKind.DATE:
        return read_dates(cells, kind.forms, kind.until).cast(pa.string())
    if kind.kind is ColumnKind.CODE:
        fits = pc.match_substring_regex(cells, rf"^[0-9]{{{kind.length}}}$")
        return pc.if_else(fits, cells, pa.scalar(None, pa.string()))
    is_number = _bools(pc.match_substring_regex(cells, NUMBER_PATTERN))
    pairs = zip(cells.to_pylist(), is_number.tolist(), strict=True)
    return pa.array([plain_number(text) if fits else None for text, fits in pairs], pa.string())


def _bools(values: pa.Array) -> Bools:
    filled: Bools = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
    return filled
