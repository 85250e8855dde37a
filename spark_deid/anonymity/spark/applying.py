"""A fitted recoding applied to a later batch: rows go to the classes of then, and what does not fit is left out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import check_columns
from spark_deid.anonymity.fitted import Fitted, doubled_codes, shown_by
from spark_deid.anonymity.kernels.classes import place
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.kernels.measuring import covered, shuffle
from spark_deid.anonymity.labels import labels
from spark_deid.anonymity.partition import Part
from spark_deid.anonymity.recode import check_mondrian, modes_of
from spark_deid.anonymity.space import space_of
from spark_deid.anonymity.spark import chunks as stored
from spark_deid.anonymity.spark.finishing import PART, Finished, Finisher
from spark_deid.anonymity.spark.mondrian import Asked, Cutting, Work, large_batches, schema_of, told_of
from spark_deid.core.errors import GateRefused
from spark_deid.core.hashing import keyed_hash
from spark_deid.numerics.arrays import Bools, Int64s

OUTSIDE, SHORT = "outside_of_fitted_ranges", "in_classes_that_fail"


def apply_fitted(table: DataFrame, fitted: Fitted, asked: Asked, scratch: Path, output: Path, key: bytes) -> Cutting:
    """Recode a batch by a fitted recoding, and write its rows as files in a folder; see ``cut_table``.

    Persons with a value that their class does not show are left out, then all of classes that do not satisfy the models
    on the batch. Raises GateRefused where nothing is left.
    """
    claim, spark = asked.claim, table.sparkSession
    check_mondrian(claim)
    check_columns(claim, table.columns)
    layout = stored.layout_of(claim, asked.published, tied=asked.is_relaxed)
    output.mkdir(parents=True, exist_ok=True)
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    plain = {name: rows for name, rows in claim.hierarchies.items() if name not in claim.quasi}
    with large_batches(spark):
        chunks = stored.store(table, layout, scratch / "chunks", key)
        coder = stored.coder_for(replace(claim, hierarchies=plain), layout, chunks)
        doubling = tuple(doubled_codes(*each) for each in zip(fitted.attributes, coder.quasi, strict=True))
        work = Work(spark, chunks, layout, coder, claim, doubling)
        constraint = work.code()
        nothing = np.empty((0, len(claim.quasi)), np.int32)
        finisher = Finisher(
            coder=replace(coder, quasi=fitted.attributes),
            constraint=constraint,
            recoding=modes_of(claim, asked.recoding),
            is_relaxed=asked.is_relaxed,
            boxes=(nothing, nothing),
            layout=layout,
            schema=schema_of(table, asked),
            folder=str(output),
            key=key,
        )
        finished = work.finish(fitted.cuts, Applier(fitted, finisher))
    told = told_of(finished, finisher.schema, finisher.coder, fitted.cuts._replace(columns=np.empty(0, np.int32)))
    if not told.rows:
        raise GateRefused("nothing is written: no class of the fitted recoding satisfies the models on this batch")
    return told


@dataclass(frozen=True)
class Applier:
    """Finishes parts of a batch by what was fitted; ``finisher`` knows the result."""

    fitted: Fitted
    finisher: Finisher

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Finished | None:
        """Recode the part whose rows are given; None where there are none."""
        gathered = [batch for batch in batches if batch.num_rows]
        if not gathered:
            return None
        rows = pa.Table.from_batches(gathered).combine_chunks()
        number = int(rows.column(PART)[0].as_py())
        part, rows = self.finisher.part(rows)
        known = self.fitted.part(number)
        ties = part.ties if part.ties.size else np.zeros(part.number, np.uint64)
        nodes = place(known.cuts, part.placed(), ties)
        classes = np.where(nodes < 0, -1, known.classes[nodes]).astype(np.int64)
        of_row = np.repeat(classes, np.diff(part.units))
        fits = np.minimum.reduceat(shown_by(known, part.codes, of_row), part.units[:-1])
        kept = fits & self._holding(part, np.where(fits, classes, -1), len(known.lows))
        order = np.flatnonzero(kept)
        order = order[np.argsort(classes[order], kind="stable")]
        present, sizes = np.unique(classes[order], return_counts=True)
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        taken, bounds = _rows(part, order, starts)
        seed = int(keyed_hash(self.finisher.key, "order", str(number))[:15], 16)
        shuffle(taken, bounds, seed)
        lows, highs, missing = known.lows[present], known.highs[present], known.missing[present]
        names = [
            labels(attribute, lows[:, at], highs[:, at], missing[:, at])
            for at, attribute in enumerate(self.fitted.attributes)
        ]
        sums = np.zeros(len(self.fitted.attributes))
        covered(space_of(self.fitted.attributes), lows, highs, missing, np.diff(bounds), sums)
        weights = np.diff(part.units)
        return Finished(
            file=self.finisher.write(self.finisher.recoded(rows, names, taken, bounds)),
            units=len(order),
            sizes=Counter(sizes.tolist()),
            before=_tuples(part),
            covered=sums,
            splits=np.zeros(len(sums), np.int64),
            suppressed={OUTSIDE: int(weights[~fits].sum()), SHORT: int(weights[fits & ~kept].sum())},
        )

    def _holding(self, part: Part, classes: Int64s, number: int) -> Bools:
        """Tell which units are in classes that satisfy the models; those below zero are in none."""
        constraint = self.finisher.constraint
        held_in = np.repeat(classes, np.diff(part.offsets))
        width = int(constraint.offsets[-1])
        holds = np.zeros(number + 1, np.bool_)  # the last is that of units in no class
        persons = np.bincount(classes[classes >= 0], minlength=number)
        by_class = np.argsort(held_in, kind="stable")
        bounds = np.searchsorted(held_in[by_class], np.arange(number + 1))
        for each in np.flatnonzero(persons):
            counts = np.bincount(part.held[by_class[bounds[each] : bounds[each + 1]]], minlength=width).astype(np.int64)
            holds[each] = satisfies(constraint, np.int64(persons[each]), np.int64(0), counts)
        found: Bools = holds[classes]
        return found


def _rows(part: Part, order: Int64s, starts: Int64s) -> tuple[Int64s, Int64s]:
    """Return the rows of some units, class by class, and where those of each class begin."""
    if part.number == len(part.codes):
        return order.astype(np.int64), starts
    sizes = np.diff(part.units)[order]
    ends = np.cumsum(sizes)
    rows = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes) + np.repeat(part.units[:-1][order], sizes)
    return rows.astype(np.int64), np.append(0, ends)[starts].astype(np.int64)


def _tuples(part: Part) -> Counter[int]:
    _, numbers = np.unique(part.placed(), axis=0, return_counts=True)
    return Counter(numbers.tolist())
