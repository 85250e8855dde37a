"""The algorithms that recode tables, as operators of one form: tables and a request in, rows to publish out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql.types import MapType, StringType, StructField, StructType

from spark_deid.anonymity.choice import NodeChoice
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import PLAIN_NUMBER
from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.fitted import FittedRecoding
from spark_deid.anonymity.fitted_levels import FittedLevels
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.multivalued import MISSING_WORDS, one_spelling, without_missing_words
from spark_deid.anonymity.recoding_kind import (
    InputTables,
    LossMetric,
    RecodedRows,
    RecodingFolders,
    RecodingRequest,
    WrittenRows,
)
from spark_deid.anonymity.spark.applying import apply_fitted
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.incognito import (
    FullDomain,
    apply_levels,
    chosen_full_domain,
    recode_by_incognito,
    recode_or_hide,
    search_full_domain,
)
from spark_deid.anonymity.spark.invariance import claim_classes, recode_by_invariance
from spark_deid.anonymity.spark.kept_columns import original_of
from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
from spark_deid.anonymity.spark.persons import hash_persons, sizes_of
from spark_deid.core.errors import GateRefused
from spark_deid.core.numerics.arrays import Bools
from spark_deid.engine import functions as F
from spark_deid.engine.functions import Window
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import map_rows


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
    table = counted.table.withColumns(copies) if copies else counted.table
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


# Sensitive columns as algorithms count them: spellings of a value as one, and of each person one value for l.


_SPELLED, _OF_NUMBERS, _ONE_EACH = " in one spelling", " as numbers", " of which each person has one"
_VALUE = "value"


class CountedTable(NamedTuple):
    """A table with further columns, ``added``, and the claim that counts these in place of sensitive ones."""

    table: DataFrame
    claim: PrivacyClaim
    added: tuple[str, ...] = ()


def counted_by_person(table: DataFrame, claim: PrivacyClaim) -> CountedTable:
    """Add what algorithms count of sensitive columns, where that is not the columns as they are.

    Where l persons are to be given l values, one each, and some hold several, a column says of each person one of
    them: a class with l of these has such persons. Runs a job for each column of text, and one for persons. Raises
    GateRefused where a model does not count persons of several values and there are some.
    """
    if ModelNeeds.SENSITIVE not in claim.models.needs:
        return CountedTable(table, claim)
    counted = [_in_one_spelling(table, name, claim) for name in claim.sensitive]
    for name, own in zip(claim.sensitive, counted, strict=True):
        if own != name:
            table = _with_spelling(table, name, own, are_numbers=own.endswith(_OF_NUMBERS))
    added = tuple(own for own in counted if own not in claim.sensitive)
    several = _several(table, claim, counted)
    _check_single(claim, several)
    matched = any(demand.kind.matches_persons for demand in claim.models.demands)
    once = [own for own, people in zip(counted, several, strict=True) if people and matched]
    if once:
        table = table.withColumns({f"{name}{_ONE_EACH}": _one_each(claim.person or "", name) for name in once})
    ones = tuple(f"{name}{_ONE_EACH}" for name in once)
    return CountedTable(table, _counting(claim, (*counted, *ones)), (*added, *ones))


def _counting(claim: PrivacyClaim, sensitive: Sequence[str]) -> PrivacyClaim:
    return claim if tuple(sensitive) == claim.sensitive else replace(claim, sensitive=tuple(sensitive))


def _in_one_spelling(table: DataFrame, name: str, claim: PrivacyClaim) -> str:
    """Return the column that counts in place of a sensitive one: itself, unless a value has several spellings."""
    if name in claim.hierarchies or not isinstance(table.schema[name].dataType, StringType):
        return name
    distinct = table.select(column(name).alias(_VALUE)).distinct().dropna()
    spelled = _with_spelling(distinct, _VALUE, "spelled")
    is_missing = F.col("spelled").isin(*MISSING_WORDS)
    is_number = F.col("spelled").rlike(PLAIN_NUMBER)
    values, spellings, missing, numbers = spelled.agg(
        F.count(_VALUE), F.count_distinct("spelled"), F.count_if(is_missing), F.count_if(is_number)
    ).collect()[0]
    if missing and numbers and missing + numbers == values:
        return f"{name}{_OF_NUMBERS}"
    return name if values == spellings else f"{name}{_SPELLED}"


def _with_spelling(table: DataFrame, name: str, own: str, *, are_numbers: bool = False) -> DataFrame:
    schema = StructType([*table.schema, StructField(own, StringType())])
    return map_rows(table, partial(_spelled, place=table.columns.index(name), are_numbers=are_numbers), schema)


def _spelled(batches: Iterator[pa.RecordBatch], *, place: int, are_numbers: bool) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        cells = batch.column(place).dictionary_encode()
        values = one_spelling(cells.dictionary)
        own = (without_missing_words(values) if are_numbers else values).take(cells.indices)
        yield pa.RecordBatch.from_arrays([*batch.columns, own], names=[*batch.schema.names, f"of {place}"])


def _several(table: DataFrame, claim: PrivacyClaim, counted: Sequence[str]) -> list[int]:
    """Count, by sensitive column, the persons that hold several values, where a model asks for it."""
    asks = any(demand.kind.matches_persons or demand.kind.single_valued for demand in claim.models.demands)
    if claim.person is None or not asks:
        return [0] * len(counted)
    held = [F.count_distinct(F.struct(column(name))).alias(f"n{at}") for at, name in enumerate(counted)]
    people = table.groupBy(column(claim.person)).agg(*held)
    found = people.agg(*(F.sum((F.col(f"n{at}") > 1).cast("int")) for at in range(len(counted)))).first()
    return [0 if found is None or number is None else int(number) for number in found or [None] * len(counted)]


def _check_single(claim: PrivacyClaim, several: Sequence[int]) -> None:
    names = [demand.name for demand in claim.models.demands if demand.kind.single_valued]
    for name, people in zip(claim.sensitive, several, strict=True):
        if names and people:
            raise GateRefused(
                f"{names[0]}: {people} people have several values of {name}. Use --model frequency-l, which "
                "counts people, or keep one value per person"
            )


def _one_each(person: str, name: str) -> Column:
    """Return one of the values that a row's person holds: the least by hash, so that no value is preferred."""
    each = F.struct(F.xxhash64(column(name)), column(name).alias(_VALUE))
    return F.min(each).over(Window.partitionBy(column(person))).getField(_VALUE)


