"""Operator: what each person of a view shows; the view is generalized on the driver."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.anonymity.hierarchy import Hierarchy, read_hierarchies
from spark_deid.anonymity.partition import Recoding
from spark_deid.core import tables
from spark_deid.identity.places import Places
from spark_deid.identity.recoding import Generalizing, Held, View, above_of, generalize
from spark_deid.identity.settings import IdentityKeys
from spark_deid.identity.shown import Above
from spark_deid.identity.spark.mentions import PERSON

_WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


def hierarchies_of(keys: IdentityKeys) -> dict[str, Hierarchy]:
    """Read the plan's hierarchies of quasi-identifiers; raises UsageError or SparkDeidError."""
    folder = keys.classes.hierarchies
    return {} if folder is None else read_hierarchies(folder, keys.identity.roles.quasi)


def above_by(keys: IdentityKeys, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Above]:
    """Return what values of attributes lie under, by the plan's hierarchies or as places."""
    return dict(_places(keys)) | above_of(hierarchies)


def _places(keys: IdentityKeys) -> dict[str, Places]:
    return {name: Places(keys.identity.kind(name), keys.identity.place) for name in keys.places}


def generalized_view(
    persons: DataFrame, values: DataFrame, keys: IdentityKeys, hierarchies: Mapping[str, Hierarchy]
) -> DataFrame:
    """Return the view before and after (columns of IDENTIFIERS), and rows without a value for what persons lack.

    Of a quasi-identifier dates that are not whole are lacking too.

    Runs two actions: persons with their quasi-identifiers, and their sensitive values, come to the driver, a few dozen
    bytes a person.
    """
    roles = keys.identity.roles
    there = values.groupBy(PERSON).pivot("attribute", list(roles.quasi)).agg(F.first("value"))
    rows = persons.select(PERSON).join(there, on=PERSON, how="left").sort(PERSON).toArrow()
    held = values.where(F.col("attribute").isin(*roles.sensitive)).toArrow() if roles.sensitive else None
    quasi = {name: _comparable(rows.column(name), keys.identity.kind(name)) for name in roles.quasi}
    sensitive = () if held is None else tuple(_held(held, rows.column(PERSON), name) for name in roles.sensitive)
    view = View(rows.num_rows, quasi, sensitive)
    modes = {name: Recoding(mode) for name, mode in keys.classes.recoding.items()}
    kinds = {name: keys.identity.kind(name) for name in roles.quasi}
    classes = keys.classes
    found = {
        name: each.hierarchy(pc.unique(quasi[name].drop_null()).to_pylist()) for name, each in _places(keys).items()
    }
    hierarchies = {name: each for name, each in found.items() if each is not None} | dict(hierarchies)
    how = Generalizing(classes.models, kinds, hierarchies, modes, classes.algorithm, classes.suppression)
    shown = generalize(view, how)
    spark = persons.sparkSession
    parts = [
        pa.table(
            {
                "subject_id": rows.column(PERSON),
                "attribute": pa.array([name] * rows.num_rows, pa.string()),
                "value": quasi[name],
                "generalized": shown[name],
            }
        )
        for name in roles.quasi
    ]
    generalized = spark.createDataFrame(pa.concat_tables(parts))
    rest = plain_view(values.where(~F.col("attribute").isin(*roles.quasi)))
    return generalized.select(*tables.IDENTIFIERS.names).unionByName(rest)


def plain_view(values: DataFrame) -> DataFrame:
    """Return values of persons that are not generalized (columns of IDENTIFIERS)."""
    nothing = F.lit(None).cast("string").alias("generalized")
    return values.select(F.col(PERSON).alias("subject_id"), "attribute", "value", nothing)


def _comparable(column: pa.ChunkedArray, kind: str) -> pa.Array:
    """Return a column without dates of which some part is unknown."""
    whole = column.combine_chunks()
    if kind != "date":
        return whole
    return pc.if_else(pc.match_substring_regex(whole, _WHOLE_DATE), whole, pa.scalar(None, pa.string()))


def _held(held: pa.Table, persons: pa.ChunkedArray, attribute: str) -> Held:
    rows = held.filter(pc.equal(held.column("attribute"), attribute))
    owners = pc.index_in(rows.column(PERSON), value_set=persons.combine_chunks()).combine_chunks()
    return Held(owners.to_numpy(zero_copy_only=False).astype(np.int64), rows.column("value").combine_chunks())
