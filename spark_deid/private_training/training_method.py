"""How a representation is trained against adversaries: options of commands, and the ones that two methods refuse."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationInfo

TrainingMethod = Literal["divergence", "paper", "dann"]
METHOD = (
    "`divergence` bounds how far sentences and their others diverge; `paper` trains in three parts with equation 2 "
    "on the averaged adversaries; `dann` reverses gradients with that loss."
)
INVARIANCE = "First weight of the divergence of sentences and their others, 0 for no such term; 1 if not given."
DIVERGENCE = (
    "Maximum divergence of held-out sentences and their others, in nats; the weight moves to it; 0.15 if not given."
)
DEFAULT_INVARIANCE, DEFAULT_DIVERGENCE = 1.0, 0.15


def _of_divergence(value: float | None, info: ValidationInfo) -> float | None:
    """Refuse a value if the method has no term of the divergence."""
    method = info.data.get("method", "divergence")
    if value is not None and method != "divergence":
        raise ValueError(f"only for --method divergence; --method {method} has no such term")
    return value


Invariance = Annotated[float | None, AfterValidator(_of_divergence)]
Divergence = Annotated[float | None, AfterValidator(_of_divergence)]


def invariance_of(method: TrainingMethod, invariance: float | None) -> float:
    """Return the first weight of the divergence."""
    if method != "divergence":
        return 0.0
    return DEFAULT_INVARIANCE if invariance is None else invariance
