"""The table of an input with its texts replaced: ``run --keep-columns``, or ``columns: all`` in a plan."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark_deid.app.inputs import Progress
from spark_deid.app.losses import tell_formulas
from spark_deid.core.csv_dialect import CsvDialect
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.span import Finder
from spark_deid.corpus.columns import CorpusColumns
from spark_deid.corpus.csv import begins_as_formula
from spark_deid.corpus.encodings import beginning_as_utf8
from spark_deid.corpus.formats import find_format, metadata_mistakes_of
from spark_deid.corpus.items import list_items
from spark_deid.corpus.peek import column_types, known_columns
from spark_deid.pipeline.columns import is_harmless
from spark_deid.pipeline.first_rows import first_records, found_in_first
from spark_deid.pipeline.one_document import document_context
from spark_deid.pipeline.plan_columns import column_finders
from spark_deid.pipeline.release_folder import ReleaseSink
from spark_deid.plan.config import PlanSettings
from spark_deid.release.commit import DOCUMENTS
from spark_deid.rewriting.metadata import KEEP, SUBJECT
from spark_deid.storage.delta_log import added_files, commit_table
from spark_deid.storage.files import is_remote, make_private, open_file
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import PartFile
from spark_deid.surrogates.partial_dates import date_finders

if TYPE_CHECKING:
    from spark_deid.pipeline.run import PipelineRun

INPUTS = ("csv", "parquet", "delta")
"""The formats whose inputs are tables with a header or a schema."""
TARGETS = ("csv", "parquet", "jsonl", "delta")
_SORTED = 2_000_000
"""Rows up to which a table has the order of its input."""
_BEGINNING = 1 << 20
_DELTA_TYPES: Mapping[str, pa.DataType] = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "double": pa.float64(),
    "float": pa.float32(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


class RefusedColumn(NamedTuple):
    """A column that identifies people: its name in the input, the name in ``metadata``, and the reason."""

    column: str
    name: str
    reason: str


@dataclass(frozen=True)
class InputTable:
    """The columns of an input in order, the names of its texts, ids and people, and columns that the plan names."""

    names: tuple[str, ...]
    roles: CorpusColumns
    named: frozenset[str]

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the columns that are neither texts, ids, people nor annotations."""
        roles = (self.roles.text, self.roles.doc_id, self.roles.subject_id, self.roles.spans)
        return tuple(name for name in self.names if name not in roles)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Return the columns of the released documents that replace the columns of the input."""
        roles = {self.roles.text: "text", self.roles.doc_id: "doc_id", self.roles.subject_id: SUBJECT}
        return {name: roles.get(name, name) for name in self.names if name != self.roles.spans}

    def refuse(self, found: Mapping[str, Mapping[str, int]], ids: Mapping[str, int], rows: str) -> None:
        """Raise GateRefused if columns that the plan does not name identify people; ``rows`` names the rows."""
        wrong = [
            RefusedColumn(name, name, f"{', '.join(labels)} is in it in up to {max(labels.values())} {rows}")
            for name, labels in found.items()
            if name not in self.named
        ]
        if self.roles.subject_id in self.names and SUBJECT not in self.named:
            wrong.append(RefusedColumn(self.roles.subject_id, SUBJECT, "it identifies the person of a text"))
        reasons = [f"column {each.column}: {each.reason}" for each in wrong]
        lines = [f"metadata: {{{', '.join(f'{each.name}: keyed' for each in wrong)}}}"] if wrong else []
        if ids:
            labels = ", ".join(ids)
            reasons.append(f"column {self.roles.doc_id}: {labels} is in it in up to {max(ids.values())} {rows}")
            lines.append("release_ids: keyed")
        if reasons:
            raise GateRefused(
                f"nothing is released: {'; '.join(reasons)}; add to the plan: {' and '.join(lines)} (metadata also has"
                " the ways detect and keep)"
            )


def all_columns(settings: PlanSettings) -> tuple[PlanSettings, InputTable]:
    """Return a plan that publishes every column of its input, and the columns.

    Raises UsageError for inputs that are not a local table, and for columns that a release cannot hold.
    """
    given = settings.input
    if given.format not in INPUTS or is_remote(given.path):
        raise UsageError(f"columns: all needs a local input of format {', '.join(INPUTS)}, got {given.format}")
    names = known_columns(given.path, given.format, given.options)
    if names is None:
        raise UsageError(f"columns: all: the columns of {given.path} cannot be read")
    roles = find_format(given.format, given.options).columns or CorpusColumns()
    table = InputTable(names, roles, frozenset(settings.metadata))
    if wrong := [*metadata_mistakes_of(table.kept, given.format, given.options)]:
        raise UsageError("\n".join(f"columns: all: {line}" for line in wrong))
    types = column_types(given.path, given.format)
    if wrong := [name for name in table.kept if name in types and _arrow_type(types[name]) is None]:
        raise UsageError(
            f"columns: all: column {wrong[0]} has the type {types[wrong[0]]}, which metadata cannot have: drop it"
        )
    if given.format == "csv":
        _require_one_header(settings, names)
    ways = {name: settings.metadata.get(name, KEEP) for name in table.kept}
    people = {SUBJECT: settings.metadata[SUBJECT]} if SUBJECT in settings.metadata else {}
    return settings.model_copy(update={"metadata": ways | people}), table


def check_first_columns(settings: PlanSettings, table: InputTable) -> None:
    """Refuse a plan by the columns of the input's first records, before Spark starts. Raises GateRefused."""
    first = first_records(settings)
    documents = () if first is None else first.reading.documents
    finders = column_finders(settings, document_context(settings))
    ids = _found_in_ids((each.doc_id for each in documents), finders) if _has_ids(settings, table) else {}
    rows = "rows" if first is not None and first.is_whole else f"of the first {len(documents):,} rows"
    table.refuse(found_in_first(settings, documents), ids, rows)


