"""Values of metadata that are let out: as they are, as keyed hashes, or without what detectors mark in them."""

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, partial
from itertools import repeat
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Finder, Span
from spark_deid.rewriting.suppress import suppress
from spark_deid.text.visible import VisibleText

_DOUBLE = re.compile(r"(?<![\w.])\d{1,40}(?:\.\d{1,40}(?:[eE][+-]?0{0,40}\d{1,2})?|[eE][+-]?0{0,40}\d{1,2})(?![\w.])")
"""A number as programs write doubles."""
Way = Literal["keep", "keep-identifying", "keyed", "detect", "shift"]
Ways = Mapping[str, Way]
"""What becomes of metadata, by name."""

KEEP: Final = "keep"
KEEP_IDENTIFYING: Final = "keep-identifying"
"""As it is, though it may name persons or tell what a plan of classes recodes."""
KEYED: Final = "keyed"
DETECT: Final = "detect"
SHIFT: Final = "shift"
"""Dates that have moved already when the others are let out."""
SUBJECT: Final = "subject_id"


def is_kept(way: str) -> bool:
    """Tell whether values are let out as they are.

    >>> is_kept("keep-identifying"), is_kept("detect")
    (True, False)
    """
    return way in (KEEP, KEEP_IDENTIFYING)


def let_out(name: str, value: str, way: Way, *, key: bytes, finders: Sequence[Finder]) -> str:
    """Return what is published of a value; equal values of one name give equal hashes under one key.

    >>> let_out("sender", "ann@example.org", "keep", key=b"k" * 32, finders=())
    'ann@example.org'
    """
    if way == SHIFT:
        raise ValueError("metadata: dates must be shifted with their person before they are published")
    if way == KEYED:
        return keyed_hash(key, name, value)
    return suppress_value(value, finders) if way == DETECT else value


def suppress_value(value: str, finders: Sequence[Finder]) -> str:
    """Suppress whatever finders mark in a value."""
    pieces = resolve_overlaps(value, find_in_value(value, finders))
    return apply_edits(value, suppress(Document("", value), pieces)) if pieces else value


def find_in_value(value: str, finders: Sequence[Finder]) -> tuple[Span, ...]:
    """Return what finders mark in a value; numbers as tables write them are also read in plain digits.

    Of ``6.175550143E9`` all is marked if something is found in ``6175550143``.
    """
    if not value:
        return ()
    spans = [span for find in finders for span in find(value)]
    if (numbers := _with_plain_numbers(value)) is not None:
        spans += (numbers.original(span) for find in finders for span in find(numbers.text))
    return tuple(spans)


def labels_in_value(value: str, finders: Sequence[Finder], harmless: Callable[[str], bool]) -> frozenset[str]:
    """Return the labels of all that finders mark in a value; a harmless value is not searched."""
    return frozenset() if harmless(value) else frozenset(span.label for span in find_in_value(value, finders))


def count_in_documents(
    documents: Iterable[Document], names: Collection[str], finders: Sequence[Finder], harmless: Callable[[str], bool]
) -> dict[str, dict[str, int]]:
    """Count the documents with metadata of these names in which finders mark a span, by name and label."""
    labels = cache(partial(labels_in_value, finders=tuple(finders), harmless=harmless))
    counted: dict[str, dict[str, int]] = {}
    for document in documents:
        for name in names:
            for label in labels(document.meta[name]) if name in document.meta else ():
                of_name = counted.setdefault(name, {})
                of_name[label] = of_name.get(label, 0) + 1
    return {name: dict(sorted(labels.items())) for name, labels in sorted(counted.items())}


def in_plain_digits(value: str) -> str | None:
    """Return a value with the numbers of doubles in plain digits, or None without such a number.

    >>> in_plain_digits("call 6.175550143E9"), in_plain_digits("6175550143")
    ('call 6175550143', None)
    """
    numbers = _with_plain_numbers(value)
    return None if numbers is None else numbers.text


def _with_plain_numbers(value: str) -> VisibleText | None:
    """Return a value with the numbers of doubles in plain digits, each of which stands for all of its number."""
    text, starts, ends, done = "", array("i"), array("i"), 0
    for match in _DOUBLE.finditer(value):
        written = _plain(match[0])
        if written == match[0]:
            continue
        text += value[done : match.start()] + written
        starts.extend((*range(done, match.start()), *repeat(match.start(), len(written))))
        ends.extend((*range(done + 1, match.start() + 1), *repeat(match.end(), len(written))))
        done = match.end()
    if not done:
        return None
    starts.extend(range(done, len(value)))
    ends.extend(range(done + 1, len(value) + 1))
    return VisibleText(text + value[done:], np.array(starts, np.int32), np.array(ends, np.int32))


def _plain(number: str) -> str:
    """Return a number that is whole in plain digits, any other as it is."""
    value = Decimal(number)
    return f"{value:.0f}" if value == value.to_integral_value() else number


# Values of metadata, which are strings once they are read, as what they were in a table.


TYPES: Mapping[str, pa.DataType] = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
"""The types that come back, by Delta's names; values of others remain strings."""


def name_of(kind: pa.DataType) -> str | None:
    """Return Delta's name of a type of Arrow, None if its values remain strings.

    Moments without a zone are taken for UTC; unsigned integers for the next larger signed type.

    >>> name_of(pa.timestamp("ns")), name_of(pa.uint8()), name_of(pa.string())
    ('timestamp', 'short', None)
    """
    if pa.types.is_timestamp(kind):
        return "timestamp"
    larger = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    return next((name for name, each in TYPES.items() if each == larger.get(kind, kind)), None)


def typed_column(values: list[str | None], name: str) -> pa.Array:
    """Return values of a type by Delta's name; raises ValueError for a value that is of another."""
    read = [None if value is None else _read(value, name) for value in values]
    try:
        return pa.array(read, TYPES[name])
    except (pa.ArrowException, TypeError, OverflowError):
        raise ValueError(f"expected values of type {name}") from None


def _read(value: str, name: str) -> object:
    if name == "date":
        return date.fromisoformat(value)
    if name == "timestamp":
        moment = datetime.fromisoformat(value)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    read: object = json.loads(value)
    kinds = (bool,) if name == "boolean" else (int, float) if name in ("float", "double") else (int,)
    if not isinstance(read, kinds) or (isinstance(read, bool) and name != "boolean"):
        raise ValueError(f"expected values of type {name}")
    return read
