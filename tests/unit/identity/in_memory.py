"""A view in memory, generalized by parts of the algorithms that recode tables; what Spark shows is compared with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import CodedAttribute, default_hierarchy
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import CodedTable, coder_of, constraint_for
from spark_deid.anonymity.gathering import gather_frequencies, tally_combinations
from spark_deid.anonymity.incognito import FrequencyLattice
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.lattice import levels_of
from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.multivalued import flatten_column
from spark_deid.anonymity.partition import class_labels, cut_part, with_bands
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.recoding_modes import RecodingMode, modes_of
from spark_deid.anonymity.spark.algorithms import with_hidden_class
from spark_deid.anonymity.spark.incognito import chosen_full_domain
from spark_deid.core.errors import GateRefused
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.ontology.hierarchy import ValueHierarchy

WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


@dataclass(frozen=True)
class HeldValues:
    """The values of one sensitive attribute: ``persons[i]`` holds ``values[i]``, each pair once."""

    persons: Int64s
    values: pa.Array


@dataclass(frozen=True)
class IdentifierView:
    """A row a person: the quasi-identifiers by attribute (text, null where unknown), and who holds what."""

    persons: int
    quasi: Mapping[str, pa.Array]
    sensitive: Sequence[HeldValues] = ()


@dataclass(frozen=True)
class ViewRecodingSettings:
    """How a view is generalized: models, kinds of values, hierarchies, and what classes show."""

    models: ModelDemands
    kinds: Mapping[str, str]
    hierarchies: Mapping[str, ValueHierarchy]
    recoding: Mapping[str, RecodingMode]
    algorithm: str = "mondrian"
    suppression: float = 0.0


def generalize(view: IdentifierView, how: ViewRecodingSettings) -> dict[str, pa.Array]:
    """Return what each person shows of each attribute: text, null where nothing may be shown."""
    names = {name: f"sensitive {name}" for name in map(str, range(len(view.sensitive)))}
    rows = {name: each.rows for name, each in how.hierarchies.items()}
    claim = PrivacyClaim(tuple(view.quasi), how.models, tuple(names.values()), hierarchies=rows)
    columns = {name: comparable(values, how.kinds[name]) for name, values in view.quasi.items()}
    lists = {name: listed(each, view.persons) for name, each in zip(names.values(), view.sensitive, strict=True)}
    shows = _by_mondrian if how.algorithm == "mondrian" else _by_incognito
    try:
        shown = shows(claim, columns | lists, how, view.persons)
    except GateRefused:
        shown = [pa.nulls(view.persons, pa.string())] * len(columns)
    return dict(zip(columns, shown, strict=True))


def comparable(values: pa.Array, kind: str) -> pa.Array:
    """Return values as they are compared: ages as numbers, and no dates of which some part is unknown."""
    if kind == "date":
        return pc.if_else(pc.match_substring_regex(values, WHOLE_DATE), values, pa.scalar(None, pa.string()))
    return values.cast(pa.int64()) if kind == "age" else values


def listed(held: HeldValues, persons: int) -> pa.Array:
    """Return a list per person."""
    values: list[list[str]] = [[] for _ in range(persons)]
    for person, value in zip(held.persons.tolist(), held.values.to_pylist(), strict=True):
        values[person].append(value)
    return pa.array(values, pa.list_(pa.string()))


def _by_mondrian(
    claim: PrivacyClaim, columns: Mapping[str, pa.Array], how: ViewRecodingSettings, persons: int
) -> list[pa.Array]:
    coder = replace(coder_of(claim, {name: flatten_column(each)[0] for name, each in columns.items()}), of_lists=True)
    part = coder.part(columns, np.arange(persons + 1), np.empty(0, np.uint64))
    holders = np.bincount(part.held, minlength=int(coder.offsets[-1])).astype(np.int64)
    constraint = constraint_for(claim, coder, holders)
    if not satisfies(constraint, persons, 0, holders):
        raise GateRefused("the whole does not satisfy")
    modes = modes_of(claim, how.recoding)
    quasi = with_bands(coder.quasi, modes)
    classes = cut_part(part, quasi, constraint, modes)
    owners = np.empty(persons, np.int64)
    owners[classes.order] = np.repeat(np.arange(classes.number), np.diff(classes.starts))
    return [each.take(pa.array(owners)).dictionary_decode().cast(pa.string()) for each in class_labels(classes, quasi)]


def _by_incognito(
    claim: PrivacyClaim, columns: Mapping[str, pa.Array], how: ViewRecodingSettings, persons: int
) -> list[pa.Array]:
    coder = replace(coder_of(claim, {name: flatten_column(each)[0] for name, each in columns.items()}), of_lists=True)
    coded = CodedTable(coder.quasi, coder.sensitive)
    used = [*claim.quasi, *(each.name for each in coder.sensitive)]
    part = coded.part(pa.table({name: columns[name] for name in used}))
    holders = np.bincount(part.held, minlength=int(coded.offsets[-1])).astype(np.int64)
    levels = [levels_of(each, _hierarchy(each, how)) for each in coded.quasi]
    most = floor(how.suppression * persons)
    monotone = claim.models.monotone and (most == 0 or claim.models.absorbing)
    constraint = constraint_for(claim, coder, holders)
    lattice = FrequencyLattice(gather_frequencies([tally_combinations(part)]), levels, constraint, most, monotone)
    found = with_hidden_class(chosen_full_domain(claim, coded.quasi, lattice, LossMetric.NCP), LossMetric.NCP)
    node = zip(levels, found.choice.node, part.codes.T, strict=True)
    codes = np.stack([each.codes[level][own] for each, level, own in node], axis=1)
    kept = {tuple(row) for row in found.choice.frequencies.codes[found.choice.outcome.kept].tolist()}
    hidden = np.array([tuple(row) not in kept for row in codes.tolist()], np.bool_)
    labels = [pa.array(each.labels[level], pa.string()) for each, level in zip(levels, found.choice.node, strict=True)]
    return [label.take(pa.array(own, mask=hidden)) for label, own in zip(labels, codes.T, strict=True)]


def _hierarchy(attribute: CodedAttribute, how: ViewRecodingSettings) -> ValueHierarchy:
    return how.hierarchies.get(attribute.name) or default_hierarchy(attribute)
