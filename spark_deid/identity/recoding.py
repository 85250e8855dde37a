"""The identifier view generalized: a row a person, classes by Mondrian or Incognito, one shown value an attribute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import Attribute, attribute_of
from spark_deid.anonymity.constraint import Constraint, Sensitive, constraint_of
from spark_deid.anonymity.demands import Models
from spark_deid.anonymity.hierarchy import Hierarchy
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.models import L
from spark_deid.anonymity.partition import Part, Recoding, cut_part, rows_of, shown
from spark_deid.identity.fulldomain import full_domain, lattice_of, levels_by
from spark_deid.identity.shown import Above
from spark_deid.numerics.arrays import Int32s, Int64s

MONDRIAN, INCOGNITO = "mondrian", "incognito"


@dataclass(frozen=True)
class Held:
    """The values of one sensitive attribute: ``persons[i]`` holds ``values[i]``, each pair once."""

    persons: Int64s
    values: pa.Array


@dataclass(frozen=True)
class View:
    """A row a person: the quasi-identifiers by attribute (text, null where unknown), and who holds what."""

    persons: int
    quasi: Mapping[str, pa.Array]
    sensitive: Sequence[Held] = ()


@dataclass(frozen=True)
class Generalizing:
    """How a view is generalized: models, hierarchies, what classes show, and the kinds of values by attribute.

    By Incognito at most the share ``suppression`` of the persons may show nothing.
    """

    models: Models
    kinds: Mapping[str, str]
    hierarchies: Mapping[str, Hierarchy]
    recoding: Mapping[str, Recoding]
    algorithm: str = MONDRIAN
    suppression: float = 0.0


def generalize(view: View, how: Generalizing) -> dict[str, pa.Array]:
    """Return what each person shows of each attribute: text, null where nothing may be shown.

    Where the view as a whole does not satisfy the models nothing is shown at all. Raises SparkDeidError for values that
    a hierarchy lacks.
    """
    columns = {name: _typed(column, how.kinds[name]) for name, column in view.quasi.items()}
    known = {name: column for name, column in columns.items() if column.null_count < len(column)}
    nothing = {name: pa.nulls(view.persons, pa.string()) for name in columns}
    sensitive, offsets, held, counts = _held(view)
    constraint = constraint_of(how.models, sensitive)
    if L not in how.models:  # a class of persons without any sensitive value links nobody to one
        constraint = constraint._replace(distinct=0)
    if not known or not satisfies(constraint, view.persons, 0, counts):
        return nothing
    attributes = [attribute_of(name, column, how.hierarchies.get(name)) for name, column in known.items()]
    codes = np.stack([each.encode(column) for each, column in zip(attributes, known.values(), strict=True)], axis=1)
    if how.algorithm == MONDRIAN:
        return nothing | _cut(attributes, codes, constraint, how, (offsets, held))
    levels = levels_by(attributes, how.hierarchies)
    lattice = lattice_of(codes, (offsets, held), levels, constraint, how.suppression)
    monotone = how.models.monotone and (not lattice.most or how.models.absorbing)
    return nothing | (full_domain(attributes, codes, replace(lattice, monotone=monotone), levels) or nothing)


@dataclass(frozen=True)
class Under:
    """What values lie under by the rows of a hierarchy; a value lies under itself, one that it lacks under nothing."""

    rows: Mapping[str, frozenset[str]]

    def __call__(self, value: str) -> frozenset[str]:
        """Return the labels of a value's row."""
        return self.rows.get(value, frozenset())


def above_of(hierarchies: Mapping[str, Hierarchy]) -> dict[str, Above]:
    """Return what values lie under, by attribute."""
    return {name: Under({row[0]: frozenset(row) for row in each.rows}) for name, each in hierarchies.items()}


def _typed(column: pa.Array, kind: str) -> pa.Array:
    return column.cast(pa.int64()) if kind == "age" else column.cast(pa.string())


def _cut(
    attributes: Sequence[Attribute],
    codes: Int32s,
    constraint: Constraint,
    how: Generalizing,
    held: tuple[Int64s, Int32s],
) -> dict[str, pa.Array]:
    part = Part(codes, np.arange(len(codes) + 1), np.empty(0, np.uint64), *held)
    modes = {each.name: how.recoding.get(each.name, Recoding.TIGHT) for each in attributes}
    classes = cut_part(part, attributes, constraint, modes)
    order, starts = rows_of(part, classes.order, classes.starts)
    of_person = np.empty(len(codes), np.int64)
    of_person[order] = np.repeat(np.arange(classes.number), np.diff(starts))
    labels = (each.dictionary_decode().cast(pa.string()) for each in shown(classes, attributes))
    return {each.name: label.take(pa.array(of_person)) for each, label in zip(attributes, labels, strict=True)}


def _held(view: View) -> tuple[list[Sensitive], Int64s, Int32s, Int64s]:
    """Number the sensitive values of all attributes together; return who holds which, by person, and all counts."""
    persons, values, sensitive = [np.empty(0, np.int64)], [np.empty(0, np.int64)], []
    start = 0
    for each in view.sensitive:
        coded = each.values.dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        counts = np.bincount(codes, minlength=len(coded.dictionary)).astype(np.int64)
        sensitive.append(Sensitive(counts))
        persons.append(each.persons)
        values.append(codes + start)
        start += len(coded.dictionary)
    owners, held = np.concatenate(persons), np.concatenate(values)
    order = np.lexsort((held, owners))
    offsets = np.searchsorted(owners[order], np.arange(view.persons + 1))
    counts = np.bincount(held, minlength=start).astype(np.int64)
    return sensitive, offsets.astype(np.int64), held[order].astype(np.int32), counts
