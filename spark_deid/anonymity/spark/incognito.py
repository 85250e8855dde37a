"""Full-domain recoding of tables by Incognito: searched on frequency sets that Spark counts, applied where rows are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import floor
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, BooleanType, StringType, StructField, StructType

from spark_deid.anonymity.attribute import UNKNOWN, AttributeOrder, CodedAttribute, default_hierarchy
from spark_deid.anonymity.choice import NodeChoice, choose_least_loss, measure_nodes, sizes_of, widths
from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.coding import CodedTable, codes_of, without_need
from spark_deid.anonymity.constraint import ClassConstraint, SensitiveCodes, free_constraint, sensitive_of
from spark_deid.anonymity.fitted import FITTED, OUTSIDE, SHORT
from spark_deid.anonymity.fitted_levels import FittedLevels, save_levels
from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.incognito import FrequencyLattice, LatticeSearch, find_minimal_nodes
from spark_deid.anonymity.lattice import AttributeLevels, levels_of
from spark_deid.anonymity.model_options import K, M
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.risk import Sizes, class_sizes, risk_of
from spark_deid.anonymity.spark.columns import attributes_of, column, distinct_values, has_lists, sensitive_attributes
from spark_deid.anonymity.spark.frequencies import frequency_set, pack_rows
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.engine import functions as F
from spark_deid.engine.tasks import map_rows
from spark_deid.ontology.hierarchy import ValueHierarchy

_FITS = "values of a row fit fitted levels"
_CLASS, _ONE = "class of a full-domain recoding", "person of one class"


@dataclass(frozen=True)
class FullDomain:
    """A search's minimal nodes, and the one of them that is taken; ``lattice`` is what was searched."""

    claim: PrivacyClaim
    attributes: tuple[CodedAttribute, ...]
    lattice: FrequencyLattice
    search: LatticeSearch
    choice: NodeChoice

    @property
    def levels(self) -> Sequence[AttributeLevels]:
        """Return the levels of each attribute."""
        return self.lattice.levels

    @property
    def before(self) -> Sizes:
        """Return the sizes of the classes of untouched values."""
        return sizes_of(self.lattice.base)

    @property
    def summary(self) -> dict[str, object]:
        """Return what may be said of it in public: levels and counts, no values."""
        loss = self.choice.loss
        return {
            "nodes": self.search.nodes,
            "nodes_looked_at": self.search.looked_at,
            "minimal_nodes": [self._named(node) for node in self.search.minimal],
            "node": self._named(self.choice.node),
            "heights": self._named(tuple(each.height for each in self.levels)),
            "suppressed_rows": self.choice.outcome.suppressed,
            "suppressed_rows_of_parted_persons": self.choice.outcome.scattered,
            "parted_persons": self.choice.parted_persons,
            "loss": vars(loss),
            "risk": {"before": vars(risk_of(self.before)), "after": vars(risk_of(self.choice.sizes))},
        }

    def _named(self, node: tuple[int, ...]) -> dict[str, int]:
        return dict(zip(self.claim.quasi, node, strict=True))


def search_full_domain(
    table: DataFrame,
    claim: PrivacyClaim,
    *,
    suppression: float = 0.0,
    population: DataFrame | None = None,
    metric: LossMetric = LossMetric.NCP,
) -> FullDomain:
    """Search a table's generalizations, a level for each quasi-identifier; columns without hierarchy get one.

    At most the share ``suppression`` of the rows may be left out. ``population`` has all whom the table may be about,
    a person a row, by the same quasi-identifiers. Runs two Spark jobs, three with a population. Raises GateRefused
    where no generalization satisfies the models.
    """
    _check(table, claim, population)
    hierarchies = {name: ValueHierarchy(rows, f"hierarchy of {name}") for name, rows in claim.hierarchies.items()}
    coded = CodedTable(
        attributes_of([table, *([] if population is None else [population])], claim.quasi, hierarchies, claim.types),
        sensitive_attributes(table, claim.sensitive, hierarchies, claim.distance),
        by_person=claim.person is not None,
    )
    base = frequency_set(table, coded, claim.person, population)
    levels = tuple(_levels(attribute, hierarchies) for attribute in coded.quasi)
    most = floor(suppression * base.all_rows)
    monotone = claim.models.monotone and (most == 0 or claim.models.absorbing)
    lattice = FrequencyLattice(base, levels, _constraint(table, claim, coded, base), most, monotone)
    return chosen_full_domain(claim, coded.quasi, lattice, metric)


