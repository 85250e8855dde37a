"""What a full-domain generalization loses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spark_deid.anonymity.attribute import MISSING, CodedAttribute
from spark_deid.anonymity.frequency import FrequencySet
from spark_deid.anonymity.lattice import Node
from spark_deid.anonymity.levels import AttributeLevels
from spark_deid.anonymity.outcome import ClassOutcome
from spark_deid.core.numerics.arrays import Float64s


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
