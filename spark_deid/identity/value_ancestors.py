"""What values of an attribute lie under, by the rows of a hierarchy."""

from collections.abc import Mapping
from dataclasses import dataclass

from spark_deid.identity.generalized_values import Above
from spark_deid.ontology.hierarchy import ValueHierarchy


@dataclass(frozen=True)
class ValueAncestors:
    """What values lie under by the rows of a hierarchy; a value lies under itself, one that it lacks under nothing."""

    rows: Mapping[str, frozenset[str]]

    def __call__(self, value: str) -> frozenset[str]:
        """Return the labels of a value's row."""
        return self.rows.get(value, frozenset())


def ancestors_of(hierarchies: Mapping[str, ValueHierarchy]) -> dict[str, Above]:
    """Return what values lie under, by attribute."""
    return {name: ValueAncestors({row[0]: frozenset(row) for row in each.rows}) for name, each in hierarchies.items()}