def chosen_full_domain(
    claim: PrivacyClaim,
    attributes: tuple[CodedAttribute, ...],
    lattice: FrequencyLattice,
    metric: LossMetric,
    search: LatticeSearch | None = None,
) -> FullDomain:
    """Search a lattice that was counted, unless that was done, and choose a node.

    Raises GateRefused if no node satisfies the models.
    """
    search = search or find_minimal_nodes(lattice)
    if not search.minimal:
        raise GateRefused(
            f"no generalization satisfies {claim.models} if at most {lattice.most} rows may be suppressed. Raise "
            "--suppression, or weaken the models"
        )
    shares = [widths(*each) for each in zip(attributes, lattice.levels, strict=True)]
    (k,) = claim.models.numbers(K, 1)
    found = choose_least_loss(measure_nodes(lattice, search.minimal, shares, k=int(k)), metric)
    return FullDomain(claim, attributes, lattice, search, found)


@dataclass(frozen=True)
class FullDomainResult:
    """A table as it may be published, and what is told of it: counts and levels, no values.

    ``before`` and ``after`` tell how many classes have so many persons, where that is known.
    """

    table: DataFrame
    summary: Mapping[str, object]
    before: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    after: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


def recode_by_incognito(
    table: DataFrame,
    claim: PrivacyClaim,
    *,
    suppression: float = 0.0,
    population: DataFrame | None = None,
    metric: LossMetric = LossMetric.NCP,
    private: Path | None = None,
) -> FullDomainResult:
    """Search a table's generalizations and recode it by the one that loses least; see ``search_full_domain``.

    ``fitted`` in a ``private`` folder keeps its levels.
    """
    found = search_full_domain(table, claim, suppression=suppression, population=population, metric=metric)
    if private is not None:
        (private / FITTED).mkdir(mode=0o700)
        save_levels(private / FITTED, claim, found.attributes, found.choice.node)
    return FullDomainResult(
        recode(table, found), found.summary, class_sizes(found.before), class_sizes(found.choice.sizes)
    )


def apply_levels(table: DataFrame, claim: PrivacyClaim, fitted: FittedLevels) -> FullDomainResult:
    """Recode a batch by the levels of an earlier table.

    Rows with values that do not fit are omitted, with all rows of their people. Then classes that do not satisfy the
    models on the batch are omitted. Raises GateRefused if no class remains.
    """
    _check(table, claim, None)
    values = distinct_values([table], claim.quasi)
    made = [fitted.extended(place, values[name]) for place, name in enumerate(claim.quasi)]
    quasi, levels = tuple(each[0] for each in made), tuple(each[1] for each in made)
    fitting = _with_fitting_values(table, claim, quasi)
    outside = table.count() - fitting.count()
    refused = GateRefused("the table is not written: no class of the fitted levels satisfies the models on this table")
    if fitting.isEmpty():
        raise refused
    hierarchies = {name: ValueHierarchy(rows, f"hierarchy of {name}") for name, rows in claim.hierarchies.items()}
    coded = CodedTable(
        quasi,
        sensitive_attributes(fitting, claim.sensitive, hierarchies, claim.distance),
        by_person=claim.person is not None,
    )
    base = frequency_set(fitting, coded, claim.person, None)
    lattice = FrequencyLattice(base, levels, _constraint(fitting, claim, coded, base), base.all_rows)
    node = tuple(min(level, each.height) for level, each in zip(fitted.node, levels, strict=True))
    if not lattice.outcome(lattice.at(node)).within(base.all_rows):
        raise refused
    found = chosen_full_domain(claim, quasi, lattice, LossMetric.NCP, LatticeSearch((node,), 1, 1))
    short = found.choice.outcome.suppressed
    summary = {
        **found.summary,
        "suppressed_rows": outside + short,
        "suppressed_rows_by_reason": {OUTSIDE: outside, SHORT: short},
    }
    return FullDomainResult(recode(fitting, found), summary, class_sizes(found.before), class_sizes(found.choice.sizes))


