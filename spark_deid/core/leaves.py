"""The leaves of columns: each single value in cells of any Arrow type, and its text.

A struct has a leaf for each field, a list has a leaf for its elements, and a map has leaves for its keys and values.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_EXPONENT = r"[eE]"
_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?[0-9]{1,40}([.][0-9]{1,40})?([eE][+-]?[0-9]{1,3})?$"
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"
_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_GREATEST = float(2**53)
Rows = np.ndarray[Any, np.dtype[np.int64]]


class LeafType(NamedTuple):
    """A leaf of a column type: its path and type, and whether a cell can have several of its values."""

    path: str
    kind: pa.DataType
    is_repeated: bool = False


class ColumnLeaf(NamedTuple):
    """The values of a leaf, and the row of each value."""

    type: LeafType
    values: pa.Array
    rows: Rows


def leaf_types(name: str, kind: pa.DataType) -> Iterator[LeafType]:
    """Yield the leaves of a column type, in the order of ``leaves_of``.

    >>> kind = pa.struct([("mail", pa.string()), ("codes", pa.list_(pa.int64()))])
    >>> [(leaf.path, leaf.is_repeated) for leaf in leaf_types("visit", kind)]
    [('visit.mail', False), ('visit.codes', True)]
    """
    empty = pa.array([], kind)
    yield from (leaf.type for leaf in leaves_of(name, empty))


def leaves_of(name: str, column: pa.Array) -> Iterator[ColumnLeaf]:
    """Yield the leaves of a column. Missing cells have no elements, and fields of missing structs are missing."""
    yield from _leaves(name, column, np.arange(len(column), dtype=np.int64), is_repeated=False)


def field_names(kind: pa.DataType) -> Iterator[str]:
    """Yield the names of all nested fields of a type.

    >>> list(field_names(pa.map_(pa.string(), pa.struct([("mail", pa.string())]))))
    ['mail']
    """
    if pa.types.is_dictionary(kind):
        yield from field_names(kind.value_type)
    elif pa.types.is_map(kind):
        yield from (*field_names(kind.key_type), *field_names(kind.item_type))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from (field.name, *field_names(field.type))
    elif _is_list(kind):
        yield from field_names(kind.value_type)


def is_nested(kind: pa.DataType) -> bool:
    """Return whether cells of a type contain values of other types."""
    return bool(pa.types.is_nested(kind))


def leaf_texts(values: pa.Array) -> pa.Array:
    """Return the values of a leaf as text, so that equal numbers are equal texts. Bytes that are not UTF-8 are missing.

    >>> leaf_texts(pa.array([1.2e8, 0.5])).to_pylist(), leaf_texts(pa.array([b"Ann", b"\\xff"])).to_pylist()
    (['120000000', '0.5'], ['Ann', None])
    """
    kind = values.type
    if pa.types.is_floating(kind):
        return _float_texts(values)
    if pa.types.is_decimal(kind):
        return plain_texts(values.cast(pa.string()))
    if pa.types.is_timestamp(kind):
        return _timestamp_texts(values)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.array([_decoded(value) for value in values.to_pylist()], pa.string())
    return values.cast(pa.string())


def is_decodable(values: pa.Array, *, is_nested: bool = False) -> bool:
    """Return whether strings and bytes are UTF-8, and bytes are text without control characters. Nested bytes are not.

    >>> photo, notes = pa.array([b"\\x89PNG"]), pa.array(["Ann".encode("utf-16-le")])
    >>> is_decodable(photo), is_decodable(notes), is_decodable(pa.array([b"Ann"])), is_decodable(pa.array([7]))
    (False, False, True, True)
    """
    kind = values.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not is_text and not any(check(kind) for check in _BYTES):
        return True
    if not is_text and is_nested:
        return bool(values.null_count == len(values))
    try:
        texts = values.cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return is_text or not bool(pc.any(pc.match_substring_regex(texts, _CONTROL)).as_py())


def plain_texts(texts: pa.Array) -> pa.Array:
    """Return texts with those that are numbers in plain digits; every other text is unchanged.

    >>> plain_texts(pa.array(["1.2E8", "007", "1.50", "Ann"])).to_pylist()
    ['120000000', '7', '1.5', 'Ann']
    """
    numbers = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False)
    if not pc.any(numbers).as_py():
        return texts
    plain = [plain_number(text) for text in texts.filter(numbers).to_pylist()]
    return pc.replace_with_mask(texts, numbers, pa.array(plain, texts.type))


def plain_number(text: str) -> str:
    """Write a number as a plain decimal without zeros that do not count.

    >>> [plain_number(text) for text in ("1.10", "+07", "-0", "2e3", "12345678901234567890")]
    ['1.1', '7', '0', '2000', '12345678901234567890']
    """
    written = format(Decimal(text), "f")
    whole, _, fraction = written.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    digits = f"{whole}.{fraction}" if fraction else whole
    return f"-{digits}" if written.startswith("-") and digits != "0" else digits


def _leaves(path: str, column: pa.Array, rows: Rows, *, is_repeated: bool) -> Iterator[ColumnLeaf]:
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        yield from _leaves(path, column.storage, rows, is_repeated=is_repeated)
    elif pa.types.is_dictionary(kind):
        yield from _leaves(path, column.dictionary_decode(), rows, is_repeated=is_repeated)
    elif pa.types.is_struct(kind):
        for field, values in zip(kind, column.flatten(), strict=True):
            yield from _leaves(f"{path}.{field.name}", values, rows, is_repeated=is_repeated)
    elif pa.types.is_map(kind):
        for side, values in (("key", column.keys), ("value", column.items)):
            yield from _elements(f"{path}.{side}", pa.ListArray.from_arrays(column.offsets, values), rows)
    elif _is_list(kind):
        yield from _elements(path, column, rows)
    else:
        yield ColumnLeaf(LeafType(path, kind, is_repeated), column, rows)


def _elements(path: str, lists: pa.Array, rows: Rows) -> Iterator[ColumnLeaf]:
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    yield from _leaves(path, pc.list_flatten(lists), rows[parents.astype(np.int64)], is_repeated=True)


def _is_list(kind: pa.DataType) -> bool:
    checks: tuple[Callable[[pa.DataType], bool], ...] = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
    )
    return any(check(kind) for check in checks)


def _float_texts(values: pa.Array) -> pa.Array:
    """Return floats in plain digits. Integers are converted together, because they are most record numbers."""
    doubles = values.cast(pa.float64())
    numbers = doubles.to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(numbers) & (np.abs(numbers) <= _GREATEST) & (np.floor(numbers) == numbers)
    integers = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(pa.string())
    texts = values.cast(pa.string())
    written = pc.fill_null(pc.match_substring_regex(texts, _EXPONENT), False)
    if pc.any(pc.and_(written, pa.array(~whole))).as_py():
        texts = plain_texts(texts)
    return pc.if_else(pa.array(whole), integers, texts)


def _timestamp_texts(values: pa.Array) -> pa.Array:
    """Return times as Spark writes them in UTC, without zeros at the end of a fraction."""
    texts = pc.replace_substring_regex(values.cast(pa.string()), "Z$", "")
    texts = pc.replace_substring_regex(texts, r"[.]0+$", "")
    return pc.replace_substring_regex(texts, r"([.][0-9]*[1-9])0+$", r"\1")


def _decoded(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError:
        return None
