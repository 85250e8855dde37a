"""Documents and rejects as plain values."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.span import Span

NO_META: Mapping[str, str] = MappingProxyType({})


class LinkedMention(NamedTuple):
    """A span with an attribute of a person, after mentions were linked; any technique may read these.

    ``subject`` is the person, who may be inferred, and never the unit of what guarantees count; ``entity`` what several
    mentions refer to, or the technique that found the place when it saw the whole corpus. ``value`` is what was read
    (None: nothing), as the document's ``text`` an original that remains in the run's private folder. ``replacement`` is
    what the identifier view, or the technique, shows of it; None and the ``reason`` where it may show nothing.
    """

    start: int
    end: int
    label: str
    replacement: str | None = None
    reason: str = ""
    entity: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None


class Document(NamedTuple):
    """A unit of text with a stable id.

    Attributes:
        doc_id: The id.
        text: The text.
        subject_id: The person of the document, None if the input names none.
        spans: The annotations.
        meta: The metadata.
        tokens: The borders of the input's own tokens, if its format has any.
        mentions: The mentions of people, if people were linked.
    """

    doc_id: str
    text: str
    subject_id: str | None = None
    spans: tuple[Span, ...] = ()
    meta: Mapping[str, str] = NO_META
    tokens: tuple[tuple[int, int], ...] = ()
    mentions: tuple[LinkedMention, ...] = ()


class RejectedInput(NamedTuple):
    """An input that could not be read: its place, a word for the reason, and the expectation. No document text.

    ``records`` is the number of records that it can represent, None if it is unknown.
    """

    source: str
    reason: str
    detail: str
    records: int | None = 1
