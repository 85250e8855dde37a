"""Operators: what each person of a view shows, generalized by the algorithms that recode tables."""

from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.recoding_kind import RecodingFolders, RecodingRequest
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.recodings import RECODINGS
from spark_deid.anonymity.spark.columns import column, distinct_values
from spark_deid.core import tables
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.hashing import random_key
from spark_deid.engine import functions as F
from spark_deid.identity.generalized_values import Above, ancestors_of
from spark_deid.identity.settings import IdentityKeys, RolesSettings
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.ontology.hierarchy import ValueHierarchy, read_hierarchies
from spark_deid.ontology.places import PlaceHierarchy

_PERSON = "person of the view"
_WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


def hierarchies_of(keys: IdentityKeys) -> dict[str, ValueHierarchy]:
    """Read the plan's hierarchies of quasi-identifiers; raises UsageError or SparkDeidError."""
    folder = keys.classes.hierarchies
    return {} if folder is None else read_hierarchies(folder, keys.identity.roles.quasi)


def above_by(keys: IdentityKeys, hierarchies: Mapping[str, ValueHierarchy]) -> dict[str, Above]:
    """Return what values of attributes are under, by the plan's hierarchies or as places."""
    return dict(_places(keys)) | ancestors_of(hierarchies)


def _places(keys: IdentityKeys) -> dict[str, PlaceHierarchy]:
    return {name: PlaceHierarchy(keys.identity.kind(name), keys.identity.place) for name in keys.places}


def persons_of(persons: DataFrame, values: DataFrame, roles: RolesSettings) -> DataFrame:
    """Return a row per person (column person) with what is known: a column a value, a list of sensitive ones."""
    found = []
    for at, name in enumerate(_attributes(roles)):
        value = F.when(F.col("attribute") == name, F.col("value"))
        found.append((F.collect_set(value) if name in roles.sensitive else F.max(value)).alias(_column(at)))
    return persons.select(PERSON).join(values.groupBy(PERSON).agg(*found), on=PERSON, how="left")


def generalized_view(
    rows: DataFrame, keys: IdentityKeys, hierarchies: Mapping[str, ValueHierarchy], folders: RecodingFolders
) -> DataFrame:
    """Return the view before and after (columns of IDENTIFIERS) of people, as ``persons_of`` gives them.

    People have a row for each quasi-identifier, with or without a value; incomplete dates are not values. Where the
    view as a whole does not satisfy the models nothing is shown of anybody. ``folders`` are new ones.

    Runs the actions of the plan's algorithm (see ``RecodingKind.recode_view``), and one for the values of places.
    People are coded, cut and recoded by workers: values come to the driver, each once, and counts.
    """
    roles = keys.identity.roles
    recode = RECODINGS.find(keys.classes.algorithm).recode_view
    if recode is None:
        raise UsageError(f"anonymity.algorithm: {keys.classes.algorithm} generalizes no views")
    view = _view_of(rows, keys)
    request = _request(view, keys, hierarchies)
    try:
        shown = None if rows.isEmpty() else recode(view, request, folders)
    except GateRefused:
        shown = None
    if shown is None:
        nothing = {name: F.lit(None).cast("string").alias(name) for name in roles.quasi}
        shown = view.withColumns(nothing)
    cells = [_cell(name, column(_original(name)), column(name)) for name in roles.quasi]
    generalized = shown.select(column(_PERSON).alias(PERSON), F.explode(F.array(*cells)).alias("cell"))
    return _identifiers(generalized).unionByName(_identifiers(_others(rows, roles)))


def _view_of(rows: DataFrame, keys: IdentityKeys) -> DataFrame:
    """Return people, their quasi-identifiers as they are compared and as they are, and lists of sensitive values."""
    roles, chosen = keys.identity.roles, [F.col(PERSON).alias(_PERSON)]
    for name, cell in _cells(roles).items():
        if name in roles.quasi:
            kind = keys.identity.kind(name)
            known = F.when(cell.rlike(_WHOLE_DATE), cell) if kind == "date" else cell
            chosen += [(known.cast("bigint") if kind == "age" else known).alias(name), known.alias(_original(name))]
        elif name in roles.sensitive:
            held = F.coalesce(cell, F.array().cast("array<string>"))
            chosen += [held.alias(name), _one_of(held).alias(_one_each(name))]
    return rows.select(*chosen)


