"""Recount what a table claims, by grouping it and nothing else: the check of everything that recodes tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.anonymity.claim import Claim, check_columns
from spark_deid.anonymity.risk import Sizes
from spark_deid.anonymity.spark import classes
from spark_deid.anonymity.spark.figures import CLASSES, Beside, Figure, Table, figures
from spark_deid.core.errors import CorpusError
from spark_deid.core.guarantee import Assessment
from spark_deid.core.kinds import Assessed


@dataclass(frozen=True)
class Recount:
    """The assessments of a table, how many rows and persons in several classes it has, and the sizes of its classes."""

    assessed: tuple[Assessed, ...]
    rows: int
    persons_in_several_classes: int
    sizes: Sizes

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return sum(self.sizes.values())

    @property
    def satisfied(self) -> bool:
        """Tell whether every model holds."""
        return all(each.assessment.satisfied for each in self.assessed)


_ALONE = Beside()


def assess_table(table: DataFrame, claim: Claim, beside: Beside = _ALONE) -> Recount:
    """Recount a table in two queries, in another where persons are named, and in one more for a population.

    A person whose rows lie in several classes voids every model: the classes together tell more than each. A table
    without rows satisfies nothing. Raises UsageError where columns are absent, CorpusError where rows name no person.
    """
    check_columns(claim, table.columns)
    looked = Table.of(table, claim, beside)
    parted = _persons_in_several_classes(looked)
    told = figures(looked)
    rows, counted = _counted(looked, told)
    assessed = tuple(_assessed(figure, each, parted, claim) for figure, each in zip(told, counted, strict=True))
    return Recount(assessed, rows, parted, looked.number_of_classes())


class _Counts(NamedTuple):
    """Of a figure: classes, those that it fails, and the worst."""

    classes: int
    failing: int
    worst: float | None


def _counted(table: Table, told: Sequence[Figure]) -> tuple[int, list[_Counts]]:
    """Return the number of rows, and the counts of figures: all of them in one query."""
    number, nothing = F.count(F.lit(1)), F.lit(None).cast("double")
    queries = [table.sizes.agg(F.lit(0), number, F.sum("rows"), nothing)]
    for place, figure in enumerate(told, 1):
        failing = F.sum(F.when(F.col("holds"), 0).otherwise(1))
        queries.append(figure.by_class.agg(F.lit(place), number, failing, figure.worst.cast("double")))
    rows, *found = sorted(reduce(DataFrame.union, queries).collect())
    return rows[2] or 0, [_Counts(classes, count or 0, worst) for _, classes, count, worst in found]


def _persons_in_several_classes(table: Table) -> int:
    if not table.by_person:
        return 0
    nameless, parted = classes.persons_in_several_classes(table.rows)
    if nameless:
        raise CorpusError(f"{table.claim.person}: {nameless} rows name no person; expected one in every row")
    return parted


def _assessed(figure: Figure, counted: _Counts, parted: int, claim: Claim) -> Assessed:
    number, failing, worst = counted
    unit = "persons" if claim.person is not None else "rows"
    about = (figure.demand.parameters, *(f"sensitive={name}" for name in (figure.sensitive,) if name), f"unit={unit}")
    evidence = {figure.counted: number, f"failing_{figure.counted}": failing, "persons_in_several_classes": parted}
    assessment = Assessment(
        guarantee=figure.demand.kind.guarantee,
        parameters=", ".join(about),
        value=0.0 if worst is None else float(worst),
        threshold=float(figure.threshold),
        satisfied=(number > 0 or figure.counted != CLASSES) and failing == 0 and parted == 0,
        evidence=", ".join(f"{name}={count}" for name, count in evidence.items()),
    )
    return Assessed(assessment, _reasons(assessment, figure.counted, number, failing, parted))


def _reasons(assessment: Assessment, counted: str, number: int, failing: int, parted: int) -> tuple[str, ...]:
    what = f"{assessment.guarantee} ({assessment.parameters})"
    said = {
        "the table has no rows": number == 0 and counted == CLASSES,
        f"{failing} of {number} {counted.replace('_', ' ')} are not {what}": failing > 0,
        f"{parted} persons have rows in several classes": parted > 0,
    }
    return tuple(reason for reason, true in said.items() if true)
