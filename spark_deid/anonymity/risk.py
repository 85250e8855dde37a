"""How likely somebody is to be found again in a table, by the sizes of its classes.

El Emam, "Guide to the De-Identification of Personal Health Information" (2013), ch. 16: a *prosecutor* knows that a
person is in the table, a *journalist* only that the person is in the population, and a *marketer* wants to find as many
as possible.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Sizes = Mapping[tuple[int, int], int]
"""How many classes have so many persons of the table, and may stand for so many of the population."""


@dataclass(frozen=True)
class ReidentificationRisk:
    """Chances to be found again: the highest of all persons, and of the marketer the expected share of all.

    ``unique`` is the share of the table's persons that are alone in their class.
    """

    prosecutor: float
    journalist: float
    marketer: float
    unique: float


def risk_of(sizes: Sizes) -> ReidentificationRisk:
    """Return the risks of a table; a class of the population is as large as the table's where nothing is known.

    >>> risk_of({(2, 4): 1, (1, 10): 2})
    ReidentificationRisk(prosecutor=1.0, journalist=0.25, marketer=0.175, unique=0.5)
    """
    filled = {(inside, max(inside, outside)): number for (inside, outside), number in sizes.items() if inside}
    people = sum(inside * number for (inside, _), number in filled.items())
    if not people:
        return ReidentificationRisk(0.0, 0.0, 0.0, 0.0)
    expected = sum(number * inside / outside for (inside, outside), number in filled.items())
    single = sum(number for (inside, _), number in filled.items() if inside == 1)
    return ReidentificationRisk(
        prosecutor=1 / min(inside for inside, _ in filled),
        journalist=1 / min(outside for _, outside in filled),
        marketer=expected / people,
        unique=single / people,
    )


def class_sizes(sizes: Sizes) -> dict[int, int]:
    """Return how many classes have so many persons of the table, smallest first."""
    counted: dict[int, int] = {}
    for (inside, _), number in sorted(sizes.items()):
        counted[inside] = counted.get(inside, 0) + number
    return counted
