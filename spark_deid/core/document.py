"""Documents and rejects as plain values."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.span import Span

NO_META: Mapping[str, str] = MappingProxyType({})


class MentionReplacement(NamedTuple):
    """What a mention of a label is to show instead of what stands there; None and why where it may show nothing."""

    start: int
    end: int
    label: str
    replacement: str | None
    reason: str = ""


class Document(NamedTuple):
    """A unit of text with a stable id; ``subject_id`` is the person it is about, None where the input has none.

    ``tokens`` are the borders of the input's own tokens, where its format has any. ``shown`` is what places show of the
    person's identifiers, where these were linked.
    """

    doc_id: str
    text: str
    subject_id: str | None = None
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, str] = NO_META
    tokens: tuple[tuple[int, int], ...] = ()
    shown: tuple[MentionReplacement, ...] = ()


class RejectedInput(NamedTuple):
    """An input that could not be read: where it stands, one word why, and what was expected. No document text."""

    source: str
    reason: str
    detail: str
