"""Documents and rejects as plain values."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.span import Span

NO_META: Mapping[str, str] = MappingProxyType({})


class Document(NamedTuple):
    """A unit of text with a stable id; ``subject_id`` is the person it is about, None where the input has none.

    ``tokens`` are the borders of the input's own tokens, where its format has any.
    """

    doc_id: str
    text: str
    subject_id: str | None = None
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, str] = NO_META
    tokens: tuple[tuple[int, int], ...] = ()


class Reject(NamedTuple):
    """An input that could not be read: where it stands, one word why, and what was expected. No document text."""

    source: str
    reason: str
    detail: str
