"""What each privacy model says of each class of a table: a figure, and whether it holds."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.demands import ModelDemand
from spark_deid.anonymity.models import ALPHA, ENTROPY, FREQUENCY, RECURSIVE, K, L, M, SensitiveDistance, T
from spark_deid.anonymity.risk import Sizes
from spark_deid.anonymity.spark import classes, distances
from spark_deid.anonymity.spark.classes import CLASS, PERSON, VALUE
from spark_deid.anonymity.spark.presence import persons_covered
from spark_deid.core.errors import UsageError
from spark_deid.numerics.arrays import Float64s, Int64s

CLASSES = "classes"
ROUNDING = 1e-9
"""By how much a sum of shares may miss what it would be on paper."""
_LINES = (NumericType, DateType, TimestampType, TimestampNTZType)


@dataclass(frozen=True)
class ReferenceTables:
    """Tables that some models look at: all whom the table may be about, a person a row; what was released before."""

    population: DataFrame | None = None
    previous: DataFrame | None = None


class FigureCounts(NamedTuple):
    """Of a figure: how many classes have one, how many of these it fails, and the worst."""

    number: int
    failing: int
    worst: float | None


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
        rows = classes.rows_of(table, claim)
        return cls(claim, rows, classes.class_sizes(rows, by_person=claim.person is not None), references)

    @property
    def by_person(self) -> bool:
        """Tell whether several rows may be one person's."""
        return self.claim.person is not None

    @cached_property
    def presence(self) -> ClassPresence:
        """Count the persons of each class, and those of the population that it may stand for; two Spark jobs."""
        if self.references.population is None:
            raise UsageError("--population: expected a table of all whom the table may be about")
        sizes = self.sizes.select(f"{CLASS}.*", "persons").toArrow()
        labels = sizes.drop_columns(["persons"])
        counted = persons_covered(self.references.population, self.claim, labels)
        return ClassPresence(sizes.column("persons").to_numpy(), *counted)

    @cached_property
    def by_size(self) -> list[tuple[int, int, int]]:
        """Return persons of a class, how many classes have so many, and all rows of these; one Spark job."""
        counted = self.sizes.groupBy("persons").agg(F.count(F.lit(1)), F.sum("rows"))
        return sorted((persons, number, rows) for persons, number, rows in counted.collect())

    def number_of_classes(self) -> Sizes:
        """Return how many classes have so many persons, and so many of the population."""
        if self.references.population is None:
            return {(persons, 0): number for persons, number, _ in self.by_size}
        persons, present, _ = self.presence
        return dict(Counter(zip(persons.tolist(), present.tolist(), strict=True)))

    def holders(self, at: int) -> DataFrame:
        """Return ``class, value, holders`` of a sensitive attribute, by its place."""
        return classes.holders(self.rows, f"sensitive_{at}", by_person=self.by_person)


@dataclass(frozen=True)
class ModelFigure:
    """A model's figure: ``figure, holds`` of each class, or what is counted of these; ``threshold`` is its bound.

    The worst figure is the ``least`` or the greatest. ``sensitive`` is the attribute that it is about, ``counted`` what
    has figures.
    """

    demand: ModelDemand
    by_class: DataFrame | FigureCounts
    threshold: float
    least: bool
    sensitive: str | None = None
    counted: str = CLASSES

    @property
    def worst(self) -> Column:
        """Return the aggregate that is the worst of all classes."""
        return F.min("figure") if self.least else F.max("figure")


def figures(table: ClassTable) -> tuple[ModelFigure, ...]:
    """Return a figure for every model, and for every sensitive attribute where the model is about one.

    Classes are collected, and the population counted, where a model bounds who of it is present: two Spark jobs.
    """
    told = []
    for demand in table.claim.models.demands:
        if demand.name == K:
            told.append(_size(table, demand))
        elif demand.name == M:
            told += [each for at in range(len(table.claim.sensitive)) for each in _invariance(table, demand, at)]
        elif demand.name in _DIVERSITY:
            told += [_diversity(table, demand, at) for at in range(len(table.claim.sensitive))]
        elif demand.name == T:
            told += [_closeness(table, demand, at) for at in range(len(table.claim.sensitive))]
        else:
            told += _presence(table, demand)
    return tuple(told)


def _size(table: ClassTable, demand: ModelDemand) -> ModelFigure:
    k = int(demand.numbers[0])
    failing = sum(number for persons, number, _ in table.by_size if persons < k)
    counts = FigureCounts(sum(number for _, number, _ in table.by_size), failing, next(iter(table.by_size), (None,))[0])
    return ModelFigure(demand, counts, k, least=True)


def _distinct(demand: ModelDemand) -> tuple[Column, Column, float, bool]:
    threshold = int(demand.numbers[0])
    return F.col("distinct"), F.col("distinct") >= threshold, threshold, True


def _frequency(demand: ModelDemand) -> tuple[Column, Column, float, bool]:
    share = F.col("most") / F.col("persons")
    most = float(1 / demand.numbers[0] if demand.name == FREQUENCY else demand.numbers[0])
    return share, share <= most + ROUNDING, most, False


def _entropy(demand: ModelDemand) -> tuple[Column, Column, float, bool]:
    effective = F.exp("entropy")
    threshold = float(demand.numbers[0])
    return effective, effective >= threshold * (1 - ROUNDING), threshold, True


