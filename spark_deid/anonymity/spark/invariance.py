"""Tables that are released again and again, in m-invariant classes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import LongType, StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.model_options import M
from spark_deid.anonymity.recoding_modes import Modes, RecodingMode, modes_of
from spark_deid.anonymity.republishing import BEFORE, CLASS, RepublishedColumns, RepublishedRows, republish
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.incognito import FullDomainResult
from spark_deid.anonymity.spark.known_persons import PERSON, SIGNATURE
from spark_deid.anonymity.spark.persons import hash_persons
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tasks import map_rows, run_partitions
from spark_deid.ontology.hierarchy import ValueHierarchy

NO_MODES: Modes = MappingProxyType({})
_KNOWN, _DRAWN = "person known before", "drawn by the key"


def recode_by_invariance(
    table: DataFrame,
    claim: PrivacyClaim,
    *,
    previous: DataFrame | None,
    key: bytes,
    release_key: bytes,
    recoding: Modes = NO_MODES,
) -> FullDomainResult:
    """Put a table's persons into m-invariant classes; ``previous`` says who is who (``known_persons``) of before.

    The result is of the claim that ``claim_classes`` returns: as the paper has it, a column numbers the classes.
    Its ids are drawn by ``release_key``, and tell nothing to who has another release; classes are drawn by ``key``,
    and show bands where ``recoding`` names no tight ranges. All persons are looked at by one task, which runs
    twice: for the counts, and for the rows. Raises UsageError for models beside m, for several sensitive columns,
    for regions (there are no boxes) and for columns beside those of the claim (a counterfeit has none of these),
    GateRefused where nobody is left, or nobody of whom was there before.
    """
    m = _check(table, claim, recoding)
    hierarchies = {name: ValueHierarchy(rows, f"hierarchy of {name}") for name, rows in claim.hierarchies.items()}
    tight = frozenset(name for name, mode in modes_of(claim, recoding).items() if mode is RecodingMode.TIGHT)
    columns = RepublishedColumns(
        claim.quasi, claim.sensitive[0], claim.person or "", hierarchies, key, tight, claim.types
    )
    signed = _with_signatures(table, claim, previous)
    if previous is not None and signed.where(column(BEFORE).isNotNull()).isEmpty():
        raise GateRefused(
            "--previous: the table has no person of the previous release, so their values cannot be kept. "
            "Expected the same person column"
        )
    together = _in_order(signed, claim, key, release_key)
    results = [each for each in run_partitions(together, partial(_counts, columns=columns, m=m)) if each is not None]
    if not results or not results[0]["classes"]:
        raise GateRefused(f"no person fits into a class of {m} different values of {claim.sensitive[0]}")
    shown = dict.fromkeys((*claim.quasi, columns.person), StringType())
    fields = [StructField(each.name, shown.get(each.name, each.dataType)) for each in table.schema]
    schema = StructType([*fields, StructField(CLASS, LongType())])
    return FullDomainResult(map_rows(together, partial(_rows, columns=columns, m=m), schema), results[0])


def claim_classes(claim: PrivacyClaim) -> PrivacyClaim:
    """Return what a table in m-invariant classes claims: that rows are of one class where its number is the same."""
    return replace(claim, quasi=(*claim.quasi, CLASS))


def _check(table: DataFrame, claim: PrivacyClaim, recoding: Modes) -> int:
    check_columns(claim, table.columns)
    further = [name for name in table.columns if name not in claim.columns]
    wrong = {
        "--model m: expected no other model": len(claim.models.demands) > 1,
        "--model m: expected one sensitive column": len(claim.sensitive) != 1,
        "--model m: needs --person": claim.person is None,
        "--recoding: expected bands or tight, because m splits no regions": any(
            mode is RecodingMode.REGION for mode in recoding.values()
        ),
        f"{CLASS}: expected no column of this name, because m writes the class numbers into it": CLASS in table.columns,
        f"--keep {','.join(further)}: not available with m, because counterfeit rows have no values for kept "
        "columns": bool(further),
    }
    if any(wrong.values()):
        raise UsageError("\n".join(reason for reason, is_wrong in wrong.items() if is_wrong))
    (m,) = claim.models.numbers(M)
    return int(m)


def _with_signatures(table: DataFrame, claim: PrivacyClaim, previous: DataFrame | None) -> DataFrame:
    """Return rows with the values that the class of their person had in earlier releases."""
    person = claim.person or ""
    named = table.withColumn(person, column(person).cast("string"))
    if previous is None:
        return named.withColumn(BEFORE, F.lit(None).cast("array<string>"))
    known = previous.where(F.col(PERSON).isNotNull() & F.col(SIGNATURE).isNotNull())
    one = known.select(F.col(PERSON).alias(_KNOWN), F.col(SIGNATURE).alias(BEFORE))
    return named.join(one, on=column(person) == column(_KNOWN), how="left").drop(_KNOWN)


def _in_order(signed: DataFrame, claim: PrivacyClaim, key: bytes, release_key: bytes) -> DataFrame:
    """Return the rows of all persons in one partition, in an order that the key draws, under the release's ids."""
    person = claim.person or ""
    drawn = hash_persons(signed.withColumn(_DRAWN, column(person)), _DRAWN, key)
    ids = hash_persons(drawn, person, release_key)
    return sort_partitions(ids.repartition(1), _DRAWN, claim.sensitive[0]).drop(_DRAWN)


def _republished(batches: Iterator[pa.RecordBatch], columns: RepublishedColumns, m: int) -> RepublishedRows | None:
    rows = [batch for batch in batches if batch.num_rows]
    return republish(pa.Table.from_batches(rows), columns, m) if rows else None


def _counts(batches: Iterator[pa.RecordBatch], *, columns: RepublishedColumns, m: int) -> dict[str, object] | None:
    made = _republished(batches, columns, m)
    return None if made is None else made.counts


def _rows(batches: Iterator[pa.RecordBatch], *, columns: RepublishedColumns, m: int) -> Iterator[pa.RecordBatch]:
    made = _republished(batches, columns, m)
    if made is not None:
        decoded = [each.cast(pa.string()) if pa.types.is_dictionary(each.type) else each for each in made.rows.columns]
        yield from pa.table(decoded, names=made.rows.column_names).to_batches()
