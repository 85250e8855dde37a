"""Which of a table's minimal generalizations is taken: the one that loses least."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.incognito import FrequencyLattice
from spark_deid.anonymity.lattice import Node
from spark_deid.anonymity.loss import RecodingLoss, loss_of
from spark_deid.anonymity.metric import LossMetric
from spark_deid.anonymity.outcome import ClassOutcome
from spark_deid.anonymity.risk import Sizes
from spark_deid.core.numerics.arrays import Float64s, Int64s

_LOST: Mapping[LossMetric, Callable[[RecodingLoss], float]] = MappingProxyType(
    {
        LossMetric.NCP: lambda loss: loss.ncp,
        LossMetric.DISCERNIBILITY: lambda loss: loss.discernibility,
        LossMetric.CLASS_SIZE: lambda loss: loss.average_class_size,
        LossMetric.PRECISION: lambda loss: -loss.precision,
    }
)


@dataclass(frozen=True)
class NodeChoice:
    """A node with its classes, what it comes to, and what it loses."""

    node: Node
    frequencies: FrequencySet
    outcome: ClassOutcome
    loss: RecodingLoss

    @property
    def parted_persons(self) -> int:
        """Return how many persons have rows in several classes, and so are suppressed."""
        return int(np.unique(self.frequencies.scattered.person).size)

    @property
    def sizes(self) -> Sizes:
        """Return the sizes of the classes that are kept."""
        return _sizes(self.frequencies.persons[self.outcome.kept], self.frequencies.population[self.outcome.kept])


def sizes_of(frequencies: FrequencySet) -> Sizes:
    """Return the sizes of all classes; who is in several counts in each."""
    scattered = np.bincount(frequencies.scattered.combination, minlength=frequencies.size)
    return _sizes(frequencies.persons + scattered, frequencies.population)


def _sizes(persons: Int64s, population: Int64s) -> Sizes:
    pairs, counts = np.unique(np.stack([persons, population]), axis=1, return_counts=True)
    return {(int(here), int(there)): int(n) for here, there, n in zip(*pairs, counts, strict=True) if here}


def measure_nodes(
    lattice: FrequencyLattice, nodes: Iterable[Node], shares: Sequence[Sequence[Float64s]], *, k: int
) -> list[NodeChoice]:
    """Return what each node loses; ``shares[a][level]`` are the widths of attribute a."""
    scattered = np.unique(lattice.base.scattered.person).size
    people = int(lattice.base.persons.sum()) + int(scattered)
    found = []
    for node in nodes:
        frequencies = lattice.at(node)
        outcome = lattice.outcome(frequencies)
        loss = loss_of(node, frequencies, outcome, shares, persons=people, k=k)
        found.append(NodeChoice(node, frequencies, outcome, loss))
    return found


def choose_least_loss(found: Sequence[NodeChoice], metric: LossMetric) -> NodeChoice:
    """Return the choice that loses least; the first in the order of nodes where several lose as little."""
    return min(found, key=lambda each: (_LOST[metric](each.loss), each.node))
