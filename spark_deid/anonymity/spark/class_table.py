"""A table as privacy models look at it: classes, persons and sensitive attributes row by row, and sizes of classes."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.risk import Sizes
from spark_deid.anonymity.spark import classes, value_equivalence
from spark_deid.anonymity.spark.classes import CLASS
from spark_deid.anonymity.spark.presence import persons_covered
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Int64s


@dataclass(frozen=True)
class ReferenceTables:
    """Tables that some models look at: all whom the table may be about, a person a row; who is who.

    ``known`` (``known_persons.COLUMNS``) is of the release itself: whose its ids are, and what their classes had.
    """

    population: DataFrame | None = None
    known: DataFrame | None = None


class ClassPresence(NamedTuple):
    """By class: persons of the table, and those of the population that it may stand for; ``outside`` are in none."""

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
        """Look at a table as a claim does; nothing is counted yet."""
        rows = value_equivalence.with_values_alike(classes.rows_of(table, claim), claim)
        return cls(claim, rows, classes.class_sizes(rows, by_person=claim.person is not None), references)

    @property
    def by_person(self) -> bool:
        """Tell whether several rows may be one person's."""
        return self.claim.person is not None

    @cached_property
    def presence(self) -> ClassPresence:
        """Count the persons of each class, and those of the population that it may stand for; two Spark jobs."""
        if self.references.population is None:
            raise UsageError("--population: expected a table of the population, because a model counts it")
        sizes = self.sizes.select(f"{CLASS}.*", "persons").toArrow()
        labels = sizes.drop_columns(["persons"])
        counted = persons_covered(self.references.population, self.claim, labels)
        return ClassPresence(sizes.column("persons").to_numpy(), *counted)

    @cached_property
    def by_size(self) -> list[tuple[int, int, int]]:
        """Return persons of a class, how many classes have so many, and all rows of these; one Spark job."""
        counted = self.sizes.groupBy("persons").agg(F.count(F.lit(1)), F.sum("rows"))
        return sorted((people, number, rows) for people, number, rows in counted.collect())

    def number_of_classes(self) -> Sizes:
        """Return how many classes have so many persons, and so many of the population."""
        if self.references.population is None:
            return {(people, 0): number for people, number, _ in self.by_size}
        people, present, _ = self.presence
        return dict(Counter(zip(people.tolist(), present.tolist(), strict=True)))

    def holders(self, at: int) -> DataFrame:
        """Return ``class, value, holders`` of a sensitive attribute, by its place."""
        return classes.count_holders(self.rows, f"sensitive_{at}", by_person=self.by_person)
