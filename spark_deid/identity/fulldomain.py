"""The identifier view generalized by Incognito: for each attribute one level of its hierarchy, for all persons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute, default_hierarchy
from spark_deid.anonymity.choice import NodeChoice, choices, least
from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.frequency import FrequencySet, ScatteredPersons, SensitiveValues
from spark_deid.anonymity.incognito import FrequencyLattice, incognito
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.anonymity.levels import AttributeLevels, levels_of
from spark_deid.anonymity.loss import widths
from spark_deid.anonymity.metric import LossMetric
from spark_deid.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.ontology.hierarchy import ValueHierarchy


@dataclass(frozen=True)
class ByLevels:
    """What rows show by one level of each attribute: codes of the level by code, and labels by these.

    Rows of generalized codes that ``kept`` lacks show nothing.
    """

    codes: tuple[Int32s, ...]
    labels: tuple[pa.Array, ...]
    kept: Int32s

    def __call__(self, codes: Int32s) -> list[pa.Array]:
        """Return what rows of codes show."""
        generalized = np.stack([each[column] for each, column in zip(self.codes, codes.T, strict=True)], axis=1)
        hidden = ~_are_of(generalized, self.kept)
        return [
            label.take(pa.array(column, mask=hidden)) for label, column in zip(self.labels, generalized.T, strict=True)
        ]


def full_domain(
    attributes: Sequence[CodedAttribute], lattice: FrequencyLattice, levels: Sequence[AttributeLevels]
) -> ByLevels | None:
    """Return what persons show by the minimal node that loses least; None where no node satisfies.

    Persons of classes that fail, at most ``lattice.most``, show nothing. They are a class too: where they do not
    satisfy the models together, the smallest other classes join them; where that is more than may be suppressed, nobody
    is.
    """
    search = incognito(lattice)
    if not search.minimal:
        return None
    shares = [widths(*each) for each in zip(attributes, levels, strict=True)]
    found = least(choices(lattice, search.minimal, shares, k=lattice.constraint.k), LossMetric.NCP)
    kept = _satisfying(found, lattice.constraint)
    if found.frequencies.persons[~kept].sum() > lattice.most:
        return full_domain(attributes, replace(lattice, most=0), levels)
    chosen = [*zip(levels, found.node, strict=True)]
    return ByLevels(
        tuple(each.codes[level] for each, level in chosen),
        tuple(pa.array(each.labels[level], pa.string()) for each, level in chosen),
        found.frequencies.codes[kept],
    )


def lattice_of(
    codes: Int32s,
    held: tuple[Int64s, Int32s],
    levels: Sequence[AttributeLevels],
    constraint: ClassConstraint,
    suppression: float,
) -> FrequencyLattice:
    """Count a view: ``held`` are the sensitive values of person p, ``values[offsets[p]:offsets[p + 1]]``."""
    rows, of_person, persons = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    offsets, values = held
    owners = np.repeat(of_person.reshape(-1), np.diff(offsets))
    pairs, counts = np.unique(np.stack([owners, values.astype(np.int64)]), axis=1, return_counts=True)
    none = np.empty(0, np.int64)
    base = FrequencySet(
        codes=rows.astype(np.int32),
        persons=persons.astype(np.int64),
        rows=persons.astype(np.int64),
        population=np.zeros(len(rows), np.int64),
        held=SensitiveValues(pairs[0].astype(np.int64), pairs[1].astype(np.int64), counts.astype(np.int64)),
        scattered=ScatteredPersons(none, none, none, SensitiveValues(none, none, none)),
    )
    return FrequencyLattice(base, levels, constraint, floor(suppression * len(codes)))


def levels_by(attributes: Sequence[CodedAttribute], hierarchies: Mapping[str, ValueHierarchy]) -> list[AttributeLevels]:
    """Return the levels of attributes, of their hierarchies or of such as their values have by themselves."""
    return [levels_of(each, hierarchies.get(each.name) or default_hierarchy(each)) for each in attributes]


def _satisfying(found: NodeChoice, constraint: ClassConstraint) -> Bools:
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


def _are_of(rows: Int32s, among: Int32s) -> Bools:
    """Tell which rows stand among others."""
    distinct, inverse = np.unique(np.concatenate([rows, among.astype(rows.dtype)]), axis=0, return_inverse=True)
    there = np.zeros(len(distinct), np.bool_)
    there[inverse.reshape(-1)[len(rows) :]] = True
    return there[inverse.reshape(-1)[: len(rows)]]