@dataclass
class InputTableSink(ReleaseSink):
    """A release of all columns of an input, which is refused if an unnamed column identifies people."""

    table: InputTable | None = None

    def release(self, run: "PipelineRun") -> None:
        """Check all columns, then publish. Raises GateRefused."""
        assert self.table is not None
        ids: dict[str, int] = {}
        if _has_ids(self.settings, self.table):
            ids = _found_in_ids(_ids_of(parts["decisions"] for parts in run.corpus.decided), run.finders)
        self.table.refuse(run.found_in_columns, ids, "rows")
        super().release(run)


def check_target(name: str) -> None:
    """Raise UsageError for a format that is not one of a table."""
    if name not in TARGETS:
        raise UsageError(f"--to: with columns: all, expected one of {', '.join(TARGETS)}, got {name!r}")


def write_input_table(settings: PlanSettings, table: InputTable, target: str, format: str, progress: Progress) -> None:
    """Write the released documents as the table of the input, into a new folder that only its owner can read."""
    folder = LocalFolder(Path(settings.release) / DOCUMENTS)
    rows = pa.concat_tables([pq.read_table(Path(folder.path) / name) for name in added_files(folder)])
    if (order := _order(settings, rows)) is not None:
        rows = rows.take(order)
    elif rows.num_rows:
        progress("the rows of the table have the order of the release, because the order of the input can identify")
    types = column_types(settings.input.path, settings.input.format)
    columns = {
        name: _typed(name, rows.column(source), _arrow_type(types.get(name, "string")), is_text=source == "text")
        for name, source in table.sources.items()
        if source in rows.column_names
    }
    written = pa.table(columns)
    make_private(target)
    _WRITERS[format](written, Path(target), settings)
    if format == "csv":
        cells = (cell for column in written.columns for cell in column.to_pylist())
        tell_formulas(sum(isinstance(cell, str) and begins_as_formula(cell) for cell in cells), progress)
    progress(f"wrote {written.num_rows} rows and {written.num_columns} columns to {target}")


def _has_ids(settings: PlanSettings, table: InputTable) -> bool:
    return settings.ids == KEEP and table.roles.doc_id in table.names


def _ids_of(parts: Iterator[PartFile]) -> Iterator[str]:
    for part in parts:
        yield from pq.read_table(part.path, columns=["doc_id"]).column(0).to_pylist()


def _found_in_ids(ids: Iterator[str], finders: Sequence[Finder]) -> dict[str, int]:
    """Count the ids in which finders find a span, by label."""
    found: dict[str, int] = {}
    for value in ids:
        if not is_harmless(value):
            for label in {span.label for find in finders for span in find(value)}:
                found[label] = found.get(label, 0) + 1
    return found


def _require_one_header(settings: PlanSettings, names: tuple[str, ...]) -> None:
    """Raise UsageError if files of an input have other columns than its first file."""
    kernel = find_format(settings.input.format, settings.input.options)
    assert kernel.header is not None
    for item in list_items(settings.input.path, kernel).items:
        if item.reason is None and not item.path.endswith(".gz"):
            with open_file(item.path) as stream:
                beginning = beginning_as_utf8(stream.read(_BEGINNING), kernel.encoding)
            if kernel.header(BytesIO(beginning), item.name) not in (None, names):
                raise UsageError(f"columns: all: {item.name}: expected the header of the first file, got another one")


