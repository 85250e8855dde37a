"""The files of one table: the columns of each file by name, checked before Spark reads them."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.errors import CorpusError, UsageError

MISSING_COLUMNS = "missing_columns"
_MOST_SHOWN = 20


class MissingColumns(Enum):
    """The treatment of columns that a plan names and a file of the table does not have."""

    REFUSE = "refuse"
    NULL = "null"


class FileColumns(NamedTuple):
    """A file of a table and its columns by name. ``types`` are those of Parquet, and None for CSV."""

    file: Path
    names: tuple[str, ...]
    types: tuple[pa.DataType, ...] | None = None


def missing_columns(options: Mapping[str, str]) -> MissingColumns:
    """Read the option ``missing_columns`` of a table.

    Raises:
        UsageError: Another option is given, or the option has another value.
    """
    for name in options:
        if name != MISSING_COLUMNS:
            raise UsageError(f"--option {name}: tables of people have the option {MISSING_COLUMNS} only")
    value = options.get(MISSING_COLUMNS, MissingColumns.REFUSE.value)
    try:
        return MissingColumns(value)
    except ValueError:
        known = " or ".join(each.value for each in MissingColumns)
        raise UsageError(f"--option {MISSING_COLUMNS}: expected {known}, got {value!r}") from None


def parquet_columns(file: Path) -> FileColumns:
    """Read the columns of a Parquet file.

    Raises:
        UsageError: The file is not a whole Parquet file, or two of its names differ only in case.
    """
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError, ValueError):
        raise UsageError(f"{file}: expected a whole file of Parquet") from None
    if len({name.lower() for name in schema.names}) < len(schema.names):
        raise UsageError(f"{file}: expected columns whose names differ in more than case")
    return FileColumns(file, tuple(schema.names), tuple(schema.types))


def check_columns_of_files(
    files: Sequence[FileColumns], columns: Iterable[str], missing: MissingColumns = MissingColumns.REFUSE
) -> None:
    """Check that each file of a table has the named columns.

    Columns that no file has are another error, of the table. Names are compared without case, as Spark compares them.

    Raises:
        CorpusError: A file lacks one of the columns, and missing columns are refused.
    """
    if missing is MissingColumns.NULL:
        return
    owners = owners_of(files)
    named = [name for name in dict.fromkeys(columns) if name.lower() in owners]
    for each in files:
        there = {name.lower() for name in each.names}
        absent = [name for name in named if name.lower() not in there]
        if absent:
            raise CorpusError(
                f"{each.file}: expected the columns {', '.join(absent)}, as other files of the table have; "
                f"{_visible_names(each, owners)}. Add the columns, or set --option {MISSING_COLUMNS}=null"
            )


def owners_of(files: Iterable[FileColumns]) -> Mapping[str, int]:
    """Return the number of files that have each column, by its name in lowercase."""
    counts: dict[str, int] = {}
    for each in files:
        for name in each.names:
            counts[name.lower()] = counts.get(name.lower(), 0) + 1
    return counts


def all_names(files: Iterable[FileColumns]) -> tuple[str, ...]:
    """Return the columns of all files, in the order and spelling in which they appear first.

    >>> all_names([FileColumns(Path("a"), ("name", "age")), FileColumns(Path("b"), ("Age", "ward"))])
    ('name', 'age', 'ward')
    """
    names: dict[str, str] = {}
    for each in files:
        for name in each.names:
            names.setdefault(name.lower(), name)
    return tuple(names.values())


def groups_of(files: Iterable[FileColumns]) -> list[list[FileColumns]]:
    """Return files with equal columns together, groups and files in the order of the files."""
    groups: dict[object, list[FileColumns]] = {}
    for each in files:
        groups.setdefault((each.names, each.types), []).append(each)
    return list(groups.values())


def common_types(files: Iterable[FileColumns]) -> Mapping[str, pa.DataType]:
    """Return a type for each column of Parquet files, by its name in lowercase, that has all values without loss.

    Raises:
        CorpusError: The types of a column in two files have no such type.
    """
    found: dict[str, pa.DataType] = {}
    for each in files:
        for name, kind in zip(each.names, each.types or (), strict=True):
            key = name.lower()
            wide = kind if key not in found else common_type(found[key], kind)
            if wide is None:
                raise CorpusError(
                    f"{each.file}: column {name} has the type {kind}, and other files of the table have {found[key]}."
                    " Expected types that can be widened without loss: write the column with one type"
                )
            found[key] = wide
    return found


def common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type that has all values of two types without loss, or None.

    >>> common_type(pa.int32(), pa.int64()), common_type(pa.int32(), pa.float64()), common_type(pa.int64(), pa.string())
    (DataType(int64), DataType(double), None)
    """
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if _is_text(one) and _is_text(other):
        return pa.string()
    if pa.types.is_timestamp(one) and pa.types.is_timestamp(other):
        return pa.timestamp("us", one.tz) if (one.tz is None) == (other.tz is None) else None
    if pa.types.is_nested(one) or pa.types.is_nested(other):
        return _common_nested(one, other)
    return _common_number(one, other)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _common_number(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Widen integers to integers, decimals or doubles that have all their digits, and floats to doubles."""
    digits = [_digits(kind) for kind in (one, other)]
    floating = [kind for kind in (one, other) if pa.types.is_float32(kind) or pa.types.is_float64(kind)]
    if floating:
        whole = [each for kind, each in zip((one, other), digits, strict=True) if kind not in floating]
        exact = all(each is not None and each[1] == 0 and each[0] <= _DOUBLE_DIGITS for each in whole)
        return pa.float64() if exact else None
    if digits[0] is None or digits[1] is None:
        return None
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        bits = max(_bits(one), _bits(other))
        return {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}.get(bits, pa.decimal128(20, 0))
    integral, scale = (max(pair) for pair in zip(*digits, strict=True))
    return pa.decimal128(integral + scale, scale) if integral + scale <= _MOST_DIGITS else None


_DOUBLE_DIGITS, _MOST_DIGITS = 15, 38


def _digits(kind: pa.DataType) -> tuple[int, int] | None:
    """Return the digits of a number before and after the point, or None for other types."""
    if pa.types.is_integer(kind):
        return {8: 3, 16: 5, 32: 10, 64: 19}.get(_bits(kind), 20), 0
    if pa.types.is_decimal128(kind):
        return kind.precision - kind.scale, kind.scale
    return None


def _bits(kind: pa.DataType) -> int:
    """Return the bits of a signed integer type that has all values of an integer type."""
    return int(kind.bit_width) * (2 if pa.types.is_unsigned_integer(kind) else 1)


def _common_nested(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Widen lists, maps and structs of the same fields in the same order."""
    if pa.types.is_list(one) and pa.types.is_list(other):
        inner = common_type(one.value_type, other.value_type)
        return None if inner is None else pa.list_(inner)
    if pa.types.is_map(one) and pa.types.is_map(other):
        sides = common_type(one.key_type, other.key_type), common_type(one.item_type, other.item_type)
        return None if None in sides else pa.map_(*sides)
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        names = [field.name for field in one]
        if names != [field.name for field in other]:
            return None
        kinds = [common_type(first.type, second.type) for first, second in zip(one, other, strict=True)]
        return None if None in kinds else pa.struct(list(zip(names, kinds, strict=True)))
    return None


def _visible_names(each: FileColumns, owners: Mapping[str, int]) -> str:
    """Name the columns of a file that other files also have, and count the rest, which can be values of a person."""
    shown = [name for name in each.names if owners[name.lower()] > 1]
    rest = len(each.names) - len(shown)
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    known = f"it shares {', '.join(map(repr, shown[:_MOST_SHOWN]))}{more} with them" if shown else "it shares no column"
    return f"{known}, and has {rest} other columns, which are not shown" if rest else known
