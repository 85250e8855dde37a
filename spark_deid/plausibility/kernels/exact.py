"""The exact search of uniform t-PAT from end to end: greedy texts bound it, and are in where it is too dear."""

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.plausibility.kernels.cost import TOLERANCE, cost_of, lowest_levels
from spark_deid.plausibility.kernels.duals import best_multiplier
from spark_deid.plausibility.kernels.steps import search_one_step
from spark_deid.plausibility.kernels.uniform import least_cost


@compiled
def search_exact(
    entropies: Float64s, starts: Int64s, goal: float, alpha: float, most_states: Int
) -> tuple[Int64s, bool, bool]:
    """Return levels, whether they reach the goal, and whether they are of least cost.

    Levels that can't reach the goal are those of most entropy; where exactness would take more than ``most_states``
    states, those of the best single steps.
    """
    lowest, is_feasible = lowest_levels(entropies, starts, goal)
    if not is_feasible:
        return lowest, False, False
    stepped = search_one_step(entropies, starts, lowest, goal, alpha)
    bound = cost_of(entropies, starts, stepped, goal, alpha)[1]
    # The better of two greedy texts bounds the search: the lower its cost, the fewer states remain open.
    multiplier, near = best_multiplier(entropies, starts, goal, alpha)
    if cost_of(entropies, starts, near, goal, alpha)[0] >= goal - TOLERANCE:
        other = search_one_step(entropies, starts, near, goal, alpha)
        bound = min(bound, cost_of(entropies, starts, other, goal, alpha)[1])
    levels, is_exact = least_cost(entropies, starts, goal, alpha, bound, multiplier, most_states)
    return (levels, True, True) if is_exact else (stepped, True, False)
