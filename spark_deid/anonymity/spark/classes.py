"""The classes of a table, counted plainly: the rows that agree on every quasi-identifier.

Nothing here is shared with what makes tables satisfy models. A missing value is a separate value.
"""

from pyspark.sql import DataFrame

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.core.tables import quote_name
from spark_deid.engine import functions as F

CLASS, PERSON, VALUE, HOLDERS = "class", "person", "value", "holders"


def rows_of(table: DataFrame, claim: PrivacyClaim) -> DataFrame:
    """Return ``class`` (all quasi-identifiers) and ``person`` of every row, with the sensitive attributes.

    Sensitive attributes are named ``sensitive_0`` and so on; ``person`` is missing where there is no such column.
    """
    person = F.lit(None).cast("string") if claim.person is None else F.col(quote_name(claim.person))
    sensitive = (F.col(quote_name(name)).alias(f"sensitive_{at}") for at, name in enumerate(claim.sensitive))
    quasi = (F.col(quote_name(name)).alias(f"quasi_{at}") for at, name in enumerate(claim.quasi))
    return table.select(F.struct(*quasi).alias(CLASS), person.alias(PERSON), *sensitive)


def class_sizes(rows: DataFrame, *, by_person: bool) -> DataFrame:
    """Return ``class, persons, rows`` of every class."""
    people = F.count_distinct(PERSON) if by_person else F.count(F.lit(1))
    return rows.groupBy(CLASS).agg(people.alias("persons"), F.count(F.lit(1)).alias("rows"))


def persons_in_several_classes(rows: DataFrame) -> tuple[int, int]:
    """Count the rows that name no person, and the people whose rows are not all in one class; one Spark job."""
    people = rows.groupBy(PERSON, CLASS).agg(F.count(F.lit(1)).alias("rows"))
    spread = people.groupBy(PERSON).agg(F.count(F.lit(1)).alias("classes"), F.sum("rows").alias("rows"))
    nameless = F.sum(F.when(F.col(PERSON).isNull(), F.col("rows")).otherwise(0))
    several = F.sum(F.when(F.col("classes") > 1, 1).otherwise(0))
    found = spread.agg(nameless, several).first()
    return (0, 0) if found is None else (found[0] or 0, found[1] or 0)


def count_holders(rows: DataFrame, sensitive: str, *, by_person: bool) -> DataFrame:
    """Return ``class, value, holders``: how many people of a class hold each value of a sensitive attribute."""
    named = rows.select(CLASS, PERSON, F.col(sensitive).alias(VALUE))
    each = named.distinct() if by_person else named
    return each.groupBy(CLASS, VALUE).agg(F.count(F.lit(1)).alias(HOLDERS))


def table_holders(rows: DataFrame, sensitive: str, *, by_person: bool) -> DataFrame:
    """Return ``value, holders`` of the whole table."""
    named = rows.select(PERSON, F.col(sensitive).alias(VALUE))
    each = named.distinct() if by_person else named
    return each.groupBy(VALUE).agg(F.count(F.lit(1)).alias(HOLDERS))


def find_signatures(rows: DataFrame, sensitive: str, name: str) -> DataFrame:
    """Return ``person`` and, under a name, the different values of a sensitive attribute that the person's class has.

    A person in several classes has a row for each.
    """
    values = F.sort_array(F.collect_set(F.struct(F.col(sensitive).cast("string").alias(VALUE))))
    by_class = rows.groupBy(CLASS).agg(values.alias(name)).withColumnRenamed(CLASS, "signed")
    people = rows.select(F.col(PERSON).cast("string").alias(PERSON), CLASS).distinct()
    joined = people.join(by_class, on=F.col(CLASS).eqNullSafe(F.col("signed")), how="inner")
    return joined.select(PERSON, name)


def measure_diversity(held: DataFrame, *, tail: int) -> DataFrame:
    """Return what l-diversity looks at, a row per class: ``distinct, most, total, entropy, rest``.

    ``most`` holders has the most frequent value, and ``rest`` all values from the ``tail``-th on together, by falling
    frequency.
    """
    counts = F.sort_array(F.collect_list(HOLDERS), asc=False)
    n = F.col(HOLDERS).cast("double")
    grouped = held.groupBy(CLASS).agg(
        F.count(F.lit(1)).alias("distinct"),
        F.max(HOLDERS).alias("most"),
        F.sum(HOLDERS).alias("total"),
        F.sum(n * F.log(n)).alias("weighted"),
        counts.alias("counts"),
    )
    entropy = F.log("total") - F.col("weighted") / F.col("total")
    rest = F.aggregate(F.slice("counts", tail, F.size("counts")), F.lit(0).cast("bigint"), lambda a, b: a + b)
    return grouped.select(CLASS, "distinct", "most", "total", entropy.alias("entropy"), rest.alias("rest"))
