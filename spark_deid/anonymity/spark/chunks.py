"""A table as chunks on disk, private and temporary: read from Spark once, then checked again and again.

A chunk is a folder: ``rows.arrow`` has rows, coded columns as dictionaries; arrays beside it are a
``UnitRows``. All rows of a person are in one chunk, side by side.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import TableCoder, coder_of, codes_of, find_sensitive_columns, rows_by_person, ties_of
from spark_deid.anonymity.multivalued import flatten_column, is_list, row_values, with_values
from spark_deid.anonymity.partition import UnitRows
from spark_deid.core.errors import CorpusError
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_partitions

CHUNK_ROWS = 1 << 19
CHUNK_BYTES = 1 << 30
DISTINCT_BYTES = 1 << 30
"""How much the distinct values of all coded columns may take on the driver."""
ROWS = "rows.arrow"
PERSON, TIE = "person", "tie"
_ARRAYS = ("codes", "units", "ties", "offsets", "held")


@dataclass(frozen=True)
class ChunkLayout:
    """Which columns chunks have: those that are coded, the others that are published, and people.

    A column's name in a chunk is its place in ``coded`` and ``carried``; ``tied`` states that units have ties.
    """

    coded: tuple[str, ...]
    carried: tuple[str, ...]
    person: str | None
    tied: bool

    @property
    def names(self) -> dict[str, str]:
        """Return the name in chunks of each column but the person's."""
        return {name: f"c{place}" for place, name in enumerate((*self.coded, *self.carried))}


class RowChunk(NamedTuple):
    """A chunk's folder, how many rows and units it has, and how many rows of it name no person."""

    path: str
    rows: int
    units: int
    nameless: int = 0


def layout_of(claim: PrivacyClaim, published: Sequence[str], *, tied: bool) -> ChunkLayout:
    """Return the layout for a claim; ``published`` columns are carried where they are not coded."""
    coded = (*claim.quasi, *find_sensitive_columns(claim))
    carried = tuple(name for name in published if name not in coded and name != claim.person)
    return ChunkLayout(coded, carried, claim.person, tied)


class ChunkKeys(NamedTuple):
    """The keys of hashes of people, and of ties."""

    ids: bytes
    ties: bytes


def store_chunks(
    table: DataFrame, layout: ChunkLayout, folder: Path, key: bytes, ids: bytes = b""
) -> tuple[RowChunk, ...]:
    """Write a table as chunks in a folder that workers see; runs one action, with a shuffle where there are people.

    People are stored as hashes by the key ``ids``, ties are drawn by ``key``. Raises CorpusError where rows name no
    person, or there are no rows.
    """
    folder.mkdir(mode=0o700)
    stored = run_partitions(
        _selected(table, layout), partial(_store, layout=layout, folder=str(folder), keys=ChunkKeys(ids or key, key))
    )
    chunks = tuple(chunk for each in stored for chunk in each)
    nameless = sum(chunk.nameless for chunk in chunks)
    if nameless:
        raise CorpusError(f"{layout.person}: {nameless} rows have no person. Expected a person in every row")
    if not chunks:
        raise CorpusError("the table has no rows")
    return tuple(sorted(chunks))


def read_rows(chunk: RowChunk) -> pa.Table:
    """Return the rows of a chunk; they remain on disk until they are checked."""
    with pa.memory_map(f"{chunk.path}/{ROWS}") as source:
        return pa.ipc.open_file(source).read_all()


def coder_for(claim: PrivacyClaim, layout: ChunkLayout, chunks: Sequence[RowChunk]) -> TableCoder:
    """Make the attributes of a claim from the distinct values of all chunks, on the driver.

    Raises CorpusError where they would take more than DISTINCT_BYTES.
    """
    values: dict[str, pa.Array] = {}
    for chunk in chunks:
        rows = read_rows(chunk)
        for name in layout.coded:
            column = rows.column(layout.names[name])
            found = [values[name]] if name in values else []
            found += [flatten_column(column.chunk(place))[0].dictionary for place in range(column.num_chunks)]
            values[name] = pc.unique(pa.chunked_array(found))
        if sum(each.nbytes for each in values.values()) > DISTINCT_BYTES:
            largest = max(values, key=lambda name: values[name].nbytes)
            number = len(values[largest])
            raise CorpusError(f"{largest}: {number} or more distinct values are too many. Round or shorten the values")
    kinds = (read_rows(chunks[0]).schema.field(layout.names[name]).type for name in find_sensitive_columns(claim))
    return replace(coder_of(claim, values), of_lists=any(map(is_list, kinds)))


def code_chunk(chunk: RowChunk, layout: ChunkLayout, coder: TableCoder, doubling: Sequence[Int32s] = ()) -> Int64s:
    """Write the codes of a chunk beside it; return how many units hold each sensitive value.

    ``doubling`` gives, by attribute, what is written instead of each code.
    """
    rows = read_rows(chunk)
    columns = {name: rows.column(layout.names[name]).combine_chunks() for name in layout.coded}
    part = coder.part(columns, np.load(f"{chunk.path}/units.npy"), np.load(f"{chunk.path}/ties.npy"))
    if doubling:
        part = replace(part, codes=np.stack([to[part.codes[:, at]] for at, to in enumerate(doubling)], axis=1))
    for name in ("codes", "offsets", "held"):
        np.save(f"{chunk.path}/{name}.npy", getattr(part, name))
    return np.bincount(part.held, minlength=int(coder.offsets[-1])).astype(np.int64)


