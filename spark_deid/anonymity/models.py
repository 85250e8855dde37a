"""Privacy models by name.

A model says what every *class* must satisfy: the rows that agree on all quasi-identifiers. Classes are counted by
persons; without a person column every row is a person of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

K, L, FREQUENCY, ENTROPY, RECURSIVE = "k", "l", "frequency-l", "entropy-l", "recursive-l"
T, DELTA, ALPHA, M = "t", "delta", "alpha", "m"


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


@dataclass(frozen=True)
class ModelKind:
    """A privacy model.

    ``guarantee`` is the assessment's name, ``example`` how it is asked for. Where two classes satisfy a ``monotone``
    model, so does their union; an ``absorbing`` one holds for a union where it holds for one of the two, and only then
    does the number of rows to suppress never grow as a table is generalized.
    """

    guarantee: str
    numbers: tuple[ModelParameter, ...]
    example: str
    describe: str
    needs: tuple[ModelNeeds, ...] = ()
    monotone: bool = True
    absorbing: bool = False


_ONE, _NOTHING = Fraction(1), Fraction(0)
_SHARE = (_NOTHING, _ONE)

MODELS: Mapping[str, ModelKind] = MappingProxyType(
    {
        K: ModelKind(
            "k-anonymous",
            (ModelParameter(Fraction(2), whole=True),),
            "k=5",
            "a class has at least k persons",
            absorbing=True,
        ),
        L: ModelKind(
            "l-diverse",
            (ModelParameter(Fraction(2), whole=True),),
            "l=2",
            "a class has at least l sensitive values",
            (ModelNeeds.SENSITIVE,),
            absorbing=True,
        ),
        FREQUENCY: ModelKind(
            "frequency-l-diverse",
            (ModelParameter(_ONE, open_ended=True),),
            "frequency-l=2",
            "no sensitive value is held by more than 1/l of a class's persons",
            (ModelNeeds.SENSITIVE,),
        ),
        ENTROPY: ModelKind(
            "entropy-l-diverse",
            (ModelParameter(_ONE, open_ended=True),),
            "entropy-l=2",
            "the entropy of a class's sensitive values is at least log l",
            (ModelNeeds.SENSITIVE,),
        ),
        RECURSIVE: ModelKind(
            "recursive-l-diverse",
            (ModelParameter(_NOTHING, open_ended=True), ModelParameter(Fraction(2), whole=True)),
            "recursive-l=3:2",
            "a class's most frequent sensitive value is held less than c times as often as all from the l-th on",
            (ModelNeeds.SENSITIVE,),
        ),
        T: ModelKind(
            "t-close",
            (ModelParameter(_NOTHING, _ONE),),
            "t=0.2",
            "a class's sensitive values are at most t from those of the table, by the earth mover's distance",
            (ModelNeeds.SENSITIVE,),
        ),
        DELTA: ModelKind(
            "delta-present",
            (ModelParameter(*_SHARE), ModelParameter(*_SHARE)),
            "delta=0.1:0.6",
            "of the population's persons that a class may stand for, a share between two bounds is in the table",
            (ModelNeeds.POPULATION,),
        ),
        ALPHA: ModelKind(
            "alpha-k-anonymous",
            (ModelParameter(*_SHARE, open_ended=True),),
            "alpha=0.5",
            "no sensitive value is held by more than alpha of a class's persons",
            (ModelNeeds.SENSITIVE,),
        ),
        M: ModelKind(
            "m-invariant",
            (ModelParameter(Fraction(2), whole=True),),
            "m=3",
            "a class has at least m persons, all of different sensitive values; who was released before is in a class"
            " of the same values as then",
            (ModelNeeds.SENSITIVE, ModelNeeds.PERSON),
            monotone=False,
        ),
    }
)
