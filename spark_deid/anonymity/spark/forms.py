"""Quasi-identifiers as cells are written: dates of all usual forms, categories of many values, agreeing columns."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, StringType, TimestampNTZType, TimestampType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.spark.columns import column

MANY_VALUES = 50
"""From how many values on a category without hierarchy warns."""
AGREEING = 0.95
"""The correlation from which on one of two columns says nothing more."""
_NUMBERS = r"^-?[0-9]{1,18}(\.[0-9]{1,15})?$"
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?$"
_LINES = (NumericType, DateType, TimestampType, TimestampNTZType)


class DateForm(NamedTuple):
    """How dates are written: an expression of Java's, Spark's pattern, and whether the day goes before the month."""

    expression: str
    pattern: str
    is_day_first: bool | None = None


FORMS = (
    *(
        form
        for mark, written in (("/", "/"), ("[.]", "."), ("-", "-"))
        for form in (
            DateForm(rf"^[0-9]{{1,2}}{mark}[0-9]{{1,2}}{mark}[0-9]{{4}}$", f"d{written}M{written}y", True),
            DateForm(rf"^[0-9]{{1,2}}{mark}[0-9]{{1,2}}{mark}[0-9]{{4}}$", f"M{written}d{written}y", False),
        )
    ),
    DateForm(r"^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$", "y/M/d"),
    DateForm(r"^[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}$", "d MMM y"),
    DateForm(r"^[0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{4}$", "d MMMM y"),
    DateForm(r"^[A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4}$", "MMM d, y"),
    DateForm(r"^[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4}$", "MMMM d, y"),
)


class ReadForms(NamedTuple):
    """A table with dates where cells are written as such, and what users should know of its quasi-identifiers."""

    table: DataFrame
    warnings: tuple[str, ...] = ()


def with_forms(table: DataFrame, claim: PrivacyClaim, *, is_day_first: bool) -> ReadForms:
    """Read text of quasi-identifiers as dates where every cell is one; columns with a hierarchy stay text.

    ``is_day_first`` decides where days and months can't be told apart. Runs a job over such columns, and one over
    those that have an order.
    """
    names = [name for name in claim.quasi if name in table.columns and name not in claim.hierarchies]
    texts = [name for name in names if isinstance(table.schema[name].dataType, StringType)]
    warnings: list[str] = []
    chosen: dict[str, DateForm] = {}
    if texts:
        found = table.agg(*(each for at, name in enumerate(texts) for each in _counts(at, column(name)))).first()
        for at, name in enumerate(texts):
            fitting = [form for of, form in enumerate(FORMS) if found is not None and found[f"f{at} {of}"] == 0]
            if fitting:
                chosen[name] = _chosen(fitting, is_day_first)
                warnings += _unclear(name, fitting, chosen[name])
            elif found is not None and found[f"o{at}"] == 1 and found[f"n{at}"] > MANY_VALUES:
                warnings.append(
                    f"{name}: some {found[f'n{at}']} different values are neither numbers nor dates, and are cut as"
                    " categories in alphabetical order: name a hierarchy, or mend the cells that are written otherwise"
                )
    dated = table.select(*(_read(name, chosen.get(name)) for name in table.columns))
    ordered = [name for name in names if _is_line(dated, name)]
    return ReadForms(dated, (*warnings, *_agreeing(dated, ordered)))


def _counts(at: int, cell: Column) -> list[Column]:
    """Tell of each form whether a cell has another, whether some cell is neither number nor date, and count values."""
    others = [F.max(_is_other(cell, form)).alias(f"f{at} {of}") for of, form in enumerate(FORMS)]
    unordered = F.when(cell.isNotNull(), (~(cell.rlike(_NUMBERS) | cell.rlike(_ISO))).cast("int"))
    return [*others, F.max(unordered).alias(f"o{at}"), F.approx_count_distinct(cell).alias(f"n{at}")]


def _is_other(cell: Column, form: DateForm) -> Column:
    is_date = cell.rlike(form.expression) & F.try_to_timestamp(cell, F.lit(form.pattern)).isNotNull()
    return F.when(cell.isNotNull(), (~is_date).cast("int"))


def _chosen(fitting: Sequence[DateForm], is_day_first: bool) -> DateForm:
    return next((form for form in fitting if form.is_day_first in (None, is_day_first)), fitting[0])


def _unclear(name: str, fitting: Sequence[DateForm], chosen: DateForm) -> list[str]:
    if len({form.is_day_first for form in fitting}) < 2:
        return []
    order = "the day first" if chosen.is_day_first else "the month first"
    return [f"{name}: days and months of its dates can't be told apart, and are read with {order}; --locale says which"]


def _read(name: str, form: DateForm | None) -> Column:
    cell = column(name)
    return cell if form is None else F.try_to_timestamp(cell, F.lit(form.pattern)).cast("date").alias(name)


def _is_line(table: DataFrame, name: str) -> bool:
    return isinstance(table.schema[name].dataType, _LINES)


def _agreeing(table: DataFrame, names: Sequence[str]) -> list[str]:
    """Say which two of several columns tell the same, such as an age and a date of birth."""
    pairs = [*combinations(names, 2)]
    if not pairs:
        return []
    found = table.agg(*(F.corr(_place(table, one), _place(table, other)) for one, other in pairs)).first()
    return [
        f"{one} and {other} tell the same (correlation {float(number):.2f}): both recoded lose more than one"
        for (one, other), number in zip(pairs, found or (), strict=True)
        if number is not None and abs(number) >= AGREEING
    ]


def _place(table: DataFrame, name: str) -> Column:
    if isinstance(table.schema[name].dataType, NumericType):
        return column(name).cast("double")
    return column(name).cast("timestamp").cast("double")
