"""Recount what a table claims, by grouping it and nothing else: the check of everything that recodes tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.models import MODELS
from spark_deid.anonymity.risk import Sizes
from spark_deid.anonymity.spark import classes
from spark_deid.anonymity.spark.class_table import ClassTable, ReferenceTables
from spark_deid.anonymity.spark.figures import CLASSES, FigureCounts, ModelFigure
from spark_deid.core.errors import CorpusError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult
from spark_deid.engine import functions as F
from spark_deid.engine.tables import union_all


@dataclass(frozen=True)
class TableRecount:
    """The assessments of a table, how many rows and people in several classes it has, and the sizes of its classes."""

    assessed: tuple[AssessmentResult, ...]
    rows: int
    persons_in_several_classes: int
    sizes: Sizes

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return sum(self.sizes.values())

    @property
    def satisfied(self) -> bool:
        """Return whether every model holds."""
        return all(each.assessment.satisfied for each in self.assessed)


_ALONE = ReferenceTables()


def assess_table(table: DataFrame, claim: PrivacyClaim, references: ReferenceTables = _ALONE) -> TableRecount:
    """Recount a table: one query for k, one for all other models, one for people, and two for a population.

    A person whose rows are in several classes voids every model: the classes together show more than each. A table
    without rows satisfies nothing. Raises UsageError where columns are absent, CorpusError where rows name no person.
    """
    check_columns(claim, table.columns)
    looked = ClassTable.of(table, claim, references)
    parted = _persons_in_several_classes(looked)
    per_model = measure_models(looked)
    each = zip(per_model, _counted(per_model), strict=True)
    assessed = tuple(_assessed(figure, counts, parted, claim) for figure, counts in each)
    rows = sum(rows for _, _, rows in looked.by_size)
    return TableRecount(assessed, rows, parted, looked.number_of_classes())


def _counted(per_model: Sequence[ModelFigure]) -> list[FigureCounts]:
    """Return the counts of figures: of all that are not yet counted in one query."""
    queries = []
    for place, figure in enumerate(per_model):
        if isinstance(figure.by_class, DataFrame):
            number, failing = F.count(F.lit(1)), F.sum(F.when(F.col("holds"), 0).otherwise(1))
            queries.append(figure.by_class.agg(F.lit(place), number, failing, figure.worst.cast("double")))
    found = {row[0]: row for row in reduce(union_all, queries).collect()} if queries else {}
    counted = []
    for place, figure in enumerate(per_model):
        if isinstance(figure.by_class, FigureCounts):
            counted.append(figure.by_class)
        else:
            _, number, failing, worst = found[place]
            counted.append(FigureCounts(number, failing or 0, worst))
    return counted


def _persons_in_several_classes(table: ClassTable) -> int:
    if not table.by_person:
        return 0
    nameless, parted = classes.persons_in_several_classes(table.rows)
    if nameless:
        raise CorpusError(f"{table.claim.person}: {nameless} rows have no person. Expected a person in every row")
    return parted


def _assessed(figure: ModelFigure, counted: FigureCounts, parted: int, claim: PrivacyClaim) -> AssessmentResult:
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
    return AssessmentResult(assessment, _reasons(assessment, figure.counted, number, failing, parted))


def _reasons(assessment: Assessment, counted: str, number: int, failing: int, parted: int) -> tuple[str, ...]:
    what = f"{assessment.guarantee} ({assessment.parameters})"
    stated = {
        "the table has no rows": number == 0 and counted == CLASSES,
        f"{failing} of {number} {counted.replace('_', ' ')} are not {what}": failing > 0,
        f"{parted} people have rows in several classes": parted > 0,
    }
    return tuple(reason for reason, true in stated.items() if true)


def measure_models(table: ClassTable) -> tuple[ModelFigure, ...]:
    """Return a figure for every model, and for every sensitive attribute where the model is about one.

    Classes are collected, and the population counted, where a model bounds who of it is present: two Spark jobs.
    """
    return tuple(
        figure for demand in table.claim.models.demands for figure in MODELS.find(demand.name).count(table, demand)
    )
