"""The objects that a run lends to its methods, and the view that they have of their plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Materialize = Callable[[str, "DataFrame"], "DataFrame"]
"""Write a table under a name and return it as read back."""


class PlanSection(BaseModel):
    """A section of a plan: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoSettings(PlanSection):
    """The section of a method without options."""


@dataclass(frozen=True)
class LabelRule:
    """The technique of a label's spans.

    Attributes:
        technique: The name of the technique.
        settings: Its settings.
    """

    technique: str
    settings: PlanSection


class DetectorSections(Protocol):
    """A view of a plan's settings for a detector."""

    def given(self, name: str) -> Any:
        """Return the settings of a detector.

        Args:
            name: The name of the detector.

        Returns:
            The settings, or None without such a section.
        """
        ...


class PlanView(DetectorSections, Protocol):
    """The view that methods have of their plan."""

    @property
    def sections(self) -> Mapping[str, Any]:
        """Return the settings of the plan's detectors, by name."""
        ...

    @property
    def edited(self) -> tuple[str, ...]:
        """Return the detectors whose spans are edited."""
        ...

    @property
    def exempt(self) -> tuple[str, ...]:
        """Return the detectors whose spans are not edited; an unknown one is not exempt."""
        ...

    @property
    def rules_by_label(self) -> Mapping[str, LabelRule]:
        """Return the rule of each label that has a rule; ``*`` is every other label."""
        ...

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Return the words of the input that replace text removed before."""
        ...

    @property
    def reads_segments(self) -> bool:
        """Return whether detectors read JSON, HL7, CSV and escapes by their values, not as prose."""
        ...

    @property
    def allow(self) -> object:
        """Return the terms that the plan spares, None where it spares none."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return the published metadata, each with its way of ``metadata``."""
        ...

    @property
    def ids(self) -> str:
        """Return the treatment of ids of documents: ``keep`` or ``keyed``."""
        ...


@dataclass(frozen=True)
class MethodContext:
    """The objects that a run lends to its methods.

    Attributes:
        spark: The session, or None for strings: then no search runs.
        plan: The plan.
        materialize: Computes a frame once and returns it.
        scratch: The temporary folder, as Spark names it.
        place: Returns the local folder of a table by its name.
        subjects: Returns the number of documents with a person.
        secret: The key of surrogates and hashes. It reaches workers only inside functions.
    """

    spark: "SparkSession | None"
    plan: PlanView
    materialize: Materialize
    scratch: str
    place: Callable[[str], str]
    subjects: int = 0
    secret: bytes = field(default=b"", repr=False)


def no_words(_: Any) -> Mapping[str, object]:
    """Return an empty mapping."""
    return MappingProxyType({})
