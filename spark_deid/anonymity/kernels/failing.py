"""Which combinations of a frequency set fail a constraint."""

import numpy as np

from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.constraint import satisfies
from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.core.numerics.compilation import compiled


@compiled
def find_failing(
    constraint: ClassConstraint,
    persons: Int64s,
    population: Int64s,
    starts: Int64s,
    values: Int64s,
    counts: Int64s,
) -> Bools:
    """Return, for each combination, whether its class fails; one without people does not.

    The people of combination c that hold sensitive values are ``counts[starts[c]:starts[c + 1]]``, of ``values``.
    """
    fails = np.zeros(persons.size, np.bool_)
    held = np.zeros(constraint.offsets[-1], np.int64)
    for combination in range(persons.size):
        if persons[combination] == 0:
            continue
        first, end = starts[combination], starts[combination + 1]
        # Only the values of this combination are set and cleared again: the array is as long as all sensitive values.
        for at in range(first, end):
            held[values[at]] = counts[at]
        fails[combination] = not satisfies(constraint, persons[combination], population[combination], held)
        for at in range(first, end):
            held[values[at]] = 0
    return fails
