"""Operators: what each person of a view shows. The driver finds classes by codes, workers recode."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.anonymity.partition import RecodingMode
from spark_deid.anonymity.spark.finishing import share, shared_value
from spark_deid.core import tables
from spark_deid.identity.coding import HeldValues, IdentifierView, ViewChunk, distinct, number, whole
from spark_deid.identity.generalized_values import Above
from spark_deid.identity.recoding import PersonValues, ViewRecodingSettings, above_of, fit
from spark_deid.identity.settings import IdentityKeys, RolesSettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.ontology.hierarchy import ValueHierarchy, read_hierarchies
from spark_deid.ontology.places import PlaceHierarchy
from spark_deid.storage.spark.tasks import run_partitions


def hierarchies_of(keys: IdentityKeys) -> dict[str, ValueHierarchy]:
    """Read the plan's hierarchies of quasi-identifiers; raises UsageError or SparkDeidError."""
    folder = keys.classes.hierarchies
    return {} if folder is None else read_hierarchies(folder, keys.identity.roles.quasi)


def above_by(keys: IdentityKeys, hierarchies: Mapping[str, ValueHierarchy]) -> dict[str, Above]:
    """Return what values of attributes lie under, by the plan's hierarchies or as places."""
    return dict(_places(keys)) | above_of(hierarchies)


def _places(keys: IdentityKeys) -> dict[str, PlaceHierarchy]:
    return {name: PlaceHierarchy(keys.identity.kind(name), keys.identity.place) for name in keys.places}


def persons_of(persons: DataFrame, values: DataFrame, roles: RolesSettings) -> DataFrame:
    """Return a row a person (column person) with what is known: a column a value, a list of sensitive ones."""
    found = []
    for at, name in enumerate(_attributes(roles)):
        value = F.when(F.col("attribute") == name, F.col("value"))
        found.append((F.collect_set(value) if name in roles.sensitive else F.max(value)).alias(_column(at)))
    return persons.select(PERSON).join(values.groupBy(PERSON).agg(*found), on=PERSON, how="left")


def generalized_view(rows: DataFrame, keys: IdentityKeys, hierarchies: Mapping[str, ValueHierarchy]) -> DataFrame:
    """Return the view before and after (columns of IDENTIFIERS) of persons, as ``persons_of`` gives them.

    Persons have a row for each quasi-identifier, with or without a value; dates that are not whole are none.

    Runs an action, by which codes of persons come to the driver: one, two or four bytes for each quasi-identifier and
    sensitive value, and each value of these once. Persons are recoded where they are.
    """
    roles, kinds = keys.identity.roles, {name: keys.identity.kind(name) for name in keys.identity.roles.quasi}
    chunks = [chunk for chunk in run_partitions(rows, partial(_numbered, roles=roles)) if chunk.persons]
    found = {
        name: each.hierarchy(distinct(chunks, name, kinds[name]).to_pylist()) for name, each in _places(keys).items()
    }
    classes = keys.classes
    how = ViewRecodingSettings(
        models=classes.models,
        kinds=kinds,
        hierarchies={name: each for name, each in found.items() if each is not None} | dict(hierarchies),
        recoding={name: RecodingMode(mode) for name, mode in classes.recoding.items()},
        algorithm=classes.algorithm,
        suppression=classes.suppression,
    )
    generalized = share(rows.sparkSession, fit(chunks, how))
    recode = partial(_recoded, roles=roles, kinds=kinds, generalized=generalized)
    return rows.mapInArrow(recode, tables.ddl(tables.IDENTIFIERS))


def plain_view(values: DataFrame) -> DataFrame:
    """Return values of persons that are not generalized (columns of IDENTIFIERS)."""
    nothing = F.lit(None).cast("string").alias("generalized")
    return values.select(F.col(PERSON).alias("subject_id"), "attribute", "value", nothing)


def _column(at: int) -> str:
    return f"a{at}"


def _columns(roles: RolesSettings, rows: pa.Table | pa.RecordBatch) -> dict[str, Any]:
    """Return columns by attribute."""
    return {name: rows.column(_column(at)) for at, name in enumerate(_attributes(roles))}


def _attributes(roles: RolesSettings) -> tuple[str, ...]:
    return (*roles.quasi, *roles.identifiers, *roles.sensitive)


def _numbered(batches: Iterator[pa.RecordBatch], *, roles: RolesSettings) -> ViewChunk:
    """Number the persons of a partition."""
    found = [*batches]
    if not found:
        return number(IdentifierView(0, {}))
    rows = pa.Table.from_batches(found).combine_chunks()
    columns = _columns(roles, rows)
    lists = [columns[name].combine_chunks() for name in roles.sensitive]
    sensitive = [HeldValues(pc.list_parent_indices(each).to_numpy(), pc.list_flatten(each)) for each in lists]
    return number(
        IdentifierView(rows.num_rows, {name: columns[name].combine_chunks() for name in roles.quasi}, sensitive)
    )


def _recoded(
    batches: Iterator[pa.RecordBatch], *, roles: RolesSettings, kinds: Mapping[str, str], generalized: Broadcast[bytes]
) -> Iterator[pa.RecordBatch]:
    """Tell what persons have and show, attribute by attribute."""
    recode: PersonValues = shared_value(generalized)
    for batch in batches:
        persons, columns = batch.column(PERSON), _columns(roles, batch)
        shown = recode({name: columns[name] for name in roles.quasi})
        for name in roles.quasi:
            yield _view_rows(persons, name, whole(columns[name], kinds[name]), shown[name])
        for name in roles.identifiers:
            there = pc.is_valid(columns[name])
            yield _view_rows(persons.filter(there), name, columns[name].filter(there))
        for name in roles.sensitive:
            owners = pc.list_parent_indices(columns[name])
            yield _view_rows(persons.take(owners), name, pc.list_flatten(columns[name]))


def _view_rows(persons: pa.Array, attribute: str, values: pa.Array, labels: pa.Array | None = None) -> pa.RecordBatch:
    generalized = pa.nulls(len(values), pa.string()) if labels is None else labels
    named = pa.array([attribute], pa.string()).take(pa.array(np.zeros(len(values), np.int8)))
    return pa.RecordBatch.from_arrays([persons, named, values, generalized], schema=tables.IDENTIFIERS)
