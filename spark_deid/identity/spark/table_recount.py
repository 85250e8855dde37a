"""Operator: count the classes of a table that is released beside texts, from the rows that were written."""

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.anonymity.spark.columns import column
from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult
from spark_deid.engine import functions as F
from spark_deid.identity.recount.counting import ClassDemands, is_linked
from spark_deid.identity.settings import IdentityKeys

ASSESSMENT = "k-anonymous-table"
_LINKED = "{n} classes of the table have too few sensitive values, or one value for more than 1/l of their people"
_COUNTS = pa.schema([(name, pa.int64()) for name in ("persons", "few", "linked")])


def assess_view_table(rows: DataFrame, keys: IdentityKeys, persons: int) -> AssessmentResult:
    """Assess a written table of ``persons`` persons, a row each: its classes are the rows that show the same; one job.

    Sensitive values are there whatever a class shows, so that a class that shows nothing must satisfy the models, too.
    """
    roles = keys.identity.roles
    shown = F.to_json(F.struct(*map(column, roles.quasi)), {"ignoreNullFields": "false"}).alias("class")
    held = [F.collect_list(column(name)).alias(f"s{at}") for at, name in enumerate(roles.sensitive)]
    classes = rows.groupBy(shown).agg(F.count(F.lit(1)).alias("persons"), *held)
    count = partial(_count, sensitive=roles.sensitive, demands=ClassDemands.of(keys))
    counted = classes.drop("class").mapInArrow(count, tables.ddl(_COUNTS))
    total = [F.coalesce(each, F.lit(0)) for each in (F.sum("persons"), F.min("persons"), F.sum("few"), F.sum("linked"))]
    there, least, few, linked = counted.agg(*total).collect()[0]
    reasons = [
        *(
            [f"the table has {there} rows, expected {persons}, one per person"]
            if there != persons or not persons
            else []
        ),
        *([f"{few} classes of the table have fewer than k people"] if few else []),
        *([_LINKED.format(n=linked)] if linked else []),
    ]
    message = f"persons={there}, few={few}, linked={linked}"
    k = keys.classes.k
    assessment = Assessment(ASSESSMENT, str(keys.classes.models), float(least), float(k), not reasons, message)
    return AssessmentResult(assessment, tuple(reasons), "document" if keys.identity.link == "document" else "subject")


def _count(
    incoming: Iterator[pa.RecordBatch], *, sensitive: Sequence[str], demands: ClassDemands
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        sizes = batch.column("persons").to_pylist()
        lists = [batch.column(f"s{at}").to_pylist() for at in range(len(sensitive))]
        yield from gather_batches(
            (_counted(size, at, lists, sensitive, demands) for at, size in enumerate(sizes)), _COUNTS
        )


def _counted(
    size: int, at: int, lists: Sequence[Sequence[Sequence[Sequence[str]]]], names: Sequence[str], demands: ClassDemands
) -> tuple[int, int, int]:
    held = [
        [(name, value) for name, column in zip(names, lists, strict=True) for value in column[at][person]]
        for person in range(size)
    ]
    return size, int(size < demands.k), int(is_linked(held, demands.shares, demands.distinct))
