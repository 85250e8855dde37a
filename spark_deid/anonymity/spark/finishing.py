"""Parts of a table are finished on workers: cut into classes, recoded, and written as files of the result."""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.anonymity.coding import TableCoder, held_by
from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.fitted import save_part
from spark_deid.anonymity.frequency import number_combinations
from spark_deid.anonymity.kernels.class_loss import shuffle_classes, sum_covered_shares
from spark_deid.anonymity.labels import too_long
from spark_deid.anonymity.multivalued import row_values
from spark_deid.anonymity.partition import Ranges, UnitRows, cut_part, name_partition, rows_of
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.space import space_of
from spark_deid.anonymity.spark.chunks import PERSON, ChunkLayout
from spark_deid.core.hashing import file_sha256, keyed_hash
from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s
from spark_deid.engine.shared import SharedValue
from spark_deid.storage.parts import PartFile as File
from spark_deid.storage.parts import PartsWriter

PART, UNIT, TIE = "part", "unit", "tie"
PIECE_BYTES = 1 << 30
"""About how much text is written at a time: Arrow's offsets end at 2 GiB."""
MOST_COLUMN_BYTES = 1 << 32
"""What rows of one part may show of one column."""


class FinishedFile(NamedTuple):
    """A file of the result, and what it came to.

    ``sizes`` and ``before`` count classes by their people, after and before; ``covered`` adds up, by attribute, the
    fractions of the spans that rows cover; ``splits`` counts cuts by attribute. ``compared`` is the file of rows before
    and after, and ``suppressed`` counts the rows that are not in the result, by reason.
    """

    file: File
    units: int
    sizes: Counter[int]
    before: Counter[int]
    covered: Float64s
    splits: Int64s
    compared: File | None = None
    suppressed: Mapping[str, int] | None = None