def _one_of(held: Column) -> Column:
    """Return a list of one of the values that a person holds, the least by hash, so that none is preferred."""
    hashed = F.transform(held, lambda value: F.struct(F.xxhash64(value).alias("hash"), value.alias("value")))
    return F.slice(F.transform(F.array_sort(hashed), lambda each: each["value"]), 1, 1)


def _one_each(name: str) -> str:
    return f"{name} of which each person has one"


def _request(view: DataFrame, keys: IdentityKeys, hierarchies: Mapping[str, ValueHierarchy]) -> RecodingRequest:
    roles, classes = keys.identity.roles, keys.classes
    places = {name: each for name, each in _places(keys).items() if name not in hierarchies}
    values = distinct_values([view], [*places])
    made = {name: each.hierarchy(values[name].to_pylist()) for name, each in places.items()}
    known = {name: each for name, each in made.items() if each is not None} | dict(hierarchies)
    needs_sensitive = ModelNeeds.SENSITIVE in classes.models.needs
    claim = PrivacyClaim(
        roles.quasi,
        classes.models,
        _counted_of(roles, classes.models) if needs_sensitive else (),
        hierarchies={name: each.rows for name, each in known.items()},
    )
    return RecodingRequest(
        claim,
        key=random_key(),
        recoding={name: RecodingMode(mode) for name, mode in classes.recoding.items()},
        suppression=classes.suppression,
        keep=(_PERSON, *map(_original, roles.quasi)),
    )


def _counted_of(roles: RolesSettings, models: ModelDemands) -> tuple[str, ...]:
    """Return the columns of sensitive values that classes are counted by.

    Where l people are to be given l values, one each, those of which each person has one are among them: a class with
    l of these has such people.
    """
    matched = any(demand.kind.matches_persons for demand in models.demands)
    return (*roles.sensitive, *(map(_one_each, roles.sensitive) if matched else ()))


def _others(rows: DataFrame, roles: RolesSettings) -> DataFrame:
    """Return what people have of other attributes, a cell a value."""
    found = []
    for name, cell in _cells(roles).items():
        if name in roles.sensitive:
            found.append(F.transform(F.coalesce(cell, F.array()), _hidden_cell(name)))
        elif name in roles.identifiers:
            found.append(F.when(cell.isNotNull(), F.array(_hidden_cell(name)(cell))))
    empty = F.array().cast("array<struct<attribute:string,value:string,generalized:string>>")
    each = F.concat(empty, *(F.coalesce(cells, empty) for cells in found))
    return rows.select(PERSON, F.explode(each).alias("cell"))


def _identifiers(cells: DataFrame) -> DataFrame:
    return cells.select(F.col(PERSON).alias("subject_id"), "cell.*").select(*tables.IDENTIFIERS.names)


def _cell(name: str, value: Column, generalized: Column) -> Column:
    return F.struct(F.lit(name).alias("attribute"), value.alias("value"), generalized.alias("generalized"))


def plain_view(values: DataFrame) -> DataFrame:
    """Return values of people that are not generalized (columns of IDENTIFIERS)."""
    nothing = F.lit(None).cast("string").alias("generalized")
    return values.select(F.col(PERSON).alias("subject_id"), "attribute", "value", nothing)


def _hidden_cell(name: str) -> Callable[[Column], Column]:
    """Return what makes a cell of a value of which nothing is shown."""
    return lambda value: _cell(name, value, F.lit(None).cast("string"))


def _original(name: str) -> str:
    return f"{name} as it was"


def _column(at: int) -> str:
    return f"a{at}"


def _cells(roles: RolesSettings) -> dict[str, Column]:
    """Return columns by attribute."""
    return {name: F.col(_column(at)) for at, name in enumerate(_attributes(roles))}


def _attributes(roles: RolesSettings) -> tuple[str, ...]:
    return (*roles.quasi, *roles.identifiers, *roles.sensitive)
