"""Mondrian over a table of any size, exactly as over one in memory, however the table is divided.

The table is read once into private chunks of codes. The top levels are cut by what all chunks together count; parts
that fit a worker are then brought together and finished by an Arrow function each, which writes its file of the result.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType, TimestampNTZType, TimestampType

from spark_deid.anonymity.asking import Answer, Question, added, answers
from spark_deid.anonymity.claim import Claim, check_columns
from spark_deid.anonymity.coding import Coder, constraint_for
from spark_deid.anonymity.constraint import Constraint
from spark_deid.anonymity.kernels.classes import place, regions
from spark_deid.anonymity.kernels.cuts import Cuts
from spark_deid.anonymity.recode import Modes, check_mondrian, modes_of
from spark_deid.anonymity.space import space_of
from spark_deid.anonymity.spark import chunks as stored
from spark_deid.anonymity.spark.chunks import CHUNK_ROWS, PERSON, Chunk, Layout
from spark_deid.anonymity.spark.finishing import PART, TIE, UNIT, Finished, Finisher, finish
from spark_deid.anonymity.topdown import Rules, top_cuts
from spark_deid.core.errors import SparkDeidError
from spark_deid.numerics.arrays import Int64s
from spark_deid.storage.parts import Part as File
from spark_deid.storage.spark.tasks import run_tasks

PART_ROWS = CHUNK_ROWS
"""About how many rows a worker finishes at a time."""
BATCH_ROWS = 1 << 16
_BATCH_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """What a table is to become: ``published`` are all columns of the result, in order.

    Recoding is tight where ``recoding`` does not say otherwise.
    """

    claim: Claim
    published: tuple[str, ...]
    recoding: Modes
    is_relaxed: bool = False


@dataclass(frozen=True)
class Cutting:
    """The files of a recoded table, and what it came to.

    ``sizes`` and ``before`` count classes by their persons (rows, where nobody says whose they are), after and before;
    before, persons of several rows stand where their least values are. ``ncp`` is the share of the span of each
    quasi-identifier that a row covers on average; ``splits`` counts cuts by quasi-identifier, ``top`` those that the
    whole table decided.
    """

    files: tuple[File, ...]
    schema: pa.Schema
    rows: int
    units: int
    sizes: Counter[int]
    before: Counter[int]
    ncp: dict[str, float]
    splits: dict[str, int]
    top: int


def cut_table(
    table: DataFrame, asked: Asked, scratch: Path, output: Path, key: bytes, *, part_rows: int = PART_ROWS
) -> Cutting:
    """Cut a table into classes by Mondrian, and write its rows, recoded, as files in a folder.

    ``scratch`` and ``output`` are new folders that every worker sees. The person column becomes a hash by ``key``.
    Reads the table once; then runs a job for its codes, one or a few for each level of cuts that the whole table
    decides, and two that bring parts together and finish them. On the driver are the distinct values of coded columns
    (at most ``DISTINCT_BYTES``), and counts of them.

    Raises UsageError, CorpusError, and GateRefused where the whole table does not satisfy the models as one class.
    """
    claim, spark = asked.claim, table.sparkSession
    check_mondrian(claim)
    check_columns(claim, table.columns)
    layout = stored.layout_of(claim, asked.published, tied=asked.is_relaxed)
    output.mkdir(parents=True, exist_ok=True)
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _large_batches(spark):
        chunks = stored.store(table, layout, scratch / "chunks", key)
        coder = stored.coder_for(claim, layout, chunks)
        work = _Work(spark, chunks, layout, coder, claim)
        constraint = work.code()
        cuts = work.top_cuts(constraint, asked.is_relaxed, part_rows)
        boxes = regions(cuts, np.array([attribute.size - 1 for attribute in coder.quasi], np.int64))
        leaves = np.flatnonzero(cuts.columns < 0)
        finisher = Finisher(
            coder=coder,
            constraint=constraint,
            recoding=modes_of(claim, asked.recoding),
            is_relaxed=asked.is_relaxed,
            boxes=(boxes[0][leaves], boxes[1][leaves]),
            layout=layout,
            schema=_schema(table, asked),
            folder=str(output),
            key=key,
        )
        finished = work.finish(cuts, finisher)
    return _told(finished, finisher.schema, coder, cuts)


@dataclass(frozen=True)
class _Work:
    """A stored table, and the session that looks at it."""

    spark: SparkSession
    chunks: tuple[Chunk, ...]
    layout: Layout
    coder: Coder
    claim: Claim

    @property
    def groups(self) -> list[tuple[Chunk, ...]]:
        """Return chunks, a group a task."""
        tasks = min(len(self.chunks), 2 * self.spark.sparkContext.defaultParallelism)
        return [self.chunks[start::tasks] for start in range(tasks)]

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def units(self) -> int:
        return sum(chunk.units for chunk in self.chunks)

    def code(self) -> Constraint:
        """Code all chunks; return the constraint that classes must satisfy."""
        shared = self.spark.sparkContext.broadcast(self.coder)
        held = run_tasks(self.spark, partial(_code, layout=self.layout, coder=shared), self.groups)
        shared.destroy()
        return constraint_for(self.claim, self.coder, np.sum(held, axis=0))

    def top_cuts(self, constraint: Constraint, is_relaxed: bool, part_rows: int) -> Cuts:
        """Cut until parts fit."""
        most = max(part_rows * self.units // self.rows, 1)
        rules = Rules(space_of(self.coder.quasi), constraint, is_relaxed, most, len(self.groups))
        return top_cuts(self._ask, rules, self.units)

    def finish(self, cuts: Cuts, finisher: Finisher) -> list[Finished]:
        """Bring the rows of each part together, and finish it."""
        numbered = list(enumerate(self.chunks))
        files = run_tasks(self.spark, partial(_route, layout=self.layout, coder=self.coder, cuts=cuts), numbered)
        parts = int((cuts.columns < 0).sum())
        schema = self.spark.read.parquet(f"file://{files[0]}").schema
        rows = self.spark.read.schema(schema).parquet(*(f"file://{path}" for path in files))
        shared = self.spark.sparkContext.broadcast(finisher)
        made = rows.repartitionById(parts, PART).mapInArrow(partial(finish, finisher=shared), "made binary").collect()
        shared.destroy()
        finished = [told for told in (pickle.loads(row[0]) for row in made) if told is not None]
        if sum(told.file.rows for told in finished) != self.rows:
            raise SparkDeidError("a part of the table was lost on its way to a worker; nothing is written")
        return finished

    def _ask(self, cuts: Cuts, questions: Sequence[Question]) -> list[Answer]:
        told = run_tasks(self.spark, partial(_answer, cuts=cuts, questions=questions), self.groups)
        return [added(each) for each in zip(*told, strict=True)]


def _code(chunks: Sequence[Chunk], *, layout: Layout, coder: Any) -> Int64s:
    held: Int64s = np.sum([stored.code(chunk, layout, coder.value) for chunk in chunks], axis=0)
    return held


def _answer(chunks: Sequence[Chunk], *, cuts: Cuts, questions: Sequence[Question]) -> list[Answer]:
    told = [answers(stored.part_of(chunk), cuts, questions) for chunk in chunks]
    return [added(each) for each in zip(*told, strict=True)]


def _route(numbered: tuple[int, Chunk], *, layout: Layout, coder: Coder, cuts: Cuts) -> str:
    """Write a chunk's rows with codes, and the part that each belongs to; return the file's path."""
    number, chunk = numbered
    part, rows = stored.part_of(chunk), stored.read_rows(chunk)
    leaves = np.cumsum(cuts.columns < 0, dtype=np.int32) - 1
    ties = part.ties if part.ties.size else np.zeros(part.number, np.uint64)
    of_unit = leaves[place(cuts, part.placed(), ties)]
    sizes = np.diff(part.units)
    columns: dict[str, Any] = {PART: np.repeat(of_unit, sizes)}
    if layout.person is not None:
        columns[UNIT] = np.repeat(np.arange(part.number, dtype=np.int64) + (number << 32), sizes)
        columns[PERSON] = rows.column(PERSON)
    if layout.tied:
        columns[TIE] = np.repeat(part.ties.view(np.int64), sizes)
    columns |= {f"q{at}": part.codes[:, at] for at in range(part.codes.shape[1])}
    names = layout.names
    for at, (attribute, start) in enumerate(zip(coder.sensitive, coder.offsets, strict=False)):
        columns[f"s{at}"] = stored.codes_of_rows(attribute, rows.column(names[attribute.name])) + np.int32(start)
    payload = (*layout.coded[part.codes.shape[1] :], *layout.carried)
    columns |= {names[name]: _plain(rows.column(names[name])) for name in payload}
    path = f"{chunk.path}/routed.parquet"
    pq.write_table(pa.table(columns), path, compression="snappy", write_statistics=False, store_schema=False)
    return path


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _schema(table: DataFrame, asked: Asked) -> pa.Schema:
    """Return the columns of the result: quasi-identifiers and persons as text, the others as they are."""
    texts = {*asked.claim.quasi, asked.claim.person}
    fields = []
    for name in asked.published:
        kind = StringType() if name in texts else table.schema[name].dataType
        fields.append(StructField(name, TimestampType() if isinstance(kind, TimestampNTZType) else kind))
    return to_arrow_schema(StructType(fields))


def _told(finished: Sequence[Finished], schema: pa.Schema, coder: Coder, cuts: Cuts) -> Cutting:
    rows = sum(told.file.rows for told in finished)
    covered = [fsum(float(told.covered[at]) for told in finished) for at in range(len(coder.quasi))]
    top = np.bincount(cuts.columns[cuts.columns >= 0], minlength=len(coder.quasi))
    splits = np.sum([top, *(told.splits for told in finished)], axis=0)
    names = [attribute.name for attribute in coder.quasi]
    return Cutting(
        files=tuple(sorted(told.file for told in finished)),
        schema=schema,
        rows=rows,
        units=sum(told.units for told in finished),
        sizes=sum((told.sizes for told in finished), Counter()),
        before=sum((told.before for told in finished), Counter()),
        ncp={name: value / rows for name, value in zip(names, covered, strict=True)},
        splits=dict(zip(names, splits.tolist(), strict=True)),
        top=int(top.sum()),
    )


@contextmanager
def _large_batches(spark: SparkSession) -> Iterator[None]:
    """Hand rows to workers in larger batches while the block runs."""
    before = spark.conf.get(_BATCH_SETTING)
    spark.conf.set(_BATCH_SETTING, str(BATCH_ROWS))
    try:
        yield
    finally:
        spark.conf.set(_BATCH_SETTING, str(before))
