"""The algorithms that recode tables, as operators of one form: tables and a request in, rows to publish out."""

from pyspark.sql import DataFrame
from pyspark.sql.types import MapType

from spark_deid.anonymity.recoding_kind import (
    InputTables,
    RecodedRows,
    RecodingFolders,
    RecodingRequest,
    WrittenRows,
)
from spark_deid.anonymity.spark.applying import apply_fitted
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.incognito import recode_by_incognito
from spark_deid.anonymity.spark.invariance import numbered, recode_by_invariance
from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
from spark_deid.anonymity.spark.persons import hash_persons, sizes_of

_BEFORE = " (before)"


def by_mondrian(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Cut a table into classes, or apply an earlier recoding; see ``cut_table`` and ``apply_fitted``."""
    published = request.published(tables.table.columns)
    asked = MondrianRequest(request.claim, published, request.recoding, request.is_relaxed, request.private)
    places = folders.scratch / "mondrian", folders.output, request.key
    if request.fitted is None:
        cut = cut_table(tables.table, asked, *places)
    else:
        cut = apply_fitted(tables.table, request.fitted, asked, *places)
    summary = {
        "rows": cut.rows,
        "suppressed_rows": sum(cut.suppressed.values()),
        **({"suppressed_rows_by_reason": cut.suppressed} if cut.suppressed else {}),
        "loss": {"ncp": sum(cut.ncp.values()) / len(cut.ncp), "ncp_by_column": cut.ncp},
        "cuts": cut.splits,
        "cuts_of_whole_table": cut.top,
    }
    return RecodedRows(request.claim, WrittenRows(cut.files, cut.schema), cut.before, summary, cut.sizes)


def by_incognito(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Generalize every quasi-identifier to one level; see ``recode_by_incognito``."""
    chosen, claim = _chosen(tables.table, request), request.claim
    quasi = claim.quasi if request.private is not None else ()
    copies = {f"{name}{_BEFORE}": column(name).cast("string") for name in quasi}
    recoded = recode_by_incognito(
        chosen.withColumns(copies),
        claim,
        suppression=request.suppression,
        population=tables.population,
        metric=request.metric,
    )
    table = recoded.table.drop(*map(column, copies))
    if claim.person is not None:
        table = hash_persons(table, claim.person, request.key)
    pairs = [column(side) for name in quasi for side in (f"{name}{_BEFORE}", name)]
    compared = recoded.table.select(*pairs) if pairs else None
    return RecodedRows(claim, _in_order(table), sizes_of(chosen, claim), recoded.summary, compared=compared)


def by_invariance(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Put persons into m-invariant classes; see ``recode_by_invariance``."""
    claim, key = request.claim, request.key
    chosen = hash_persons(_chosen(tables.table, request), claim.person or "", key)
    recoded = recode_by_invariance(chosen, claim, previous=tables.previous, key=key)
    return RecodedRows(numbered(claim), recoded.table, sizes_of(chosen, claim), recoded.summary)


def _in_order(table: DataFrame) -> DataFrame:
    """Put rows in an order that tells no more than they do: that of the input may tell who is who."""
    return table.orderBy(*(column(field.name) for field in table.schema if not isinstance(field.dataType, MapType)))


def _chosen(table: DataFrame, request: RecodingRequest) -> DataFrame:
    return table.select(*map(column, request.published(table.columns)))
