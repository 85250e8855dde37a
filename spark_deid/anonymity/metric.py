"""What tells how much a generalization loses, by the names that options have."""

from enum import Enum


class LossMetric(Enum):
    """What tells how much a generalization loses."""

    NCP = "ncp"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class-size"
    PRECISION = "precision"
