"""Figures of each privacy model about each class of a table, with whether the model holds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.model_demand import ModelDemand
from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.anonymity.spark import classes, distances
from spark_deid.anonymity.spark.class_table import ClassTable
from spark_deid.anonymity.spark.classes import CLASS, PERSON, VALUE
from spark_deid.anonymity.spark.known_persons import BEFORE, PUBLISHED
from spark_deid.anonymity.spark.matching import MATCHED, count_matched
from spark_deid.anonymity.spark.value_equivalence import with_same_looks
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Float64s
from spark_deid.engine import functions as F

CLASSES = "classes"
ROUNDING = 1e-9
"""By how much a sum of shares may miss what it would be on paper."""
_LINES = (NumericType, DateType, TimestampType, TimestampNTZType)


class FigureCounts(NamedTuple):
    """Of a figure: how many classes have one, how many of these it fails, and the worst."""

    number: int
    failing: int
    worst: float | None


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


def sizes(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Return the people of each class, of which there must be as many as demanded."""
    k = int(demand.numbers[0])
    failing = sum(number for people, number, _ in table.by_size if people < k)
    counts = FigureCounts(sum(number for _, number, _ in table.by_size), failing, next(iter(table.by_size), (None,))[0])
    return (ModelFigure(demand, counts, k, least=True),)


class ClassFigureRule(NamedTuple):
    """The figure of a class, whether it holds, the threshold, and whether the least figure is the worst.

    Columns are of ``classes.measure_diversity``, with ``persons`` where a look is at a class's people.
    """

    figure: Column
    holds: Column
    threshold: float
    least: bool


def distinct(demand: ModelDemand) -> ClassFigureRule:
    """Look at how many values a class has."""
    threshold = int(demand.numbers[0])
    return ClassFigureRule(F.col("distinct"), F.col("distinct") >= threshold, threshold, True)


def share(demand: ModelDemand) -> ClassFigureRule:
    """Look at the fraction of a class's people that hold its most frequent value; the demand states the greatest."""
    return _share_of_most(float(demand.numbers[0]))


def one_in(demand: ModelDemand) -> ClassFigureRule:
    """Look at the share of a class's persons that hold its most frequent value: one in so many as demanded, at most."""
    return _share_of_most(float(1 / demand.numbers[0]))


def _share_of_most(most: float) -> ClassFigureRule:
    held = F.col("most") / F.col("persons")
    return ClassFigureRule(held, held <= most + ROUNDING, most, False)


def entropy(demand: ModelDemand) -> ClassFigureRule:
    """Look at how many equally frequent values have the entropy of a class's."""
    effective = F.exp("entropy")
    threshold = float(demand.numbers[0])
    return ClassFigureRule(effective, effective >= threshold * (1 - ROUNDING), threshold, True)


def recursive(demand: ModelDemand) -> ClassFigureRule:
    """Look at how often the most frequent value is held against all from the l-th on."""
    c = float(demand.numbers[0])
    ratio = F.when(F.col("rest") > 0, F.col("most") / F.col("rest")).otherwise(F.lit(float("inf")))
    return ClassFigureRule(ratio, ratio < c, c, False)


def unique(demand: ModelDemand) -> ClassFigureRule:
    """Look at whether a class has enough people, all of different values."""
    m = int(demand.numbers[0])
    enough = (F.col("distinct") >= m) & (F.col("persons") >= m)
    return ClassFigureRule(F.col("distinct"), enough & (F.col("most") == 1), m, True)


