"""A model with its numbers, and what follows from it without a look at a table.

No class here knows tables or figures: these are typed by claims, which hold demands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from spark_deid.anonymity.model_options import ModelNeeds, ModelParameter, Numbers

if TYPE_CHECKING:
    from spark_deid.anonymity.constraint import ClassConstraint


@dataclass(frozen=True, kw_only=True)
class ModelWords:
    """The name of a model's assessment, an example of its use, and a sentence about each class."""

    guarantee: str
    example: str
    describe: str


@dataclass(frozen=True, kw_only=True)
class ModelRule(ModelWords):
    """The part of a privacy model that needs no table: its numbers, its needs and its constraint.

    ``tighten`` makes the constraint of algorithms as strict as the model. The result may be stricter than the model,
    never less strict. ``wrong`` returns the fault of numbers, or None.

    ``needs`` must be given, ``uses`` may be. Without ``required_models`` the model promises nothing. The union of two
    classes that satisfy a ``monotone`` model satisfies it. The union of a class that satisfies an ``absorbing`` model
    with any class satisfies it; only then does generalization never increase the rows to suppress. ``recoding`` names
    the only algorithm that keeps the model, None for any. If ``matches_persons``, people with several sensitive values
    count once for each; if ``single_valued``, such people are refused. Texts of an identifier view are recounted for
    ``of_texts``.
    """

    numbers: tuple[ModelParameter, ...]
    tighten: "Callable[[ClassConstraint, Numbers], ClassConstraint]"
    wrong: Callable[[Numbers], str | None] | None = None
    needs: tuple[ModelNeeds, ...] = ()
    uses: tuple[ModelNeeds, ...] = ()
    required_models: tuple[str, ...] = ()
    monotone: bool = True
    absorbing: bool = False
    recoding: str | None = None
    matches_persons: bool = False
    single_valued: bool = False
    of_texts: bool = False

    @property
    def looked_at(self) -> frozenset[ModelNeeds]:
        """Return what the model looks at where it is given."""
        return frozenset((*self.needs, *self.uses))


@dataclass(frozen=True)
class ModelDemand:
    """A model with its numbers, such as ``recursive-l=3:2``."""

    name: str
    numbers: tuple[Fraction, ...]
    kind: ModelRule = field(repr=False, compare=False)

    @property
    def parameters(self) -> str:
        """Return the demand as it is typed."""
        return f"{self.name}={':'.join(map(_number_text, self.numbers))}"


@dataclass(frozen=True)
class ModelDemands:
    """Models that every class must satisfy, all of them."""

    demands: tuple[ModelDemand, ...]

    def __contains__(self, name: str) -> bool:
        return any(demand.name == name for demand in self.demands)

    def __str__(self) -> str:
        return ",".join(demand.parameters for demand in self.demands)

    def numbers(self, name: str, *absent: int) -> tuple[Fraction, ...]:
        """Return the numbers of a model, ``absent`` where it is not asked for."""
        found = (demand.numbers for demand in self.demands if demand.name == name)
        return next(found, tuple(map(Fraction, absent)))

    def tighten(self, constraint: "ClassConstraint") -> "ClassConstraint":
        """Return a constraint that is as strict as all models."""
        for demand in self.demands:
            constraint = demand.kind.tighten(constraint, demand.numbers)
        return constraint

    @property
    def guarantees(self) -> tuple[str, ...]:
        """Return the names of the assessments that a table needs to pass the gate."""
        return tuple(demand.kind.guarantee for demand in self.demands)

    @property
    def needs(self) -> frozenset[ModelNeeds]:
        """Return all that the models need."""
        return frozenset(need for demand in self.demands for need in demand.kind.needs)

    @property
    def monotone(self) -> bool:
        """Return whether the union of two classes that satisfy all models satisfies them."""
        return all(demand.kind.monotone for demand in self.demands)

    @property
    def absorbing(self) -> bool:
        """Return whether a union satisfies all models where one of its classes does."""
        return all(demand.kind.absorbing for demand in self.demands)


def _number_text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"
