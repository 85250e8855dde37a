"""What a pipeline is: steps of one type, each of which adds to the state of a run."""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

Run = TypeVar("Run")


class PipelineStep(NamedTuple, Generic[Run]):
    """A step, or several that share one pass over the documents, by their names."""

    names: tuple[str, ...]
    carry_out: Callable[[Run], None]


def carry_out_steps(run: Run, steps: Iterable[PipelineStep[Run]]) -> None:
    """Carry out steps in their order; what one raises ends the run."""
    for step in steps:
        step.carry_out(run)