def count_matched_persons(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Return how many people of each class can be given as many different values, for every sensitive attribute."""
    if not table.by_person:
        return of_each_sensitive(table, demand, distinct)
    threshold = int(demand.numbers[0])
    holds = (F.col(MATCHED) >= threshold).alias("holds")
    return tuple(
        ModelFigure(
            demand,
            count_matched(table.rows, f"sensitive_{at}").select(CLASS, F.col(MATCHED).alias("figure"), holds),
            threshold,
            least=True,
            sensitive=name,
        )
        for at, name in enumerate(table.claim.sensitive)
    )


def single_valued(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Return how many values each person holds, more than one of which a model says nothing of."""
    if not table.by_person:
        return ()
    return tuple(
        ModelFigure(demand, _values_held(table, at), 1, least=False, sensitive=name, counted="persons_of_one_value")
        for at, name in enumerate(table.claim.sensitive)
    )


def _values_held(table: ClassTable, at: int) -> DataFrame:
    held = F.count_distinct(F.struct(f"sensitive_{at}"))
    return table.rows.groupBy(PERSON).agg(held.alias("figure"), (held <= 1).alias("holds"))


def of_each_sensitive(
    table: ClassTable,
    demand: ModelDemand,
    look: Callable[[ModelDemand], ClassFigureRule],
    *,
    tail: int = 1,
    of_persons: bool = False,
) -> tuple[ModelFigure, ...]:
    """Look at every sensitive attribute of a table's classes; ``of_persons`` holds values against a class's people.

    ``tail`` states from which value on, by falling frequency, ``rest`` counts holders.
    """
    figure, holds, threshold, least = look(demand)
    return tuple(
        ModelFigure(demand, _diversity(table, at, figure, holds, tail, of_persons), threshold, least, name)
        for at, name in enumerate(table.claim.sensitive)
    )


def _diversity(table: ClassTable, at: int, figure: Column, holds: Column, tail: int, of_persons: bool) -> DataFrame:
    diverse = classes.measure_diversity(table.holders(at), tail=tail)
    joined = _with_persons(table, diverse) if of_persons else diverse
    return joined.select(CLASS, figure.alias("figure"), holds.alias("holds"))


def _with_persons(table: ClassTable, diverse: DataFrame) -> DataFrame:
    """Add the number of a class's people; where every row is one, each holds one value."""
    if not table.by_person:
        return diverse.withColumn("persons", F.col("total"))
    sizes = table.sizes.select(F.col(CLASS).alias("sized"), "persons")
    return diverse.join(sizes, on=F.col(CLASS).eqNullSafe(F.col("sized")), how="inner")


def presence(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Look at each class's fraction of the people that it may represent; a person in no class counts as absent."""
    people, present, outside = table.presence
    with np.errstate(divide="ignore"):
        shares = people / present
    lower, upper = map(float, demand.numbers)
    every = np.append(shares, [0.0] * bool(outside))
    return _shares(demand, every, lower, least=True), _shares(demand, every, upper, least=False)


def _shares(demand: ModelDemand, shares: Float64s, threshold: float, *, least: bool) -> ModelFigure:
    fails = shares < threshold - ROUNDING if least else shares > threshold + ROUNDING
    worst = None if not shares.size else float(shares.min() if least else shares.max())
    return ModelFigure(demand, FigureCounts(shares.size, int(fails.sum()), worst), threshold, least)


def invariance(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Look at classes whose values must differ, and at people whose class must have the values that it had.

    Ids are drawn again for each release, so who is who must be known: the id of no one is a fault as well.
    """
    if table.references.known is None:
        raise UsageError(
            "--workspace: expected the workspace of the run that wrote the table, because it has the people"
        )
    result = of_each_sensitive(table, demand, unique, of_persons=True)
    known = table.references.known.select(PUBLISHED, BEFORE).where(F.col(PUBLISHED).isNotNull())
    return (*result, *_kept_signatures(table, demand, known))


def _kept_signatures(table: ClassTable, demand: ModelDemand, known: DataFrame) -> tuple[ModelFigure, ModelFigure]:
    name = table.claim.sensitive[0]
    after = classes.find_signatures(table.rows, "sensitive_0", "after")
    texts = after.select(PERSON, F.transform("after", lambda each: each[VALUE].cast("string")).alias("after"))
    both = texts.join(known.withColumn("is_known", F.lit(True)), on=F.col(PERSON) == F.col(PUBLISHED), how="left")
    is_known = F.coalesce("is_known", F.lit(False))
    released = both.where(F.col(BEFORE).isNotNull()).select("after", BEFORE)
    compared = with_same_looks(released, "after", BEFORE, "holds")
    kept = compared.select(F.when(F.col("holds"), 0).otherwise(1).alias("figure"), "holds")
    ids = both.select(F.when(is_known, 0).otherwise(1).alias("figure"), is_known.alias("holds"))
    return (
        ModelFigure(demand, kept, 0, least=False, sensitive=name, counted="persons_released_before"),
        ModelFigure(demand, ids, 0, least=False, sensitive=name, counted="ids_that_are_known"),
    )


def closeness(table: ClassTable, demand: ModelDemand) -> tuple[ModelFigure, ...]:
    """Return how far each class's values are from the table's, for every sensitive attribute."""
    return tuple(_closeness(table, demand, at) for at in range(len(table.claim.sensitive)))


def _closeness(table: ClassTable, demand: ModelDemand, at: int) -> ModelFigure:
    t = float(demand.numbers[0])
    whole = classes.table_holders(table.rows, f"sensitive_{at}", by_person=table.by_person)
    surpluses = distances.find_differences(table.holders(at), whole)
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
