"""Rows of a frame that a user has: which columns are meant, and records made of them by the rules of every reader."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spark_deid.core.column_names import named_columns
from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus import content
from spark_deid.corpus.columns import metadata_mistakes
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.reading import CorpusRecord, read_row
from spark_deid.corpus.records import check_values, document_of


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a frame: text and id, perhaps person and annotations, and metadata; ``language`` is read as well.

    ``reads_any`` is whether a text may begin as RTF or another format. Annotations are lists of spans, or of structs
    with ``start``, ``end`` and ``label``.
    """

    text: str = "text"
    doc_id: str = "doc_id"
    subject_id: str | None = None
    gold: str | None = None
    metadata: tuple[str, ...] = ()
    language: str | None = None
    reads_any: bool = False

    @property
    def roles(self) -> Mapping[str, str]:
        """Return the columns that are not metadata, by what they are for."""
        given = {"text": self.text, "doc_id": self.doc_id, "subject_id": self.subject_id, "spans": self.gold}
        return {role: name for role, name in given.items() if name is not None}

    @property
    def carried(self) -> tuple[str, ...]:
        """Return the columns to read as metadata: those that name no person, and that of languages."""
        named = (*self.metadata, *filter(None, [self.language]))
        return tuple(dict.fromkeys(name for name in named if not self.names_subject(name)))

    def names_subject(self, name: str) -> bool:
        """Return whether a column of metadata is the person, under its own name or as ``subject_id``."""
        return self.subject_id is not None and name in (self.subject_id, "subject_id")

    def check(self, known: Sequence[str]) -> None:
        """Raise UsageError, with everything that is wrong, where these are not columns of a frame."""
        wrong = [
            f"{role}: there is no column {name!r}; {named_columns(map(str, known))}"
            if name not in known
            else f"{role}: the frame has several columns {name!r}; rename all but one"
            for role, name in (*self.roles.items(), *(("metadata", name) for name in self.carried))
            if list(known).count(name) != 1
        ]
        if len(set(self.roles.values())) < len(self.roles):
            wrong.append(f"expected one column each for {', '.join(self.roles)}")
        read = {"texts": self.text, "ids": self.doc_id, "annotations": self.gold}
        wrong += metadata_mistakes(self.metadata, {what: name for what, name in read.items() if name is not None})
        if wrong:
            raise UsageError("\n".join(wrong))


def nothing_readable(rejects: Mapping[str, int]) -> CorpusError:
    """Make the error of a frame without any readable row, by how many rows each reason rejected.

    >>> print(nothing_readable({"no-text": 2}), nothing_readable({}), sep="; ")
    the frame has no readable row. Rejected rows: no-text 2; the frame: it has no rows
    """
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
    return CorpusError(
        f"the frame has no readable row. Rejected rows: {reasons}" if reasons else "the frame: it has no rows"
    )


def records_of(
    rows: Iterator[tuple[str, int, Mapping[str, object]]], *, reads_any: bool = False
) -> Iterator[CorpusRecord]:
    """Make a record of each row: its source, its number, and values ``text, doc_id, subject_id, spans, meta``.

    Of rows with one id that the source does not put in order, the least by content comes first: this does not depend
    on how the rows are distributed.
    """
    for source, number, row in rows:
        for record in read_row(source, number, row, _ANY if reads_any else _FORMAT):
            outcome = record.outcome
            if isinstance(outcome, Document):
                yield record._replace(name="" if source else _digest(outcome), source=source or _named(outcome.doc_id))
            else:
                name = source or _named(row.get("doc_id"))
                yield record._replace(name="", source=name, outcome=RejectedInput(name, outcome.reason, outcome.detail))


def _parse_row(row: Mapping[str, object], source: str, default_id: str) -> Document:
    if row.get("doc_id") is None:
        raise FormatError("no-id", "expected an id, found none")
    check_values(row)
    meta = row.get("meta")
    check_values(meta if isinstance(meta, Mapping) else {})
    spans = row.get("spans")
    return document_of({**row, "spans": spans if spans is None else list(_spans(spans))}, default_id)


def _spans(cell: object) -> Iterator[object]:
    if not isinstance(cell, Sequence) or isinstance(cell, str):
        raise FormatError("bad-annotation", "expected a list of spans")
    for each in cell:
        yield each._asdict() if isinstance(each, Span) else each


def _named(doc_id: object) -> str:
    return "a row without id" if doc_id is None else f"id {_text(doc_id)}"


def _text(value: object) -> str:
    return str(value).encode("utf-8", "backslashreplace").decode()


def _digest(document: Document) -> str:
    content = (document.text, document.subject_id, sorted(document.meta.items()), document.spans)
    return hashlib.sha256(repr(content).encode()).hexdigest()


_FORMAT = CorpusFormat(
    name="a frame", suffixes=(), unit=ParserUnit.TABLE, parse_row=_parse_row, options=(content.OPTION,)
)
_ANY = replace(_FORMAT, reads_any=True)
