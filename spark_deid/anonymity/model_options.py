"""Options of privacy models: names of built-in models, their numbers, needs, and the distance of values."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

K, L, FREQUENCY, ENTROPY, RECURSIVE = "k", "l", "frequency-l", "entropy-l", "recursive-l"
T, DELTA, ALPHA, M = "t", "delta", "alpha", "m"

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
        """Read a number.

        Args:
            text: The number as it is typed.

        Returns:
            The number, or None if it is not allowed.
        """
        try:
            number = Fraction(text)
        except (ValueError, ZeroDivisionError):
            return None
        above = number > self.least if self.open_ended else number >= self.least
        below = self.most is None or (number < self.most if self.open_ended else number <= self.most)
        return number if above and below and not (self.whole and number.denominator != 1) else None
