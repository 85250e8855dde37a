"""Which of a table's minimal generalizations is taken: the one that loses least."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from spark_deid.anonymity.attribute import MISSING, CodedAttribute
from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.incognito import ClassOutcome, FrequencyLattice
from spark_deid.anonymity.lattice import AttributeLevels, Node
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.risk import Sizes
from spark_deid.core.numerics.arrays import Float64s, Int64s

# What a full-domain generalization loses.


@dataclass(frozen=True)
class RecodingLoss:
    """Four measures; persons count once, and suppressed ones as lost altogether.

    ``ncp`` is the mean, over rows and attributes, of the share of an attribute's span that a row's value covers (the
    normalized certainty penalty of Xu et al., KDD 2006). ``discernibility`` sums for each person those in the same
    class, all of the table for a suppressed one (Bayardo and Agrawal, ICDE 2005). ``average_class_size`` is of persons,
    and ``average_class_size_over_k`` that over k (LeFevre, DeWitt and Ramakrishnan, ICDE 2006). ``precision`` is 1 less
    the mean share of the hierarchies that is climbed (Sweeney, 2002).
    """

    ncp: float
    discernibility: int
    average_class_size: float
    average_class_size_over_k: float
    precision: float


def widths(attribute: CodedAttribute, levels: AttributeLevels) -> tuple[Float64s, ...]:
    """Return, level by level, the share of an attribute's span that each label covers.

    A label that stands for missing values and others covers all.
    """
    return tuple(_widths(attribute, levels, level) for level in range(levels.height + 1))


def loss_of(
    node: Node,
    frequencies: FrequencySet,
    found: ClassOutcome,
    shares: Sequence[Sequence[Float64s]],
    *,
    persons: int,
    k: int,
) -> RecodingLoss:
    """Return what a node loses; ``shares[a][level]`` are the widths of attribute a, ``persons`` those of the table."""
    sizes, rows = frequencies.persons[found.kept], frequencies.rows[found.kept]
    of_rows = [share[level][codes] for share, level, codes in zip(shares, node, frequencies.codes.T, strict=True)]
    covered = sum(float((of_row[found.kept] * rows).sum()) for of_row in of_rows)
    climbed = sum(level / max(len(share) - 1, 1) for level, share in zip(node, shares, strict=True))
    cells = max(frequencies.all_rows * len(node), 1)
    left = persons - int(sizes.sum())
    return RecodingLoss(
        ncp=(covered + found.suppressed * len(node)) / cells,
        discernibility=int((sizes * sizes).sum()) + left * persons,
        average_class_size=float(sizes.mean()) if sizes.size else 0.0,
        average_class_size_over_k=float(sizes.mean() / k) if sizes.size else 0.0,
        precision=1 - (climbed * int(rows.sum()) + found.suppressed * len(node)) / cells,
    )


def _widths(attribute: CodedAttribute, levels: AttributeLevels, level: int) -> Float64s:
    labels = levels.codes[level]
    size = len(levels.labels[level])
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, labels[1:], attribute.positions[1:])
    np.maximum.at(high, labels[1:], attribute.positions[1:])
    covered = np.where(np.isfinite(high), high - low, 0.0) / (attribute.span or 1.0)
    single = np.bincount(labels, minlength=size)[labels[MISSING]] == 1
    if not single:
        covered[labels[MISSING]] = 1.0
    shares: Float64s = covered
    return shares


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
