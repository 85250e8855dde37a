"""The privacy models of this package: what algorithms keep to of each, and which figures are recounted."""

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING

from spark_deid.anonymity.constraint import ClassConstraint, as_ratio, with_share
from spark_deid.anonymity.model_options import ModelNeeds, ModelParameter, Numbers
from spark_deid.anonymity.models import ModelKind
from spark_deid.core.lazy_names import LazyModule

if TYPE_CHECKING:
    from spark_deid.anonymity.model_demand import ModelDemand
    from spark_deid.anonymity.spark import figures
    from spark_deid.anonymity.spark.class_table import ClassTable
    from spark_deid.anonymity.spark.figures import ModelFigure
else:
    figures = LazyModule("spark_deid.anonymity.spark.figures")

_ONE, _NOTHING = Fraction(1), Fraction(0)
_SHARE = (_NOTHING, _ONE)
_OF_SENSITIVE = (ModelNeeds.SENSITIVE,)


def _at_least(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return constraint._replace(k=max(constraint.k, int(numbers[0])))


def _sizes(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.sizes(table, demand)


K_ANONYMITY = ModelKind(
    guarantee="k-anonymous",
    numbers=(ModelParameter(Fraction(2), whole=True),),
    example="k=5",
    describe="every equivalence class has at least k people",
    tighten=_at_least,
    count=_sizes,
    absorbing=True,
    of_texts=True,
)


def _distinct(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return constraint._replace(distinct=max(constraint.distinct, int(numbers[0])))


def _matched_figures(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.count_matched_persons(table, demand)


L_DIVERSITY = ModelKind(
    guarantee="l-diverse",
    numbers=(ModelParameter(Fraction(2), whole=True),),
    example="l=2",
    describe="l people of a class can have l different sensitive values, one per person",
    tighten=_distinct,
    count=_matched_figures,
    needs=_OF_SENSITIVE,
    absorbing=True,
    matches_persons=True,
    of_texts=True,
)


def _one_in(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return with_share(constraint, 1 / numbers[0])


def _one_in_figures(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.of_each_sensitive(table, demand, figures.one_in, of_persons=True)


FREQUENCY_L_DIVERSITY = ModelKind(
    guarantee="frequency-l-diverse",
    numbers=(ModelParameter(_ONE, open_ended=True),),
    example="frequency-l=2",
    describe="at most 1/l of the people of a class have the same sensitive value",
    tighten=_one_in,
    count=_one_in_figures,
    needs=_OF_SENSITIVE,
    of_texts=True,
)


def _entropy(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return constraint._replace(entropy=max(constraint.entropy, log(numbers[0])))


def _entropy_figures(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return *figures.of_each_sensitive(table, demand, figures.entropy), *figures.single_valued(table, demand)


ENTROPY_L_DIVERSITY = ModelKind(
    guarantee="entropy-l-diverse",
    numbers=(ModelParameter(_ONE, open_ended=True),),
    example="entropy-l=2",
    describe="the entropy of the sensitive values of a class is at least log l",
    tighten=_entropy,
    count=_entropy_figures,
    needs=_OF_SENSITIVE,
    single_valued=True,
)


def _recursive(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return constraint._replace(c=as_ratio(numbers[0]), tail=int(numbers[1]))


def _recursive_figures(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    result = figures.of_each_sensitive(table, demand, figures.recursive, tail=int(demand.numbers[-1]))
    return *result, *figures.single_valued(table, demand)


RECURSIVE_L_DIVERSITY = ModelKind(
    guarantee="recursive-l-diverse",
    numbers=(ModelParameter(_NOTHING, open_ended=True), ModelParameter(Fraction(2), whole=True)),
    example="recursive-l=3:2",
    describe="in every class, the most frequent sensitive value occurs less than c times as often as all values from "
    "the l-th on",
    tighten=_recursive,
    count=_recursive_figures,
    needs=_OF_SENSITIVE,
    single_valued=True,
)


def _near(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return constraint._replace(t=min(constraint.t, float(numbers[0])))


def _distances(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.closeness(table, demand)


T_CLOSENESS = ModelKind(
    guarantee="t-close",
    numbers=(ModelParameter(_NOTHING, _ONE),),
    example="t=0.2",
    describe="the distance of a class's sensitive values from those of the table is at most t (earth mover's distance)",
    tighten=_near,
    count=_distances,
    needs=_OF_SENSITIVE,
)


def _present(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    lower, upper = numbers
    return constraint._replace(lower=as_ratio(lower), upper=as_ratio(upper))


def _in_order(numbers: Numbers) -> str | None:
    return "the smaller fraction first" if numbers[0] > numbers[1] else None


def _presence(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.presence(table, demand)


DELTA_PRESENCE = ModelKind(
    guarantee="delta-present",
    numbers=(ModelParameter(*_SHARE), ModelParameter(*_SHARE)),
    example="delta=0.1:0.6",
    describe="the fraction of the people of the population that a class can represent and that are in the table is "
    "between two bounds",
    tighten=_present,
    count=_presence,
    wrong=_in_order,
    needs=(ModelNeeds.POPULATION,),
)


def _share(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return with_share(constraint, numbers[0])


def _share_figures(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.of_each_sensitive(table, demand, figures.share, of_persons=True)


ALPHA_K_ANONYMITY = ModelKind(
    guarantee="alpha-k-anonymous",
    numbers=(ModelParameter(*_SHARE, open_ended=True),),
    example="alpha=0.5",
    describe="at most the fraction alpha of the people of a class have the same sensitive value",
    tighten=_share,
    count=_share_figures,
    needs=_OF_SENSITIVE,
    required_models=("k",),
    of_texts=True,
)


def _unique(constraint: ClassConstraint, numbers: Numbers) -> ClassConstraint:
    return _at_least(_distinct(constraint, numbers), numbers)._replace(unique=True)


def _invariance(table: "ClassTable", demand: "ModelDemand") -> Sequence["ModelFigure"]:
    return figures.invariance(table, demand)


M_INVARIANCE = ModelKind(
    guarantee="m-invariant",
    numbers=(ModelParameter(Fraction(2), whole=True),),
    example="m=3",
    describe="every class has at least m people, all with different sensitive values. People of an earlier release are "
    "in a class with the same values",
    tighten=_unique,
    count=_invariance,
    needs=(ModelNeeds.SENSITIVE, ModelNeeds.PERSON, ModelNeeds.WORKSPACE),
    uses=(ModelNeeds.PREVIOUS,),
    monotone=False,
    recoding="m-invariance",
)
