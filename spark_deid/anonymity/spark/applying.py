"""A fitted recoding applied to a later batch: rows go to the classes of then, and what does not fit is omitted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.fitted import OUTSIDE, SHORT, FittedPart, FittedRecoding, are_within_classes, doubled_codes
from spark_deid.anonymity.frequency import SensitiveValues
from spark_deid.anonymity.incognito import constrain_kept
from spark_deid.anonymity.kernels.classes import place_units
from spark_deid.anonymity.kernels.failing import find_failing
from spark_deid.anonymity.space import last_codes
from spark_deid.anonymity.spark.finishing import FinishedFile, OpenedPart, PartFinisher
from spark_deid.anonymity.spark.mondrian import (
    MondrianFolders,
    MondrianRequest,
    MondrianResult,
    folder_for_pairs,
    open_table,
    result_of,
)
from spark_deid.core.errors import GateRefused
from spark_deid.core.numerics.arrays import Bools, Int64s

FAR = 2.0
"""A distance that no class reaches."""


def apply_fitted(
    table: DataFrame, fitted: FittedRecoding, request: MondrianRequest, scratch: Path, output: Path, key: bytes
) -> MondrianResult:
    """Recode a batch by a fitted recoding, and write its rows as files in a folder; see ``cut_table``.

    People with a value that their class does not show are omitted, then all of classes that do not satisfy the models
    on the batch. Where distances to the whole table count, parts are counted first, in a separate job: what remains
    is the whole, so classes are omitted until not one of them fails. Raises GateRefused where nothing remains.
    """
    claim = request.claim
    plain = {name: rows for name, rows in claim.hierarchies.items() if name not in claim.quasi}
    with open_table(table, request, MondrianFolders(scratch, output, key), replace(claim, hierarchies=plain)) as (
        work,
        finisher,
    ):
        doubling = tuple(doubled_codes(*each) for each in zip(fitted.attributes, work.coder.quasi, strict=True))
        pairs = folder_for_pairs(request)
        work = replace(work, doubling=doubling, with_originals=bool(pairs))
        coder = replace(work.coder, quasi=fitted.attributes)
        applier = RecodingApplier(fitted, replace(finisher, coder=coder, constraint=work.code(), compared=pairs))
        routed = work.route(fitted.cuts)
        if applier.finisher.constraint.t < 1:
            applier = applier.without(work.each(routed, PartCounter(applier)))
        finished = work.finish(routed, applier)
    result = result_of(finished, finisher.schema, coder, fitted.cuts._replace(columns=np.empty(0, np.int32)))
    if not result.rows:
        raise GateRefused(
            "the table is not written: no class of the fitted recoding satisfies the models on this table"
        )
    return result


class PartClassCounts(NamedTuple):
    """The people of each class of a part, and those of them that hold each sensitive value, by class and value."""

    number: int
    persons: Int64s
    held: SensitiveValues

    def failing(self, constraint: ClassConstraint, kept: Bools) -> Bools:
        """Return which of the classes that are kept fail a constraint."""
        starts = np.searchsorted(self.held.owners, np.arange(len(self.persons) + 1))
        people = np.where(kept, self.persons, 0)
        fails: Bools = find_failing(
            constraint, people, np.zeros_like(people), starts, self.held.values, self.held.counts
        )
        return fails


@dataclass(frozen=True)
class RecodingApplier:
    """Finishes parts of a batch by what was fitted; ``finisher`` knows the result.

    ``failed`` shows, by part, which classes are known to fail.
    """

    fitted: FittedRecoding
    finisher: PartFinisher
    failed: Mapping[int, Bools] = field(default_factory=dict)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> FinishedFile | None:
        """Recode the part whose rows are given; None if they are missing."""
        here = self.finisher.opened(batches)
        if here is None:
            return None
        known = self.fitted.part(here.number)
        classes = self._classes(here, known)
        counts = _counts(here, classes, len(known.lows))
        fails = counts.failing(self.finisher.constraint, counts.persons > 0)
        if here.number in self.failed:
            fails = fails | self.failed[here.number]
        fits = classes >= 0
        kept = fits & ~fails[classes]
        order = np.flatnonzero(kept)
        order = order[np.argsort(classes[order], kind="stable")]
        present, sizes = np.unique(classes[order], return_counts=True)
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        ranges = known.lows[present], known.highs[present], known.extras[present]
        weights = np.diff(here.part.units)
        suppressed = {OUTSIDE: int(weights[~fits].sum()), SHORT: int(weights[fits & ~kept].sum())}
        return self.finisher.written(here, order, starts, ranges)._replace(suppressed=suppressed)

    def counted(self, batches: Iterator[pa.RecordBatch]) -> PartClassCounts | None:
        """Count a part; None where there are no rows."""
        here = self.finisher.opened(batches)
        if here is None:
            return None
        known = self.fitted.part(here.number)
        return _counts(here, self._classes(here, known), len(known.lows))

    def without(self, parts: Sequence[PartClassCounts]) -> "RecodingApplier":
        """Know which classes fail where distances count to the table that remains, not to all of the batch."""
        constraint = self.finisher.constraint
        bounds = np.cumsum([0, *(len(each.persons) for each in parts)])
        whole = PartClassCounts(
            0,
            np.concatenate([each.persons for each in parts]),
            SensitiveValues(
                np.concatenate([each.held.owners + start for each, start in zip(parts, bounds, strict=False)]),
                np.concatenate([each.held.values for each in parts]),
                np.concatenate([each.held.counts for each in parts]),
            ),
        )
        kept = whole.persons > 0
        while (fails := whole.failing(constrain_kept(constraint, whole.held, kept), kept)).any():
            kept &= ~fails
        failed = {each.number: ~kept[low:high] for each, (low, high) in zip(parts, pairwise(bounds), strict=True)}
        near = self.finisher.constraint._replace(t=FAR)  # what remains is near enough to what remains
        return replace(self, failed=failed, finisher=replace(self.finisher, constraint=near))

    def _classes(self, here: OpenedPart, known: FittedPart) -> Int64s:
        """Return the class of each unit, -1 where none shows all its values."""
        part = here.part
        ties = part.ties if part.ties.size else np.zeros(part.number, np.uint64)
        nodes = place_units(known.cuts, part.placed(), ties)
        classes = np.where(nodes < 0, -1, known.classes[nodes]).astype(np.int64)
        shown = are_within_classes(
            known, part.codes, np.repeat(classes, np.diff(part.units)), last_codes(self.fitted.attributes)
        )
        fitting: Int64s = np.where(np.minimum.reduceat(shown, part.units[:-1]), classes, -1)
        return fitting


@dataclass(frozen=True)
class PartCounter:
    """Counts parts of a batch, and writes nothing."""

    applier: RecodingApplier

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> PartClassCounts | None:
        """Count the part whose rows are given; None if they are missing."""
        return self.applier.counted(batches)


def _counts(here: OpenedPart, classes: Int64s, number: int) -> PartClassCounts:
    owners = np.repeat(classes, np.diff(here.part.offsets))
    width = int(here.part.held.max(initial=0)) + 1
    keys, counts = np.unique(owners[owners >= 0] * width + here.part.held[owners >= 0], return_counts=True)
    held = SensitiveValues(keys // width, keys % width, counts.astype(np.int64))
    return PartClassCounts(here.number, np.bincount(classes[classes >= 0], minlength=number).astype(np.int64), held)
