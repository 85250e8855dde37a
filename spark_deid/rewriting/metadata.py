"""Values of metadata that are let out: as they are, as keyed hashes, or without what detectors mark in them."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Finder, Span, resolve_overlaps
from spark_deid.rewriting.suppress import suppress

Way = Literal["keep", "keyed", "detect"]
Ways = Mapping[str, Way]
"""What becomes of metadata, by name."""

KEEP: Final = "keep"
KEYED: Final = "keyed"
DETECT: Final = "detect"
SUBJECT: Final = "subject_id"


def let_out(name: str, value: str, way: Way, *, key: bytes, finders: Sequence[Finder]) -> str:
    """Return what is published of a value; equal values of one name give equal hashes under one key.

    >>> let_out("sender", "ann@example.org", "keep", key=b"k" * 32, finders=())
    'ann@example.org'
    """
    if way == KEYED:
        return keyed_hash(key, name, value)
    return suppressed(value, finders) if way == DETECT else value


def suppressed(value: str, finders: Sequence[Finder]) -> str:
    """Suppress whatever finders mark in a value."""
    pieces = resolve_overlaps(value, found(value, finders))
    return apply_edits(value, suppress(Document("", value), pieces)) if pieces else value


def found(value: str, finders: Sequence[Finder]) -> tuple[Span, ...]:
    """Return what finders mark in a value."""
    return tuple(span for find in finders for span in find(value)) if value else ()
