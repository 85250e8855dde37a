"""The identifier view generalized: a row a person, classes by Mondrian or Incognito, one shown value an attribute."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.anonymity.constraint import ClassConstraint, SensitiveCodes, constraint_of
from spark_deid.anonymity.demands import ModelDemands
from spark_deid.anonymity.kernels.classes import place
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.kernels.cuts import CutTree
from spark_deid.anonymity.models import L
from spark_deid.anonymity.partition import RecodingMode, UnitRows, class_labels, cut_part, with_bands
from spark_deid.identity.coding import CodedView, IdentifierView, ViewChunk, code, codes_of, number
from spark_deid.identity.fulldomain import full_domain, lattice_of, levels_by
from spark_deid.identity.generalized_values import Above
from spark_deid.numerics.arrays import Int32s
from spark_deid.ontology.hierarchy import ValueHierarchy

MONDRIAN, INCOGNITO = "mondrian", "incognito"


@dataclass(frozen=True)
class ViewRecodingSettings:
    """How a view is generalized: models, hierarchies, what classes show, and the kinds of values by attribute.

    By Incognito at most the share ``suppression`` of the persons may show nothing.
    """

    models: ModelDemands
    kinds: Mapping[str, str]
    hierarchies: Mapping[str, ValueHierarchy]
    recoding: Mapping[str, RecodingMode]
    algorithm: str = MONDRIAN
    suppression: float = 0.0


Shows = Callable[[Int32s], Sequence[pa.Array]]
"""Return what rows of codes show, an array an attribute."""


@dataclass(frozen=True)
class PersonValues:
    """What persons show, by what they have; ``shows`` is None where nothing may be shown of anybody."""

    attributes: tuple[CodedAttribute, ...]
    kinds: Mapping[str, str]
    shows: Shows | None

    def __call__(self, columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """Return what each row of a view's quasi-identifiers shows: text, null where nothing may be shown."""
        nothing = {name: pa.nulls(len(column), pa.string()) for name, column in columns.items()}
        if self.shows is None:
            return nothing
        shown = self.shows(codes_of(self.attributes, self.kinds, columns))
        return nothing | {each.name: column for each, column in zip(self.attributes, shown, strict=True)}


def generalize(view: IdentifierView, how: ViewRecodingSettings) -> dict[str, pa.Array]:
    """Return what each person shows of each attribute: text, null where nothing may be shown (see ``fit``)."""
    return fit([number(view)], how)(view.quasi)


def fit(chunks: Sequence[ViewChunk], how: ViewRecodingSettings) -> PersonValues:
    """Generalize a view, given in parts. Persons who have the same values show the same.

    Where the view as a whole does not satisfy the models nothing is shown at all. Raises SparkDeidError for values that
    a hierarchy lacks.
    """
    coded = code(chunks, how.kinds, how.hierarchies)
    constraint = constraint_of(how.models, [SensitiveCodes(each) for each in coded.holders])
    if L not in how.models:  # a class of persons without any sensitive value links nobody to one
        constraint = constraint._replace(distinct=0)
    shows: Shows | None = None
    holders = np.concatenate([np.empty(0, np.int64), *coded.holders])
    if coded.attributes and satisfies(constraint, coded.persons, 0, holders):
        shows = _cut(coded, constraint, how) if how.algorithm == MONDRIAN else _level(coded, constraint, how)
    return PersonValues(coded.attributes, how.kinds, shows)


@dataclass(frozen=True)
class ValueAncestors:
    """What values lie under by the rows of a hierarchy; a value lies under itself, one that it lacks under nothing."""

    rows: Mapping[str, frozenset[str]]

    def __call__(self, value: str) -> frozenset[str]:
        """Return the labels of a value's row."""
        return self.rows.get(value, frozenset())


def above_of(hierarchies: Mapping[str, ValueHierarchy]) -> dict[str, Above]:
    """Return what values lie under, by attribute."""
    return {name: ValueAncestors({row[0]: frozenset(row) for row in each.rows}) for name, each in hierarchies.items()}


def _level(coded: CodedView, constraint: ClassConstraint, how: ViewRecodingSettings) -> Shows | None:
    levels = levels_by(coded.attributes, how.hierarchies)
    lattice = lattice_of(coded.codes, (coded.offsets, coded.held), levels, constraint, how.suppression)
    monotone = how.models.monotone and (not lattice.most or how.models.absorbing)
    return full_domain(coded.attributes, replace(lattice, monotone=monotone), levels)


@dataclass(frozen=True)
class ByCuts:
    """What rows show by the class that cuts put them in: ``classes`` by node, ``labels`` by class, for each column."""

    cuts: CutTree
    classes: Int32s
    labels: tuple[pa.Array, ...]

    def __call__(self, codes: Int32s) -> list[pa.Array]:
        """Return what rows of codes show."""
        nodes = place(self.cuts, codes, np.zeros(len(codes), np.uint64))
        classes = pa.array(self.classes[nodes], mask=nodes < 0)
        return [label.take(classes) for label in self.labels]


def _cut(coded: CodedView, constraint: ClassConstraint, how: ViewRecodingSettings) -> Shows:
    modes = {each.name: how.recoding.get(each.name, RecodingMode.BANDS) for each in coded.attributes}
    attributes = with_bands(coded.attributes, modes)
    units = np.arange(coded.persons + 1)
    part = UnitRows(coded.codes, units, np.empty(0, np.uint64), coded.offsets, coded.held)
    found = cut_part(part, attributes, constraint, modes)
    classes = np.zeros(len(found.cuts.columns), np.int32)
    classes[found.nodes] = np.arange(found.number, dtype=np.int32)
    labels = (each.dictionary_decode().cast(pa.string()) for each in class_labels(found, attributes))
    return ByCuts(found.cuts, classes, tuple(labels))
