"""A table for privacy models: classes, people and sensitive attributes by row, and sizes of classes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import HierarchyRows, PrivacyClaim
from spark_deid.anonymity.covering import ColumnValues
from spark_deid.anonymity.risk import Sizes
from spark_deid.anonymity.spark import classes, value_equivalence
from spark_deid.anonymity.spark.classes import CLASS
from spark_deid.anonymity.spark.columns import column
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Int64s, UInt8s
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import run_partitions


@dataclass(frozen=True)
class ReferenceTables:
    """Tables that some models read: the population with one row per person, and the person of each id.

    ``known`` (``known_persons.COLUMNS``) is of the release itself: whose its ids are, and what their classes had.
    """

    population: DataFrame | None = None
    known: DataFrame | None = None


class ClassPresence(NamedTuple):
    """By class: people of the table, and people of the population that it may represent; ``outside`` is without one."""

    persons: Int64s
    present: Int64s
    outside: int


@dataclass(frozen=True)
class ClassTable:
    """A table, its ``class``, ``person`` and sensitive attributes row by row, and the sizes of its classes."""

    claim: PrivacyClaim
    rows: DataFrame
    sizes: DataFrame
    references: ReferenceTables

    @classmethod
    def of(cls, table: DataFrame, claim: PrivacyClaim, references: "ReferenceTables") -> "ClassTable":
        """Describe a table by a claim. Nothing is counted yet.

        Args:
            table: The table.
            claim: Its columns and models.
            references: The tables that some models read.

        Returns:
            The table with the columns ``class`` and ``person``.
        """
        rows = value_equivalence.with_values_alike(classes.rows_of(table, claim), claim)
        return cls(claim, rows, classes.class_sizes(rows, by_person=claim.person is not None), references)

    @property
    def by_person(self) -> bool:
        """Return whether several rows may be one person's."""
        return self.claim.person is not None

    @cached_property
    def presence(self) -> ClassPresence:
        """Count the people of each class, and those of the population that it may represent; two Spark jobs."""
        if self.references.population is None:
            raise UsageError("--population: expected a table of the population, because a model counts it")
        sizes = self.sizes.select(f"{CLASS}.*", "persons").toArrow()
        labels = sizes.drop_columns(["persons"])
        counted = persons_covered(self.references.population, self.claim, labels)
        return ClassPresence(sizes.column("persons").to_numpy(), *counted)

    @cached_property
    def by_size(self) -> list[tuple[int, int, int]]:
        """Return sizes of classes in people, the number of classes of each size, and their rows; one Spark job."""
        counted = self.sizes.groupBy("persons").agg(F.count(F.lit(1)), F.sum("rows"))
        return sorted((people, number, rows) for people, number, rows in counted.collect())

    def number_of_classes(self) -> Sizes:
        """Return the number of classes by their people, and by their people of the population."""
        if self.references.population is None:
            return {(people, 0): number for people, number, _ in self.by_size}
        people, present, _ = self.presence
        return dict(Counter(zip(people.tolist(), present.tolist(), strict=True)))

    def holders(self, at: int) -> DataFrame:
        """Return ``class, value, holders`` of a sensitive attribute.

        Args:
            at: The place of the attribute in the claim.

        Returns:
            The number of people with each value, by class.
        """
        return classes.count_holders(self.rows, f"sensitive_{at}", by_person=self.by_person)


# The number of people of a population that each published class may represent, by its labels.


_PERSONS = 2**16
"""People in one batch: one bit per person, for every label."""

Labels = tuple[str | None, ...]


def persons_covered(population: DataFrame, claim: PrivacyClaim, classes: pa.Table) -> tuple[Int64s, int]:
    """Count the people that each class may represent, and those that no class represents; one Spark job.

    ``population`` has one row per person, with values as before recoding; ``classes`` one row per class,
    its quasi-identifiers in the order of the claim.
    """
    lacking = [name for name in claim.quasi if name not in population.columns]
    if lacking:
        raise UsageError(f"--population: lacks the columns {', '.join(lacking)}")
    hierarchies = tuple(claim.hierarchies.get(name, ()) for name in claim.quasi)
    counts = partial(_counted, classes=classes, hierarchies=hierarchies)
    found = run_partitions(population.select(*map(column, claim.quasi)), counts)
    no_person = np.zeros(classes.num_rows, np.int64)
    return sum((each for each, _ in found), no_person), sum(outside for _, outside in found)


def _counted(
    batches: Iterator[pa.RecordBatch], *, classes: pa.Table, hierarchies: tuple[HierarchyRows, ...]
) -> tuple[Int64s, int]:
    if not classes.num_rows:
        return np.zeros(0, np.int64), sum(batch.num_rows for batch in batches)
    known = [each.combine_chunks().dictionary_encode("encode") for each in classes.columns]
    labels = [each.dictionary.to_pylist() for each in known]
    codes = np.stack([each.indices.to_numpy() for each in known], 1)
    inside, outside = np.zeros(classes.num_rows, np.int64), 0
    for batch in batches:
        for start in range(0, batch.num_rows, _PERSONS):
            rows = batch.slice(start, _PERSONS)
            bits = [_bits(rows.column(at), labels[at], hierarchies[at]) for at in range(len(labels))]
            anywhere = np.zeros(bits[0].shape[1], np.uint8)
            for number, places in enumerate(codes):
                covered = np.bitwise_and.reduce([bits[at][place] for at, place in enumerate(places)])
                anywhere |= covered
                inside[number] += int(np.bitwise_count(covered).sum())
            outside += rows.num_rows - int(np.bitwise_count(anywhere).sum())
    return inside, outside


def _bits(cells: pa.Array, labels: list[str | None], hierarchy: HierarchyRows) -> UInt8s:
    """Return a row of bits for each label: the people that it may represent."""
    encoded = cells.cast(pa.string()).dictionary_encode("encode")
    values = ColumnValues.of(encoded.dictionary.to_pylist(), hierarchy)
    people = encoded.indices.to_numpy()
    return np.stack([np.packbits(values.covered(label)[people]) for label in labels])