# Identifier views by the algorithms that recode tables: a person a row, who stays where nothing may be shown of them.
#
# Sensitive columns have lists: a person holds several values, or none.


def view_by_mondrian(view: DataFrame, request: RecodingRequest, folders: RecodingFolders) -> DataFrame:
    """Cut the persons of a view into classes; see ``cut_table``. Nobody is hidden."""
    published = request.published(view.columns)
    asked = MondrianRequest(request.claim, published, request.recoding, release_key=request.release_key)
    cut = cut_table(view, asked, folders.scratch, folders.output, request.key)
    return read_parts(view.sparkSession, cut.files, cut.schema)


def view_by_incognito(view: DataFrame, request: RecodingRequest, _: RecodingFolders) -> DataFrame:
    """Generalize every quasi-identifier of a view to one level; see ``search_full_domain``.

    Persons of classes that fail, at most the share ``request.suppression``, show nothing. They are a class too: where
    they do not satisfy the models together, the smallest other classes join them; where that is more than may be
    hidden, nobody is.
    """
    claim, published = request.claim, request.published(view.columns)
    found = search_full_domain(view, claim, suppression=request.suppression or 0.0, metric=request.metric)
    return recode_or_hide(view, with_hidden_class(found, request.metric)).select(*map(column, published))


def with_hidden_class(found: FullDomain, metric: LossMetric) -> FullDomain:
    """Return a search of which those who show nothing satisfy the models together, or that hides nobody.

    Raises GateRefused where no generalization satisfies the models of all.
    """
    kept = find_satisfying(found.choice, found.lattice.constraint)
    if found.choice.frequencies.persons[~kept].sum() > found.lattice.most:
        whole = replace(found.lattice, most=0, monotone=found.claim.models.monotone)
        return chosen_full_domain(found.claim, found.attributes, whole, metric)
    return replace(found, choice=replace(found.choice, outcome=replace(found.choice.outcome, kept=kept)))


def find_satisfying(found: NodeChoice, constraint: ClassConstraint) -> Bools:
    """Tell which classes are shown, so that all others together satisfy the models, or are none."""
    kept, frequencies = found.outcome.kept.copy(), found.frequencies
    held = frequencies.held
    for smallest in np.argsort(np.where(kept, frequencies.persons, np.iinfo(np.int64).max), kind="stable"):
        left = ~kept & (frequencies.persons > 0)
        inside = left[held.owners]
        counts = np.bincount(held.values[inside], weights=held.counts[inside], minlength=int(constraint.offsets[-1]))
        if not left.any() or satisfies(constraint, int(frequencies.persons[left].sum()), 0, counts.astype(np.int64)):
            break
        kept[smallest] = False
    return kept