def _order(settings: PlanSettings, rows: pa.Table) -> pa.Array | None:
    """Return the numbers of released rows in the order of the input; None if the order can identify or is too long.

    The order of rows can follow dates, so it would show by how many days dates moved.
    """
    if settings.ids != KEEP or date_finders(settings) or rows.num_rows > _SORTED:
        return None
    folder = LocalFolder(Path(settings.workspace) / "documents")
    names = added_files(folder)
    read = pa.concat_tables([pq.read_table(Path(folder.path) / name, columns=["doc_id"]) for name in names])
    places = pc.index_in(rows.column("doc_id"), value_set=read.column("doc_id").combine_chunks())
    return pc.sort_indices(places)


def _arrow_type(kind: pa.DataType | str) -> pa.DataType | None:
    """Return the type of a column that metadata can have; None for nested values and bytes."""
    if isinstance(kind, str):
        if kind.startswith("decimal("):
            return pa.decimal128(*map(int, kind[8:-1].split(",")))
        return _DELTA_TYPES.get(kind)
    is_plain = not (pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
    return kind if is_plain and not pa.types.is_dictionary(kind) and not pa.types.is_time(kind) else None


def _typed(name: str, column: pa.ChunkedArray, kind: pa.DataType | None, *, is_text: bool) -> pa.ChunkedArray:
    """Return a column with the type that it has in the input; hashes and replaced values remain strings."""
    if is_text or kind is None or column.type == kind:
        return column
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        return column


def _write_csv(rows: pa.Table, folder: Path, settings: PlanSettings) -> None:
    dialect, end = _dialect_of(settings)
    with (folder / "part-00000.csv").open("w", encoding="utf-8", newline="") as stream:
        is_doubled = dialect.escape == dialect.quote
        writer = csv.writer(
            stream,
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            doublequote=is_doubled,
            escapechar=None if is_doubled else dialect.escape,
            lineterminator=end,
        )
        writer.writerow(rows.column_names)
        for batch in rows.to_batches():
            cells = [
                column if pa.types.is_string(column.type) else column.cast(pa.string()) for column in batch.columns
            ]
            values = (column.to_pylist() for column in cells)
            writer.writerows([cell if cell is not None else "" for cell in row] for row in zip(*values, strict=True))


def _dialect_of(settings: PlanSettings) -> tuple[CsvDialect, str]:
    """Return the dialect and the line end of the first file of an input; RFC 4180 for inputs of other formats."""
    given = settings.input
    if given.format != "csv":
        return CsvDialect(), "\r\n"
    kernel = find_format(given.format, given.options)
    item = next(item for item in list_items(given.path, kernel).items if item.reason is None)
    with open_file(item.path) as stream:
        text = beginning_as_utf8(stream.read(_BEGINNING), kernel.encoding).decode("utf-8", errors="replace")
    dialect, rest = CsvDialect.of_options(given.options).of_text(text)
    return dialect, "\r\n" if "\r\n" in rest.partition("\n")[0] + "\n" else "\n"


def _write_parquet(rows: pa.Table, folder: Path, _: PlanSettings) -> None:
    pq.write_table(rows, folder / "part-00000.parquet", write_statistics=False)


def _write_jsonl(rows: pa.Table, folder: Path, _: PlanSettings) -> None:
    with (folder / "part-00000.jsonl").open("w", encoding="utf-8") as stream:
        for batch in rows.to_batches():
            stream.writelines(f"{json.dumps(row, ensure_ascii=False, default=str)}\n" for row in batch.to_pylist())


def _write_delta(rows: pa.Table, folder: Path, _: PlanSettings) -> None:
    name = "part-00000.snappy.parquet"
    pq.write_table(rows, folder / name, compression="snappy", write_statistics=False)
    part = PartFile(name, rows.num_rows, (folder / name).stat().st_size)
    commit_table(LocalFolder(folder), rows.schema, (part,))


_WRITERS = {"csv": _write_csv, "parquet": _write_parquet, "jsonl": _write_jsonl, "delta": _write_delta}


def sink_of_table(table: InputTable) -> "partial[InputTableSink]":
    """Return the function that makes the sink of a release of all columns."""
    return partial(InputTableSink, table=table)