def _with_fitting_values(table: DataFrame, claim: PrivacyClaim, quasi: Sequence[CodedAttribute]) -> DataFrame:
    """Return the rows whose values all fit, without people who have another row."""
    places = tuple(table.columns.index(each.name) for each in quasi)
    schema = StructType([*table.schema, StructField(_FITS, BooleanType())])
    rows = map_rows(table, partial(_fitted_rows, places=places, attributes=tuple(quasi)), schema)
    fits = rows.where(F.col(_FITS)).drop(_FITS)
    if claim.person is None:
        return fits
    others = rows.where(~F.col(_FITS)).select(column(claim.person).alias(_ONE)).distinct()
    return fits.join(others, on=column(claim.person) == column(_ONE), how="left_anti")


def _fitted_rows(
    batches: Iterator[pa.RecordBatch], *, places: tuple[int, ...], attributes: tuple[CodedAttribute, ...]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        fits = np.ones(batch.num_rows, np.bool_)
        for place, attribute in zip(places, attributes, strict=True):
            fits &= codes_of(attribute, batch.column(place)) != UNKNOWN
        yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(fits)], names=[*batch.schema.names, _FITS])


def recode(table: DataFrame, found: FullDomain) -> DataFrame:
    """Return a table's rows as their classes show them; quasi-identifiers become text, other columns stay.

    Rows of classes that fail, and of persons whose rows are in several classes, are left out.
    """
    return _kept(_with_labels(table, found), found).drop(_CLASS)


def recode_or_hide(table: DataFrame, found: FullDomain) -> DataFrame:
    """Return a table's rows as ``recode`` does, but that rows of classes that fail stay, and show nothing."""
    recoded = _with_labels(table, found)
    if not (~found.choice.outcome.kept & (found.choice.frequencies.persons > 0)).any():
        return recoded.drop(_CLASS)
    kept = _kept_classes(recoded, found).withColumn(_ONE, F.lit(True))
    there = recoded.join(F.broadcast(kept), on=_CLASS, how="left")
    shown = {name: F.when(F.col(_ONE), column(name)) for name in found.claim.quasi}
    return there.select(*(shown.get(name, column(name)).alias(name) for name in table.columns))


def _with_labels(table: DataFrame, found: FullDomain) -> DataFrame:
    """Return all rows with what classes show in place of quasi-identifiers, and the class behind all columns."""
    claim, node = found.claim, found.choice.node
    shown = dict.fromkeys(claim.quasi, StringType())
    fields = [StructField(each.name, shown.get(each.name, each.dataType)) for each in table.schema]
    at = {name: place for place, name in enumerate(table.columns)}
    places = tuple(at[name] for name in claim.quasi)
    codes = tuple(each.codes[level] for each, level in zip(found.levels, node, strict=True))
    labels = tuple(pa.array(each.labels[level], pa.string()) for each, level in zip(found.levels, node, strict=True))
    shows = partial(_labelled, places=places, attributes=found.attributes, codes=codes, labels=labels)
    return map_rows(table, shows, StructType([*fields, StructField(_CLASS, BinaryType())]))