def _recursive(demand: ModelDemand) -> tuple[Column, Column, float, bool]:
    c = float(demand.numbers[0])
    ratio = F.when(F.col("rest") > 0, F.col("most") / F.col("rest")).otherwise(F.lit(float("inf")))
    return ratio, ratio < c, c, False


def _unique(demand: ModelDemand) -> tuple[Column, Column, float, bool]:
    m = int(demand.numbers[0])
    enough = (F.col("distinct") >= m) & (F.col("persons") >= m)
    return F.col("distinct"), enough & (F.col("most") == 1), m, True


_OF_PERSONS = frozenset({FREQUENCY, ALPHA, M})
"""Models that hold a value's holders against the persons of a class."""

_Look = Callable[[ModelDemand], tuple[Column, Column, float, bool]]
_DIVERSITY: Mapping[str, _Look] = MappingProxyType(
    {L: _distinct, FREQUENCY: _frequency, ENTROPY: _entropy, RECURSIVE: _recursive, ALPHA: _frequency, M: _unique}
)
"""The figure of a class, whether it holds, the threshold, and whether the least is the worst."""


def _diversity(table: ClassTable, demand: ModelDemand, at: int) -> ModelFigure:
    figure, holds, threshold, least = _DIVERSITY[demand.name](demand)
    tail = int(demand.numbers[-1]) if demand.name == RECURSIVE else 1
    diverse = classes.diversity(table.holders(at), tail=tail)
    joined = _with_persons(table, diverse) if demand.name in _OF_PERSONS else diverse
    by_class = joined.select(CLASS, figure.alias("figure"), holds.alias("holds"))
    return ModelFigure(demand, by_class, threshold, least, table.claim.sensitive[at])


def _with_persons(table: ClassTable, diverse: DataFrame) -> DataFrame:
    """Add the number of a class's persons; where every row is one, each holds one value."""
    if not table.by_person:
        return diverse.withColumn("persons", F.col("total"))
    sizes = table.sizes.select(F.col(CLASS).alias("sized"), "persons")
    return diverse.join(sizes, on=F.col(CLASS).eqNullSafe(F.col("sized")), how="inner")


def _presence(table: ClassTable, demand: ModelDemand) -> list[ModelFigure]:
    """Look at each class's share of those whom it may stand for; who is in no class counts as absent."""
    persons, present, outside = table.presence
    with np.errstate(divide="ignore"):
        shares = persons / present
    lower, upper = map(float, demand.numbers)
    every = np.append(shares, [0.0] * bool(outside))
    return [_shares(demand, every, lower, least=True), _shares(demand, every, upper, least=False)]


def _shares(demand: ModelDemand, shares: Float64s, threshold: float, *, least: bool) -> ModelFigure:
    fails = shares < threshold - ROUNDING if least else shares > threshold + ROUNDING
    worst = None if not shares.size else float(shares.min() if least else shares.max())
    return ModelFigure(demand, FigureCounts(shares.size, int(fails.sum()), worst), threshold, least)


def _invariance(table: ClassTable, demand: ModelDemand, at: int) -> list[ModelFigure]:
    """Look at classes whose values must differ, and at persons whose class must have the values that it had."""
    told, name = [_diversity(table, demand, at)], table.claim.sensitive[at]
    if table.references.previous is None:
        return told
    check_columns(table.claim, table.references.previous.columns, "--previous")
    before = classes.signatures(classes.rows_of(table.references.previous, table.claim), f"sensitive_{at}", "before")
    after = classes.signatures(table.rows, f"sensitive_{at}", "after")
    kept = F.col("before").eqNullSafe(F.col("after"))
    both = after.join(before, on=PERSON, how="inner")
    by_person = both.select(F.when(kept, 0).otherwise(1).alias("figure"), kept.alias("holds"))
    return [*told, ModelFigure(demand, by_person, 0, least=False, sensitive=name, counted="persons_released_before")]


def _closeness(table: ClassTable, demand: ModelDemand, at: int) -> ModelFigure:
    t = float(demand.numbers[0])
    whole = classes.table_holders(table.rows, f"sensitive_{at}", by_person=table.by_person)
    surpluses = distances.differences(table.holders(at), whole)
    figure = F.col("distance")
    by_class = _distances(table.claim, surpluses, table.claim.sensitive[at]).select(
        CLASS, figure.alias("figure"), (figure <= t + ROUNDING).alias("holds")
    )
    return ModelFigure(demand, by_class, t, least=False, sensitive=table.claim.sensitive[at])


def _distances(claim: PrivacyClaim, surpluses: DataFrame, name: str) -> DataFrame:
    distance, hierarchy = claim.distance, claim.hierarchies.get(name)
    if hierarchy is not None and distance in (SensitiveDistance.AUTO, SensitiveDistance.HIERARCHICAL):
        return distances.hierarchical_distances(surpluses, name, hierarchy)
    on_a_line = isinstance(surpluses.schema[VALUE].dataType, _LINES)
    if distance is SensitiveDistance.ORDERED or (distance is SensitiveDistance.AUTO and on_a_line):
        return distances.ordered_distances(surpluses)
    return distances.equal_distances(surpluses)
