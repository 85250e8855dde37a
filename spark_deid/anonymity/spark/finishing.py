"""Parts of a table are finished on workers: cut into classes, recoded, and written as files of the result."""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.anonymity.coding import Coder, held_by
from spark_deid.anonymity.constraint import Constraint
from spark_deid.anonymity.fitted import save_part
from spark_deid.anonymity.frequency import combinations
from spark_deid.anonymity.kernels.measuring import covered, shuffle
from spark_deid.anonymity.partition import Classes, Part, Recoding, cut_part, rows_of, shown
from spark_deid.anonymity.space import space_of
from spark_deid.anonymity.spark.chunks import PERSON, Layout
from spark_deid.core.hashing import file_sha256, keyed_hash
from spark_deid.numerics.arrays import Float64s, Int32s, Int64s
from spark_deid.storage.parts import Part as File
from spark_deid.storage.parts import PartsWriter

PART, UNIT, TIE = "part", "unit", "tie"


class Finished(NamedTuple):
    """A file of the result, and what it came to.

    ``sizes`` and ``before`` count classes by their persons, after and before; ``covered`` adds up, by attribute, the
    shares of the spans that rows cover; ``splits`` counts cuts by attribute. ``compared`` is the file of rows before
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
class Finisher:
    """How parts are finished: ``boxes`` are those of the parts, ``schema`` and ``folder`` the result's.

    ``fitted`` and ``compared`` are private folders, of cuts and of rows before and after; empty where not wanted.
    """

    coder: Coder
    constraint: Constraint
    recoding: dict[str, Recoding]
    is_relaxed: bool
    boxes: tuple[Int32s, Int32s]
    layout: Layout
    schema: pa.Schema
    folder: str
    key: bytes
    fitted: str = ""
    compared: str = ""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Finished | None:
        """Finish the part whose rows are given; None where there are none."""
        gathered = [batch for batch in batches if batch.num_rows]
        if not gathered:
            return None
        rows = pa.Table.from_batches(gathered).combine_chunks()
        number = int(rows.column(PART)[0].as_py())
        part, rows = self.part(rows)
        box = self.boxes[0][number], self.boxes[1][number]
        classes = cut_part(part, self.coder.quasi, self.constraint, self.recoding, is_relaxed=self.is_relaxed, box=box)
        order, starts = rows_of(part, classes.order, classes.starts)
        order = order.copy()
        shuffle(order, starts, int(keyed_hash(self.key, "order", str(number))[:15], 16))
        if self.fitted:
            save_part(Path(self.fitted), number, classes)
        names = shown(classes, self.coder.quasi)
        file = self.write(self.recoded(rows, names, order, starts))
        compared = self._compared(part, names, order, starts) if self.compared else None
        return self._told(file, part, classes, starts)._replace(compared=compared)

    def write(self, rows: pa.RecordBatch) -> File:
        """Write rows of the result as a file, with its digest."""
        return _written(self.folder, self.schema, rows)

    def _compared(self, part: Part, names: Sequence[pa.DictionaryArray], order: Int64s, starts: Int64s) -> File:
        """Write quasi-identifiers before and after beside each other."""
        owners = pa.array(np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
        columns = []
        for place, (attribute, labels) in enumerate(zip(self.coder.quasi, names, strict=True)):
            codes = part.codes[order, place]
            before = attribute.values.take(pa.array(codes - 1, mask=codes == 0)).cast(pa.string())
            columns += [before, labels.take(owners).dictionary_decode()]
        schema = compared_schema(attribute.name for attribute in self.coder.quasi)
        return _written(self.compared, schema, pa.RecordBatch.from_arrays(columns, schema=schema))

    def part(self, rows: pa.Table) -> tuple[Part, pa.Table]:
        """Return rows as a part, those of each person together."""
        units = np.arange(rows.num_rows + 1, dtype=np.int64)
        if self.layout.person is not None:
            numbers = _numbers(rows, UNIT)
            order = np.argsort(numbers, kind="stable")
            rows, numbers = rows.take(pa.array(order)), numbers[order]
            units = np.flatnonzero(np.append(True, np.append(np.diff(numbers) != 0, True))).astype(np.int64)
        codes = np.empty((rows.num_rows, len(self.coder.quasi)), np.int32)
        for place in range(codes.shape[1]):
            codes[:, place] = _numbers(rows, f"q{place}")
        values = [_numbers(rows, f"s{place}").astype(np.int64) for place in range(len(self.coder.sensitive))]
        ties = np.empty(0, np.uint64)
        if self.is_relaxed:
            ties = _numbers(rows, TIE).view(np.uint64)[units[:-1]]
        return Part(codes, units, ties, *held_by(values, units, int(self.coder.offsets[-1]))), rows

    def recoded(
        self, rows: pa.Table, shown_labels: Sequence[pa.DictionaryArray], order: Int64s, starts: Int64s
    ) -> pa.RecordBatch:
        """Return rows in an order, class by class, with what classes show."""
        owners = pa.array(np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
        labels = dict(zip(self.layout.coded, shown_labels, strict=False))
        taken = pa.array(order)
        columns = []
        for field in self.schema:
            if field.name in labels:
                column = labels[field.name].take(owners).dictionary_decode()
            else:
                name = PERSON if field.name == self.layout.person else self.layout.names[field.name]
                column = rows.column(name).combine_chunks().take(taken)
            columns.append(column if column.type == field.type else column.cast(field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _told(self, file: File, part: Part, classes: Classes, starts: Int64s) -> Finished:
        sums = np.zeros(len(self.coder.quasi))
        space = space_of(self.coder.quasi)
        covered(space, classes.lows, classes.highs, classes.missing, np.diff(starts), sums)
        placed = part.placed()
        group, _ = combinations(list(placed.T), len(placed))
        splits = np.bincount(classes.cuts.columns[classes.cuts.columns >= 0], minlength=len(sums))
        return Finished(
            file,
            part.number,
            _counted(np.diff(classes.starts)),
            _counted(np.bincount(group)),
            sums,
            splits.astype(np.int64),
        )


def compared_schema(quasi: Iterable[str]) -> pa.Schema:
    """Return the columns of rows before and after."""
    return pa.schema([(f"{name}{after}", pa.string()) for name in quasi for after in ("", " recoded")])


def _written(folder: str, schema: pa.Schema, rows: pa.RecordBatch) -> File:
    with PartsWriter({"rows": folder}, {"rows": schema}) as writer:
        writer.write({"rows": rows})
        file = writer.close()["rows"]
    return file._replace(sha256=file_sha256(Path(file.path)))


def share(spark: SparkSession, value: object) -> Any:
    """Broadcast a value as bytes: an encrypted broadcast can't write Arrow's large buffers itself."""
    return spark.sparkContext.broadcast(pickle.dumps(value))


def shared_value(shared: Any) -> Any:
    """Return on a worker what was shared."""
    return pickle.loads(shared.value)


def finish(batches: Iterator[pa.RecordBatch], *, finisher: Any) -> Iterator[pa.RecordBatch]:
    """Finish a part by a finisher that was broadcast, and tell of it."""
    told = shared_value(finisher)(batches)
    yield pa.RecordBatch.from_pydict({"made": [pickle.dumps(told)]})


def _counted(sizes: Sequence[int] | Int64s) -> Counter[int]:
    values, numbers = np.unique(np.asarray(sizes), return_counts=True)
    return Counter(dict(zip(values.tolist(), numbers.tolist(), strict=True)))


def _numbers(rows: pa.Table, name: str) -> Any:
    column = rows.column(name)
    return (
        column.combine_chunks().to_numpy(zero_copy_only=False) if column.num_chunks != 1 else column.chunk(0).to_numpy()
    )
