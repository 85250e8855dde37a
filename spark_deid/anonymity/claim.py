"""The claim of a table: the roles of its columns, and the models that its classes satisfy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from spark_deid.anonymity.column_type import NO_TYPES, ColumnTypes
from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.model_options import ModelNeeds, SensitiveDistance
from spark_deid.core.column_names import columns_text
from spark_deid.core.errors import UsageError

HierarchyRows = tuple[tuple[str, ...], ...]
"""The rows of a hierarchy: a value, then what it becomes level by level."""


@dataclass(frozen=True)
class PrivacyClaim:
    """The columns of a table and the models that it satisfies.

    Attributes:
        quasi: The quasi-identifiers.
        models: The models.
        sensitive: The sensitive attributes.
        person: The column of people. Without it every row is a separate person.
        distance: The distance of sensitive values, for t-closeness.
        hierarchies: The hierarchies of columns that have one.
        types: The types of columns of text that were read as numbers or dates. Claims do not depend on them.
    """

    quasi: tuple[str, ...]
    models: ModelDemands
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    distance: SensitiveDistance = SensitiveDistance.AUTO
    hierarchies: Mapping[str, HierarchyRows] = field(default_factory=lambda: MappingProxyType({}))
    types: ColumnTypes = field(default_factory=lambda: NO_TYPES, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all columns that the claim speaks of."""
        return (*self.quasi, *self.sensitive, *(() if self.person is None else (self.person,)))

    @property
    def given(self) -> frozenset[ModelNeeds]:
        """Return what of the models' needs the claim itself has."""
        has = {ModelNeeds.SENSITIVE: bool(self.sensitive), ModelNeeds.PERSON: self.person is not None}
        return frozenset(need for need, there in has.items() if there)


def check_claim(claim: PrivacyClaim, further: Iterable[ModelNeeds] = ()) -> None:
    """Raise UsageError if a column occurs twice or a model lacks a need; ``further`` needs are met."""
    wrong = [f"{name}: listed more than once" for name in _repeated(claim.columns)]
    missing = claim.models.needs - claim.given - frozenset(further)
    wrong += [f"--model {claim.models}: needs {need.value}" for need in sorted(missing, key=lambda need: need.value)]
    if claim.distance is SensitiveDistance.HIERARCHICAL:
        lacking = sorted(set(claim.sensitive) - set(claim.hierarchies))
        wrong += [
            f"--distance hierarchical: expected a hierarchy of {name}. Add {name}.csv to --hierarchies"
            for name in lacking
        ]
    if wrong:
        raise UsageError("\n".join(wrong))


def check_columns(claim: PrivacyClaim, present: Iterable[str], place: str = "the table") -> None:
    """Raise UsageError for the columns of a claim that a table lacks; ``place`` names the table."""
    columns = tuple(present)
    absent = [name for name in claim.columns if name not in columns]
    if absent:
        raise UsageError(f"{', '.join(absent)}: expected columns of {place}; {columns_text(columns)}")


def _repeated(names: tuple[str, ...]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})
