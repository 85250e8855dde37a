"""What the recount asks of classes, in numbers."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from spark_deid.identity.settings import IdentityKeys

NONE_STAYS: frozenset[str] = frozenset()


class ClassDemands(NamedTuple):
    """What classes must satisfy, in numbers, and which sensitive attributes stay (see ``count_class``)."""

    k: int
    shares: tuple[Fraction, ...]
    distinct: Mapping[str, int]
    staying: frozenset[str]

    @classmethod
    def of(cls, keys: IdentityKeys, staying: frozenset[str] = NONE_STAYS) -> "ClassDemands":
        """Return the demands of a plan: how great a part may hold one value, and how many values must be held."""
        models, sensitive = keys.classes.models, keys.identity.roles.sensitive
        least = (1 / numbers[0] for numbers in (models.numbers("frequency-l"),) if numbers)
        asked = models.numbers("l")
        distinct = {name: int(asked[0]) for name in sensitive} if asked else {}
        return cls(keys.classes.k, (*least, *models.numbers("alpha")), distinct, staying)
