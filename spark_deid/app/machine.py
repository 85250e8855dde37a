"""Examine the machine, and the failures of Spark."""

from typing import TYPE_CHECKING

from spark_deid.app.examining import examine
from spark_deid.engine.failures import ENGINE_ERRORS, describe

if TYPE_CHECKING:
    from spark_deid.app.examining import DoctorFinding


def doctor(*, deep: bool = False) -> "tuple[DoctorFinding, ...]":
    """Examine this machine."""
    return examine(deep=deep)


def worker_error(error: Exception) -> str | None:
    """Describe a failure of Spark without values, or None where it is another failure."""
    return describe(error) if isinstance(error, ENGINE_ERRORS) else None
