"""Redact a stream line by line: what a run would release of each line as a document of its own."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, GateRefused, UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.plurals import plural
from spark_deid.corpus.checks import decode
from spark_deid.corpus.content import check_content
from spark_deid.corpus.formats import find_format, metadata_mistakes_of
from spark_deid.pipeline.one_document import DocumentPipeline, document_context, prepare_document_pipeline
from spark_deid.pipeline.plan_columns import column_finders, columns_of, shifted_columns
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.load import check_methods, read_content
from spark_deid.plan.secret import find_secret
from spark_deid.rewriting.metadata import SUBJECT
from spark_deid.surrogates.guarantee import CONSISTENT, telling_reason, telling_ways
from spark_deid.surrogates.kept_dates import MovedValue, is_date, move_values
from spark_deid.surrogates.recounting import SurrogateClaim
from spark_deid.surrogates.shift_technique import request_of_plan
from spark_deid.text.language import checked_language

_ENDS = (b"\r\n", b"\n")
_BOM = b"\xef\xbb\xbf"
_KEYED = "keyed"
_LACKING = "has no field {names}, which the plan or an option names. Check the spelling if the next lines also lack it"
_WITHOUT_ID = (
    "has no field {id!r} for the id, and the output has no value of its other fields ({fields}). Set "
    "--option id_column=NAME for the id, and --set 'metadata={{NAME: keep}}' (or keyed, detect) to publish "
    "others"
)
_LACKING_ALL = "no line has the field {names}, which the plan or an option names. Expected field names of the input"


class RedactedLine(NamedTuple):
    """What is written for a line, its end included.

    ``rejected`` says why it could not be read, if it could not, ``warning`` what is odd about it and the lines to come.
    """

    written: bytes
    rejected: str = ""
    warning: str = ""


class NamedFields:
    """Fields of objects that a plan or an option names, and those of them that no object so far had.

    A name may be misspelled.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._lacking = dict.fromkeys(names)
        self._named, self._objects = set(self._lacking), 0

    def add(self, name: str) -> None:
        """Look for one more field, of objects to come."""
        self._lacking[name] = None
        self._named.add(name)

    def look(self, known: Collection[str], lacking_id: str = "") -> str:
        """Look at the fields of an object; of the first one return what to say of those that it lacks.

        ``lacking_id`` is the name of the field of ids, where the object has none. Names of other fields are not shown:
        somebody may be called so.
        """
        self._objects += 1
        self._lacking = dict.fromkeys(name for name in self._lacking if name not in known)
        if self._objects > 1:
            return ""
        results = [_LACKING.format(names=self._quoted())] if self._lacking else []
        others = sum(name not in self._named for name in known)
        if lacking_id and others:
            results.append(_WITHOUT_ID.format(id=lacking_id, fields=plural(others, "field")))
        return "; ".join(results)

    def warnings(self) -> tuple[str, ...]:
        """Say which fields no object had."""
        return (_LACKING_ALL.format(names=self._quoted()),) if self._lacking and self._objects > 1 else ()

    def _quoted(self) -> str:
        return ", ".join(map(repr, self._lacking))


