"""What each privacy model says of each class of a table: a figure, and whether it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

from spark_deid.anonymity.claim import Claim
from spark_deid.anonymity.demands import Demand
from spark_deid.anonymity.models import ALPHA, ENTROPY, FREQUENCY, RECURSIVE, Distance, K, L, T
from spark_deid.anonymity.spark import classes, distances
from spark_deid.anonymity.spark.classes import CLASS, VALUE
from spark_deid.core.errors import UsageError

ROUNDING = 1e-9
"""By how much a sum of shares may miss what it would be on paper."""
_LINES = (NumericType, DateType, TimestampType, TimestampNTZType)


@dataclass(frozen=True)
class Table:
    """A table, its ``class``, ``person`` and sensitive attributes row by row, and the sizes of its classes."""

    claim: Claim
    rows: DataFrame
    sizes: DataFrame

    @classmethod
    def of(cls, table: DataFrame, claim: Claim) -> "Table":
        """Look at a table as a claim does; nothing is counted yet."""
        rows = classes.rows_of(table, claim)
        return cls(claim, rows, classes.class_sizes(rows, by_person=claim.person is not None))

    @property
    def by_person(self) -> bool:
        """Tell whether several rows may be one person's."""
        return self.claim.person is not None

    def holders(self, at: int) -> DataFrame:
        """Return ``class, value, holders`` of a sensitive attribute, by its place."""
        return classes.holders(self.rows, f"sensitive_{at}", by_person=self.by_person)


@dataclass(frozen=True)
class Figure:
    """A model's figure: ``class, figure, holds``; ``threshold`` is what it is held against.

    The worst figure is the ``least`` or the greatest. ``sensitive`` is the attribute that it is about.
    """

    demand: Demand
    by_class: DataFrame
    threshold: float
    least: bool
    sensitive: str | None = None

    @property
    def worst(self) -> Column:
        """Return the aggregate that is the worst of all classes."""
        return F.min("figure") if self.least else F.max("figure")


def figures(table: Table) -> tuple[Figure, ...]:
    """Return a figure for every model, and for every sensitive attribute where the model is about one."""
    told = []
    for demand in table.claim.models.demands:
        if demand.name == K:
            told.append(_size(table, demand))
        elif demand.name in _DIVERSITY:
            told += [_diversity(table, demand, at) for at in range(len(table.claim.sensitive))]
        elif demand.name == T:
            told += [_closeness(table, demand, at) for at in range(len(table.claim.sensitive))]
        else:
            raise UsageError(f"--model {demand.parameters}: is not recounted here")
    return tuple(told)


def _size(table: Table, demand: Demand) -> Figure:
    k = int(demand.numbers[0])
    by_class = table.sizes.select(CLASS, F.col("persons").alias("figure"), (F.col("persons") >= k).alias("holds"))
    return Figure(demand, by_class, k, least=True)


def _distinct(demand: Demand) -> tuple[Column, Column, float, bool]:
    threshold = int(demand.numbers[0])
    return F.col("distinct"), F.col("distinct") >= threshold, threshold, True


def _frequency(demand: Demand) -> tuple[Column, Column, float, bool]:
    share = F.col("most") / F.col("persons")
    most = float(1 / demand.numbers[0] if demand.name == FREQUENCY else demand.numbers[0])
    return share, share <= most + ROUNDING, most, False


def _entropy(demand: Demand) -> tuple[Column, Column, float, bool]:
    effective = F.exp("entropy")
    threshold = float(demand.numbers[0])
    return effective, effective >= threshold * (1 - ROUNDING), threshold, True


def _recursive(demand: Demand) -> tuple[Column, Column, float, bool]:
    c = float(demand.numbers[0])
    ratio = F.when(F.col("rest") > 0, F.col("most") / F.col("rest")).otherwise(F.lit(float("inf")))
    return ratio, ratio < c, c, False


_Look = Callable[[Demand], tuple[Column, Column, float, bool]]
_DIVERSITY: Mapping[str, _Look] = MappingProxyType(
    {L: _distinct, FREQUENCY: _frequency, ENTROPY: _entropy, RECURSIVE: _recursive, ALPHA: _frequency}
)
"""The figure of a class, whether it holds, the threshold, and whether the least is the worst."""


def _diversity(table: Table, demand: Demand, at: int) -> Figure:
    figure, holds, threshold, least = _DIVERSITY[demand.name](demand)
    tail = int(demand.numbers[-1]) if demand.name == RECURSIVE else 1
    diverse = classes.diversity(table.holders(at), tail=tail)
    sizes = table.sizes.select(F.col(CLASS).alias("sized"), "persons")
    joined = diverse.join(sizes, on=F.col(CLASS).eqNullSafe(F.col("sized")), how="inner")
    by_class = joined.select(CLASS, figure.alias("figure"), holds.alias("holds"))
    return Figure(demand, by_class, threshold, least, table.claim.sensitive[at])


def _closeness(table: Table, demand: Demand, at: int) -> Figure:
    t = float(demand.numbers[0])
    whole = classes.table_holders(table.rows, f"sensitive_{at}", by_person=table.by_person)
    surpluses = distances.differences(table.holders(at), whole)
    figure = F.col("distance")
    by_class = _distances(table.claim, surpluses, table.claim.sensitive[at]).select(
        CLASS, figure.alias("figure"), (figure <= t + ROUNDING).alias("holds")
    )
    return Figure(demand, by_class, t, least=False, sensitive=table.claim.sensitive[at])


def _distances(claim: Claim, surpluses: DataFrame, name: str) -> DataFrame:
    distance, hierarchy = claim.distance, claim.hierarchies.get(name)
    if hierarchy is not None and distance in (Distance.AUTO, Distance.HIERARCHICAL):
        return distances.hierarchical_distances(surpluses, name, hierarchy)
    on_a_line = isinstance(surpluses.schema[VALUE].dataType, _LINES)
    if distance is Distance.ORDERED or (distance is Distance.AUTO and on_a_line):
        return distances.ordered_distances(surpluses)
    return distances.equal_distances(surpluses)