@dataclass(frozen=True)
class PartFinisher:
    """How parts are finished: ``boxes`` are those of the parts, ``schema`` and ``folder`` the result's.

    ``fitted`` and ``compared`` are private folders, of cuts and of rows before and after; empty where not wanted.
    """

    coder: TableCoder
    constraint: ClassConstraint
    recoding: dict[str, RecodingMode]
    is_relaxed: bool
    boxes: tuple[Int32s, Int32s]
    layout: ChunkLayout
    schema: pa.Schema
    folder: str
    key: bytes
    fitted: str = ""
    compared: str = ""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> FinishedFile | None:
        """Finish the part whose rows are given; None if they are missing."""
        opened = self.opened(batches)
        if opened is None:
            return None
        number, part = opened.number, opened.part
        box = self.boxes[0][number], self.boxes[1][number]
        classes = cut_part(part, self.coder.quasi, self.constraint, self.recoding, is_relaxed=self.is_relaxed, box=box)
        if self.fitted:
            save_part(Path(self.fitted), number, classes)
        splits = np.bincount(classes.cuts.columns[classes.cuts.columns >= 0], minlength=len(self.coder.quasi))
        return self.written(opened, classes.order, classes.starts, classes.ranges)._replace(
            splits=splits.astype(np.int64)
        )

    def opened(self, batches: Iterator[pa.RecordBatch]) -> "OpenedPart | None":
        """Return a part as it came to this worker; None where it has no rows."""
        gathered = [batch for batch in batches if batch.num_rows]
        if not gathered:
            return None
        rows = pa.Table.from_batches(gathered).combine_chunks()
        part, places = self._part(rows)
        return OpenedPart(int(rows.column(PART)[0].as_py()), part, rows, places)

    def written(self, opened: "OpenedPart", order: Int32s | Int64s, starts: Int64s, ranges: Ranges) -> FinishedFile:
        """Write the units of classes, ``order[starts[c]:starts[c + 1]]`` of class c, as classes show them."""
        part = opened.part
        taken, bounds = rows_of(part, order, starts)
        taken = taken.copy()
        shuffle_classes(taken, bounds, int(keyed_hash(self.key, "order", str(opened.number))[:15], 16))
        names = name_partition(ranges, self.coder.quasi)
        _check_sets(self.coder.quasi, names, np.diff(bounds))
        sums = np.zeros(len(self.coder.quasi))
        sum_covered_shares(space_of(self.coder.quasi), *ranges, np.diff(bounds), sums)
        group, _ = number_combinations(list(part.placed().T), part.number)
        return FinishedFile(
            file=_written(self.folder, self.schema, self.recoded(opened, names, taken, bounds)),
            units=len(order),
            sizes=_counted(np.diff(starts)),
            before=_counted(np.bincount(group)),
            covered=sums,
            splits=np.zeros(len(sums), np.int64),
            compared=self._compared(opened, names, taken, bounds) if self.compared else None,
        )

    def _compared(
        self, opened: "OpenedPart", names: Sequence[pa.DictionaryArray], order: Int64s, starts: Int64s
    ) -> File:
        """Write quasi-identifiers before and after beside each other."""
        owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        schema = compared_schema(attribute.name for attribute in self.coder.quasi)

        def piece(first: int, end: int) -> pa.RecordBatch:
            columns = []
            for place, labels in enumerate(names):
                before = self._originals(opened, place, order[first:end])
                columns += [before, labels.take(pa.array(owners[first:end])).dictionary_decode()]
            return pa.RecordBatch.from_arrays(columns, schema=schema)

        return _written(self.compared, schema, (piece(*each) for each in _pieces(_label_bytes(names)[owners])))

    def _originals(self, opened: "OpenedPart", place: int, order: Int64s) -> pa.Array:
        """Return the original values of an attribute: those that came with the rows, else those of its codes."""
        name = original_name(place)
        if name in opened.rows.column_names:
            return _whole(opened.rows.column(name)).take(pa.array(opened.places[order])).cast(pa.string())
        codes = opened.part.codes[order, place]
        return self.coder.quasi[place].values.take(pa.array(codes - 1, mask=codes == 0)).cast(pa.string())

    def _part(self, rows: pa.Table) -> tuple[UnitRows, Int64s]:
        """Return rows as a part, those of each person together, and where each of its rows is in what came."""
        places = np.arange(rows.num_rows, dtype=np.int64)
        units = np.arange(rows.num_rows + 1, dtype=np.int64)
        if self.layout.person is not None:
            numbers = _numbers(rows, UNIT)
            places = np.argsort(numbers, kind="stable")
            units = np.flatnonzero(np.append(True, np.append(np.diff(numbers[places]) != 0, True))).astype(np.int64)
        codes = np.empty((rows.num_rows, len(self.coder.quasi)), np.int32)
        for place in range(codes.shape[1]):
            codes[:, place] = _numbers(rows, f"q{place}")[places]
        held = (rows.column(f"s{at}").combine_chunks() for at in range(len(self.coder.sensitive)))
        values = [row_values(each, _plain).take(places) for each in held]
        ties = np.empty(0, np.uint64)
        if self.is_relaxed:
            ties = _numbers(rows, TIE)[places].view(np.uint64)[units[:-1]]
        return UnitRows(codes, units, ties, *held_by(values, units, int(self.coder.offsets[-1]))), places

    def recoded(
        self, opened: "OpenedPart", names: Sequence[pa.DictionaryArray], order: Int64s, starts: Int64s
    ) -> Iterator[pa.RecordBatch]:
        """Yield rows in an order, class by class, with what classes show; no piece is too large for Arrow's text."""
        owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        labels = dict(zip(self.layout.coded, names, strict=False))
        renamed = {**self.layout.names, **({} if self.layout.person is None else {self.layout.person: PERSON})}
        carried = {f.name: _whole(opened.rows.column(renamed[f.name])) for f in self.schema if f.name not in labels}
        taken = opened.places[order]
        sizes = _label_bytes(names)[owners]
        for column in carried.values():
            sizes += _bytes(column)[taken]
        for first, end in _pieces(sizes):
            classes, rows = pa.array(owners[first:end]), pa.array(taken[first:end])
            columns = [
                labels[field.name].take(classes).dictionary_decode()
                if field.name in labels
                else carried[field.name].take(rows).cast(field.type)
                for field in self.schema
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


class OpenedPart(NamedTuple):
    """A part on its worker: its number, its units, the rows that came, and where among these each of the units' is."""

    number: int
    part: UnitRows
    rows: pa.Table
    places: Int64s


def original_name(place: int) -> str:
    """Return the column of routed rows that has the original values of an attribute, by its place."""
    return f"o{place}"


def compared_schema(quasi: Iterable[str]) -> pa.Schema:
    """Return the columns of rows before and after."""
    return pa.schema([(f"{name}{after}", pa.string()) for name in quasi for after in ("", " recoded")])


def _written(folder: str, schema: pa.Schema, pieces: Iterable[pa.RecordBatch]) -> File:
    with PartsWriter({"rows": folder}, {"rows": schema}) as writer:
        for rows in pieces:
            writer.write({"rows": rows})
        file = writer.close()["rows"]
    return file._replace(sha256=file_sha256(Path(file.path)))


def finish_part(batches: Iterator[pa.RecordBatch], *, finisher: SharedValue[Any]) -> Iterator[pa.RecordBatch]:
    """Finish a part by a finisher that was broadcast, and reveal it."""
    result = finisher.value(batches)
    yield pa.RecordBatch.from_pydict({"made": [pickle.dumps(result)]})


def _check_sets(quasi: Sequence[CodedAttribute], names: Sequence[pa.DictionaryArray], rows: Int64s) -> None:
    """Raise SparkDeidError where rows would show sets of values of more than MOST_COLUMN_BYTES."""
    for attribute, shown in zip(quasi, names, strict=True):
        if int(_label_bytes([shown]) @ rows) > MOST_COLUMN_BYTES:
            raise too_long(attribute.name, MOST_COLUMN_BYTES)


def _label_bytes(names: Sequence[pa.DictionaryArray]) -> Int64s:
    """Return how many bytes what each class shows takes in a row."""
    sizes = (pc.fill_null(pc.binary_length(each.dictionary), 0).take(each.indices) for each in names)
    total: Int64s = np.sum([each.to_numpy() for each in sizes], axis=0, dtype=np.int64)
    return total


def _bytes(column: pa.Array) -> Int64s:
    """Return how many bytes each cell of a column takes; where that is not text, on average."""
    kinds = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)
    if any(is_kind(column.type) for is_kind in kinds):
        sizes: Int64s = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
        return sizes
    return np.full(len(column), column.nbytes // max(len(column), 1), np.int64)


def _pieces(sizes: Int64s) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows of about PIECE_BYTES; ``sizes`` are those of rows."""
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // PIECE_BYTES)) + 1
    yield from pairwise([0, *cuts.tolist(), len(sizes)])


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece, which text of 2 GiB and more is with long offsets only."""
    if column.num_chunks == 1:
        return column.chunk(0)
    longer = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    return column.cast(longer.get(column.type, column.type)).combine_chunks()


def _counted(sizes: Sequence[int] | Int64s) -> Counter[int]:
    values, numbers = np.unique(np.asarray(sizes), return_counts=True)
    return Counter(dict(zip(values.tolist(), numbers.tolist(), strict=True)))


def _plain(codes: pa.Array) -> Int64s:
    numbers: Int64s = codes.to_numpy(zero_copy_only=False)
    return numbers


def _numbers(rows: pa.Table, name: str) -> Any:
    column = rows.column(name)
    return (
        column.combine_chunks().to_numpy(zero_copy_only=False) if column.num_chunks != 1 else column.chunk(0).to_numpy()
    )