@dataclass(frozen=True)
class LineRedactor:
    """A plan that is ready for the lines of a stream; ``language`` is that of lines which don't say theirs.

    ``said`` counts the languages that lines were said to be in, ``fields`` are those of objects that the plan names, or
    an option.
    """

    settings: MethodSettings
    pipeline: DocumentPipeline
    key: bytes
    language: str | None = None
    said: Counter[str] = field(default_factory=Counter)
    fields: NamedFields = field(default_factory=lambda: NamedFields(()))

    def lines(self, incoming: Iterable[bytes]) -> Iterator[RedactedLine]:
        """Redact lines of text in UTF-8; an empty one stays, and one that can't be read becomes an empty one.

        Raises GateRefused where a guarantee does not hold.
        """
        for number, line in enumerate(incoming):
            text, end = _parted(line if number else line.removeprefix(_BOM))
            try:
                published = self._published(Document("", decode(text))) if text else ""
            except FormatError as error:
                yield RedactedLine(end, str(error))
                continue
            yield RedactedLine(published.encode() + end)

    def records(self, incoming: Iterable[bytes], options: Mapping[str, str]) -> Iterator[RedactedLine]:
        """Redact JSON lines: of each object the text is let out, its id, and the metadata that the plan lets through.

        ``options`` are those of the format ``jsonl``, such as ``text_column``. Raises UsageError for metadata that is a
        column of texts, ids or people by these options. A line that can't be read becomes an
        object that says which line it is and why. Raises GateRefused where a guarantee does not hold.
        """
        format = find_format("jsonl", options)
        if wrong := [*metadata_mistakes_of(self.settings.metadata, "jsonl", options)]:
            raise UsageError("\n".join(wrong))
        assert format.parse_line is not None
        assert format.columns is not None
        finders = column_finders(self.settings, document_context(self.settings, key=self.key))
        published = columns_of(self.settings)
        disclosing = self._telling()
        person = options.get("subject_column")
        if person is not None:
            self.fields.add(person)
        for number, line in enumerate(incoming, 1):
            try:
                document = format.parse_line(line, f"line {number}", "")
                if document is not None:
                    check_content(document.text, format)
            except FormatError as error:
                yield RedactedLine(_written({"line": number, "rejected": error.reason}), str(error))
                continue
            if document is None:
                yield RedactedLine(line)
                continue
            row = {format.columns.doc_id: self._id(document)} if document.doc_id else {}
            row[format.columns.text] = self._published(document)
            known = dict(document.meta) | ({SUBJECT: document.subject_id} if document.subject_id else {})
            moved = {each.name: each.after for each in self._moved(document)}
            row |= published.values_of(document, moved, key=self.key, finders=finders)
            if wrong := [name for name in disclosing if is_date(row.get(name, ""))]:
                raise GateRefused("; ".join(telling_reason(name, self.settings) for name in sorted(wrong)))
            without_id = "" if document.doc_id else format.columns.doc_id
            found = set(known)
            if person is not None and person not in self.settings.metadata and document.subject_id:
                found.add(person)
            yield RedactedLine(_written(row), warning=self.fields.look(found, without_id))

    def warnings(self) -> tuple[str, ...]:
        """Say what is odd about all lines so far: languages that no model of the plan knows, fields that none has."""
        return (*self.pipeline.warnings_of_said(self.said), *self.fields.warnings())

    def _published(self, document: Document) -> str:
        if language := self.pipeline.said_language(document) or self.language:
            self.said[language] += 1
        return self.pipeline(document, self.language).published

    def _telling(self) -> frozenset[str]:
        """Return the metadata in which dates, let out as they are, would tell by how many days others moved."""
        claim: SurrogateClaim | None = self.settings.demands.get(CONSISTENT)
        return frozenset(() if claim is None else telling_ways(claim, self.settings))

    def _moved(self, document: Document) -> Iterator[MovedValue]:
        names = shifted_columns(self.settings)
        if names:
            request = request_of_plan(self.settings, self.key)
            yield from move_values(self.pipeline.identified(document), dict(document.meta), names, request)

    def _id(self, document: Document) -> str:
        return keyed_hash(self.key, "doc_id", document.doc_id) if self.settings.ids == _KEYED else document.doc_id


def line_redactor(plan: Path, overrides: Sequence[str] = (), language: str | None = None) -> LineRedactor:
    """Make a plan ready for lines; where its input, workspace and release lie is passed over.

    Raises UsageError, by name, for methods that look at a whole corpus, and for a ``language`` that is none.
    """
    language = None if language is None else checked_language("--lang", language)
    settings = check_methods(read_content(plan, overrides), str(plan))
    key = find_secret(settings.key_file).key
    named = NamedFields([*filter(None, [settings.language_column]), *settings.metadata])
    return LineRedactor(settings, prepare_document_pipeline(settings, key=key), key, language, fields=named)


def _parted(line: bytes) -> tuple[bytes, bytes]:
    end = next((end for end in _ENDS if line.endswith(end)), b"")
    return line[: len(line) - len(end)], end


def _written(row: Mapping[str, str | int]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"
