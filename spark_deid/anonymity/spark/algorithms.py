"""The algorithms that recode tables, as operators of one form: tables and a request in, rows to publish out."""

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql.types import MapType

from spark_deid.anonymity.fitted import FittedRecoding
from spark_deid.anonymity.fitted_levels import FittedLevels
from spark_deid.anonymity.recoding_kind import (
    InputTables,
    RecodedRows,
    RecodingFolders,
    RecodingRequest,
    WrittenRows,
)
from spark_deid.anonymity.spark.applying import apply_fitted
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.counted_values import counted_by_person
from spark_deid.anonymity.spark.incognito import apply_levels, recode_by_incognito
from spark_deid.anonymity.spark.invariance import claim_classes, recode_by_invariance
from spark_deid.anonymity.spark.kept_columns import original_of
from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
from spark_deid.anonymity.spark.persons import hash_persons, sizes_of


def by_mondrian(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Cut a table into classes, or apply an earlier recoding; see ``cut_table`` and ``apply_fitted``."""
    published = request.published(tables.table.columns)
    counted = counted_by_person(tables.table, request.claim)
    asked = MondrianRequest(
        counted.claim, published, request.recoding, request.is_relaxed, request.private, request.release_key
    )
    if request.keep and request.private is None:
        asked = replace(asked, compared=folders.scratch / "compared")
    places = folders.scratch / "mondrian", folders.output, request.key
    if not isinstance(request.fitted, FittedRecoding):
        cut = cut_table(counted.table, asked, *places)
    else:
        cut = apply_fitted(counted.table, request.fitted, asked, *places)
    summary = {
        "rows": cut.rows,
        "suppressed_rows": sum(cut.suppressed.values()),
        **({"suppressed_rows_by_reason": cut.suppressed} if cut.suppressed else {}),
        "loss": {"ncp": sum(cut.ncp.values()) / len(cut.ncp), "ncp_by_column": cut.ncp},
        "cuts": cut.splits,
        "cuts_of_whole_table": cut.top,
    }
    return RecodedRows(request.claim, WrittenRows(cut.files, cut.schema), cut.before, summary, pairs=cut.pairs)


def by_incognito(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Generalize every quasi-identifier to one level; see ``recode_by_incognito``."""
    chosen, claim = _chosen(tables.table, request), request.claim
    counted = counted_by_person(chosen, claim)
    quasi = claim.quasi if request.private is not None or request.keep else ()
    copies = {original_of(name): column(name).cast("string") for name in quasi}
    table = counted.table.withColumns(copies)
    if request.fitted is None:
        recoded = recode_by_incognito(
            table,
            counted.claim,
            suppression=request.suppression or 0.0,
            population=tables.population,
            metric=request.metric,
            private=request.private,
        )
    else:
        assert isinstance(request.fitted, FittedLevels)
        recoded = apply_levels(table, counted.claim, request.fitted)
    table = recoded.table.drop(*map(column, (*copies, *counted.added)))
    if claim.person is not None:
        table = hash_persons(table, claim.person, request.release_key)
    sides = [column(side) for name in quasi for side in (original_of(name), name)]
    return RecodedRows(
        claim,
        _in_order(table),
        sizes_of(chosen, claim),
        recoded.summary,
        compared=recoded.table.select(*sides) if request.private is not None else None,
        pairs=recoded.table if request.keep else None,
    )


def by_invariance(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    """Put persons into m-invariant classes; see ``recode_by_invariance``."""
    claim, chosen = request.claim, _chosen(tables.table, request)
    recoded = recode_by_invariance(
        chosen,
        claim,
        previous=tables.previous,
        key=request.key,
        release_key=request.release_key,
        recoding=request.recoding,
    )
    return RecodedRows(claim_classes(claim), recoded.table, sizes_of(chosen, claim), recoded.summary)


def _in_order(table: DataFrame) -> DataFrame:
    """Put rows in an order that tells no more than they do: that of the input may tell who is who."""
    return table.orderBy(*(column(field.name) for field in table.schema if not isinstance(field.dataType, MapType)))


def _chosen(table: DataFrame, request: RecodingRequest) -> DataFrame:
    return table.select(*map(column, request.published(table.columns)))
