"""How a representation is trained against adversaries: options of commands, and the ones that two methods refuse."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationInfo

TrainingMethod = Literal["divergence", "paper", "dann"]
METHOD = (
    "`divergence` limits the divergence between a sentence and its variants. `paper` uses three steps and "
    "equation 2 on averaged adversaries. `dann` reverses gradients with that loss."
)
INVARIANCE = (
    "Initial weight of the divergence between a sentence and its variants. 0 removes the term. The default is 1."
)
DIVERGENCE = (
    "Maximum divergence between held-out sentences and their variants, in nats, which adapts the weight. The "
    "default is 0.15."
)
DEFAULT_INVARIANCE, DEFAULT_DIVERGENCE = 1.0, 0.15


def _of_divergence(value: float | None, info: ValidationInfo) -> float | None:
    """Refuse a value if the method has no term of the divergence."""
    method = info.data.get("method", "divergence")
    if value is not None and method != "divergence":
        raise ValueError(f"only for --method divergence. {method} does not have this term")
    return value


Invariance = Annotated[float | None, AfterValidator(_of_divergence)]
Divergence = Annotated[float | None, AfterValidator(_of_divergence)]


def invariance_of(method: TrainingMethod, invariance: float | None) -> float:
    """Return the first weight of the divergence."""
    if method != "divergence":
        return 0.0
    return DEFAULT_INVARIANCE if invariance is None else invariance
