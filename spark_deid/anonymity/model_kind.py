"""What a privacy model brings: what users are told, what algorithms keep to, and what is recounted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_deid.anonymity.constraint import ClassConstraint
    from spark_deid.anonymity.demands import ModelDemand
    from spark_deid.anonymity.spark.class_table import ClassTable
    from spark_deid.anonymity.spark.figures import ModelFigure

Numbers = tuple[Fraction, ...]
"""The numbers of a demand, such as 3 and 2 of ``recursive-l=3:2``."""


class SensitiveDistance(Enum):
    """How far apart two sensitive values are, for t-closeness; ``AUTO`` goes by the column.

    ``AUTO`` is hierarchical where the column has a hierarchy, ordered for numbers and dates, and equal for others.
    """

    AUTO = "auto"
    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


class ModelNeeds(Enum):
    """What a model needs beside the table and its quasi-identifiers; values are spelled as options."""

    SENSITIVE = "--sensitive"
    POPULATION = "--population"
    PREVIOUS = "--previous"
    PERSON = "--person"
    WORKSPACE = "--workspace"


@dataclass(frozen=True)
class ModelParameter:
    """A parameter: a whole number, or any, within bounds; ``open_ended`` bounds are not reached themselves."""

    least: Fraction
    most: Fraction | None = None
    whole: bool = False
    open_ended: bool = False

    @property
    def expected(self) -> str:
        """Say what may be given."""
        noun = "an integer" if self.whole else "a number"
        lower = f"{'above' if self.open_ended else '>='} {self.least}"
        upper = "" if self.most is None else f" and {'below' if self.open_ended else '<='} {self.most}"
        return f"{noun} {lower}{upper}"

    def read(self, text: str) -> Fraction | None:
        """Return the number that a text is, None where it may not be given."""
        try:
            number = Fraction(text)
        except (ValueError, ZeroDivisionError):
            return None
        above = number > self.least if self.open_ended else number >= self.least
        below = self.most is None or (number < self.most if self.open_ended else number <= self.most)
        return number if above and below and not (self.whole and number.denominator != 1) else None


@dataclass(frozen=True, kw_only=True)
class ModelWords:
    """What a model says of itself: the name of its assessment, how it is asked for, and what it says of a class."""

    guarantee: str
    example: str
    describe: str


@dataclass(frozen=True, kw_only=True)
class ModelKind(ModelWords):
    """A privacy model.

    ``tighten`` makes the constraint that algorithms keep to as strict as the model is: it may be stricter, never less
    strict, than the model. ``count`` gives the model's figures of the classes of a written table, and shares nothing
    with what algorithms keep to; the gate goes by it alone. ``wrong`` says what is wrong with numbers, if anything.

    ``needs`` are what must be given, ``uses`` what may be; ``required_models`` those without which this one promises
    nothing. Where two classes satisfy a ``monotone`` model, so does their union; an ``absorbing`` one holds for a union
    where it holds for one of the two, and only then does the number of rows to suppress never grow as a table is
    generalized. ``recoding`` names the only algorithm that keeps it, None where any may.
    ``matches_persons`` tells that persons of several sensitive values count for one each, ``single_valued`` that such
    persons are refused. ``of_texts`` tells that it is
    recounted in the texts of an identifier view, too.
    """

    numbers: tuple[ModelParameter, ...]
    tighten: "Callable[[ClassConstraint, Numbers], ClassConstraint]"
    count: "Callable[[ClassTable, ModelDemand], Sequence[ModelFigure]]"
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