def codes_of_rows(attribute: CodedAttribute, column: pa.ChunkedArray, start: int) -> pa.Array:
    """Return the codes of a sensitive column of a chunk, numbered from ``start``: one a row, or a list of them."""
    codes, offsets = row_values(column.combine_chunks(), partial(codes_of, attribute), start)
    return with_values(pa.array(codes.astype(np.int32)), offsets)


def _encoded(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return a column with its values, or those of its lists, as a dictionary; missing ones of a list are omitted."""
    if not is_list(column.type):
        return column.dictionary_encode()
    values, offsets = flatten_column(column.combine_chunks())
    return with_values(values.dictionary_encode(), offsets)


def part_of(chunk: RowChunk) -> UnitRows:
    """Return a coded chunk as a part of the table."""
    return UnitRows(*(np.load(f"{chunk.path}/{name}.npy", mmap_mode="r") for name in _ARRAYS))


def _selected(table: DataFrame, layout: ChunkLayout) -> DataFrame:
    columns = {name: F.col(quote_name(name)) for name in layout.names}
    chosen = [column.alias(layout.names[name]) for name, column in columns.items()]
    if layout.person is not None:
        named = table.select(F.col(quote_name(layout.person)).cast("string").alias(PERSON), *chosen)
        return named.repartition(PERSON)
    # Equal rows have equal ties: how a table is divided changes nothing.
    return table.select(*([F.xxhash64(*chosen).alias(TIE)] if layout.tied else []), *chosen)


def _store(
    batches: Iterator[pa.RecordBatch], *, layout: ChunkLayout, folder: str, keys: ChunkKeys
) -> tuple[RowChunk, ...]:
    chunks = []
    for rows in _gathered(batches, whole=layout.person is not None):
        chunks += [_write(*each, layout=layout, folder=folder) for each in _by_person(rows, layout, keys)]
    return tuple(chunks)


def _gathered(batches: Iterator[pa.RecordBatch], *, whole: bool) -> Iterator[pa.Table]:
    """Yield tables of about CHUNK_ROWS or CHUNK_BYTES, or one."""
    waiting: list[pa.RecordBatch] = []
    number, size = 0, 0
    for batch in batches:
        waiting.append(batch)
        number, size = number + batch.num_rows, size + batch.nbytes
        if not whole and (number >= CHUNK_ROWS or size >= CHUNK_BYTES):
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, number, size = [], 0, 0
    if number:
        yield pa.Table.from_batches(waiting).combine_chunks()


def _by_person(rows: pa.Table, layout: ChunkLayout, keys: ChunkKeys) -> Iterator[tuple[pa.Table, Int64s, UInt64s, int]]:
    """Yield rows of whole people, where each unit begins, ties, and how many rows name no person."""
    if layout.person is None:
        ties = _mixed(rows.column(TIE), keys.ties) if layout.tied else np.empty(0, np.uint64)
        yield rows, np.arange(rows.num_rows + 1, dtype=np.int64), ties, 0
        return
    people = rows.column(PERSON).combine_chunks()
    nameless = people.null_count
    if nameless:
        rows = rows.filter(pc.is_valid(people))
        people = people.drop_null()
    order, units, names = rows_by_person(people, rows.num_rows)
    ties = ties_of(keys.ties, names) if layout.tied else np.empty(0, np.uint64)
    hashed = pa.array([keyed_hash(keys.ids, PERSON, str(name)) for name in names], pa.string())
    rows = rows.set_column(0, PERSON, hashed.take(people.dictionary_encode().indices))
    most = max(min(CHUNK_ROWS, CHUNK_BYTES * rows.num_rows // max(rows.nbytes, 1)), 1)
    starts = [0, *(np.flatnonzero(np.diff(units[1:] // most)) + 1).tolist(), len(units) - 1]
    for first, end in pairwise(starts):
        low, high = int(units[first]), int(units[end])
        if end > first or nameless:
            yield rows.take(pa.array(order[low:high])), units[first : end + 1] - low, ties[first:end], nameless
            nameless = 0


def _mixed(hashes: pa.ChunkedArray, key: bytes) -> UInt64s:
    """Mix a key into hashes of rows (splitmix64)."""
    values = hashes.to_numpy().view(np.uint64) ^ np.uint64(int(keyed_hash(key, TIE)[:16], 16))
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UInt64s = values ^ (values >> np.uint64(31))
    return mixed


def _write(
    rows: pa.Table, units: Int64s, ties: UInt64s, nameless: int, *, layout: ChunkLayout, folder: str
) -> RowChunk:
    path = Path(folder, f"chunk-{uuid.uuid4()}")
    path.mkdir(mode=0o700)
    names = layout.names
    columns = {names[name]: _encoded(rows.column(names[name])) for name in layout.coded}
    columns |= {names[name]: rows.column(names[name]) for name in layout.carried}
    if layout.person is not None:
        columns |= {PERSON: rows.column(PERSON)}
    table = pa.table(columns)
    with pa.OSFile(str(path / ROWS), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    np.save(path / "units.npy", units)
    np.save(path / "ties.npy", ties)
    return RowChunk(str(path), rows.num_rows, len(units) - 1, nameless)