def _kept(recoded: DataFrame, found: FullDomain) -> DataFrame:
    """Leave out the rows of classes that fail, and of persons in several classes."""
    outcome, person = found.choice.outcome, found.claim.person
    if not outcome.suppressed:
        return recoded
    if person is not None and outcome.scattered:
        classes = recoded.groupBy(column(person)).agg(F.min(_CLASS).alias("least"), F.max(_CLASS).alias("greatest"))
        whole = classes.where(F.col("least") == F.col("greatest")).select(column(person).alias(_ONE))
        recoded = recoded.join(whole, on=column(person) == column(_ONE), how="left_semi")
    return recoded.join(_kept_classes(recoded, found), on=_CLASS, how="left_semi").select(*map(column, recoded.columns))


def _kept_classes(recoded: DataFrame, found: FullDomain) -> DataFrame:
    kept = pa.table({_CLASS: pack_rows(found.choice.frequencies.codes[found.choice.outcome.kept])})
    return recoded.sparkSession.createDataFrame(kept)


def _labelled(
    batches: Iterator[pa.RecordBatch],
    *,
    places: tuple[int, ...],
    attributes: tuple[CodedAttribute, ...],
    codes: tuple[Int32s, ...],
    labels: tuple[pa.Array, ...],
) -> Iterator[pa.RecordBatch]:
    """Put labels in place of quasi-identifiers, and the codes of the class behind all columns."""
    for batch in batches:
        columns = list(batch.columns)
        classes = np.empty((batch.num_rows, len(places)), np.int32)
        for at, (place, attribute) in enumerate(zip(places, attributes, strict=True)):
            found = attribute.encode(columns[place])
            if (found == UNKNOWN).any():
                raise SparkDeidError(
                    f"column {attribute.name}: the values changed during the run. Run it again on unchanged data"
                )
            classes[:, at] = codes[at][found]
            columns[place] = labels[at].take(pa.array(classes[:, at]))
        yield pa.RecordBatch.from_arrays([*columns, pack_rows(classes)], names=[*batch.schema.names, _CLASS])


def _check(table: DataFrame, claim: PrivacyClaim, population: DataFrame | None) -> None:
    check_columns(claim, table.columns)
    if M in claim.models:
        raise UsageError("--model m: not available with full-domain recoding. Set --algorithm mondrian")
    if population is not None:
        lacking = [name for name in claim.quasi if name not in population.columns]
        if lacking:
            raise UsageError(f"--population: lacks the columns {', '.join(lacking)}")


def _levels(attribute: CodedAttribute, hierarchies: Mapping[str, ValueHierarchy]) -> AttributeLevels:
    if attribute.size == 1:
        return AttributeLevels(np.zeros((1, 1), np.int32), ((None,),))
    return levels_of(attribute, hierarchies.get(attribute.name) or default_hierarchy(attribute))


def _constraint(table: DataFrame, claim: PrivacyClaim, coded: CodedTable, base: FrequencySet) -> ClassConstraint:
    people = _holders(base, int(coded.offsets[-1]))
    parts = np.split(people, coded.offsets[1:-1]) if coded.sensitive else []
    each = zip(coded.sensitive, parts, strict=True)
    constraint = claim.models.tighten(free_constraint([_sensitive(claim, *pair) for pair in each]))
    return without_need(constraint, claim) if any(has_lists(table, n) for n in claim.sensitive) else constraint


def _holders(base: FrequencySet, size: int) -> Int64s:
    """Return how many persons of the table hold each sensitive value."""
    people = np.bincount(base.held.values, weights=base.held.counts, minlength=size)
    people += np.bincount(base.scattered.held.values, minlength=size)
    return people.astype(np.int64)


def _sensitive(claim: PrivacyClaim, attribute: CodedAttribute, persons: Int64s) -> SensitiveCodes:
    ordered = attribute.kind in (AttributeOrder.NUMBER, AttributeOrder.DATE)
    ancestors = None
    if attribute.tree is not None:
        rows = claim.hierarchies[attribute.name]
        ancestors = levels_of(attribute, ValueHierarchy(rows)).codes[:-1].astype(np.int64)
    return sensitive_of(persons, claim.distance, ordered=ordered, ancestors=ancestors)
