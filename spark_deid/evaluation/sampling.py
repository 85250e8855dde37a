"""Conclusions from a sample: exact upper bounds of how many have a property that some of those drawn have."""

from bisect import bisect_right

SMALL = 1_000_000
"""Numbers up to which draws without replacement are counted as such; of more, each counts as if it went back."""
ROUNDING = 1e-9
"""By how much a chance may miss, relatively, what it would be on paper."""


def upper_bounds(number: int, drawn: int, confidence: float) -> tuple[float, ...]:
    """Return the largest fraction of ``number`` that is compatible with 0, 1, ..., ``drawn`` hits among those drawn.

    Compatible is what gives that few hits or fewer with a chance of ``1 - confidence`` or more: by the hypergeometric
    distribution, above SMALL by the binomial one (Clopper and Pearson 1934), which is never less.

    >>> [round(bound, 4) for bound in upper_bounds(10**9, 100, 0.95)[:2]]
    [0.0295, 0.0466]
    >>> upper_bounds(3, 3, 0.95)
    (0.0, 0.3333333333333333, 0.6666666666666666, 1.0)
    """
    if number > SMALL:
        from scipy.stats import beta

        return (*(float(beta.ppf(confidence, hits + 1, drawn - hits)) for hits in range(drawn)), 1.0)
    risk = (1 - confidence) * (1 - ROUNDING)
    return tuple(_most(number, drawn, hits, risk) / number for hits in range(drawn + 1))


def _most(number: int, drawn: int, hits: int, risk: float) -> int:
    """Return the most of ``number`` of which at most ``hits`` are drawn with a chance of ``risk`` at least."""
    from scipy.stats import hypergeom

    possible = range(hits, number - drawn + hits + 1)
    # The chance of that few hits falls as there are more to hit.
    return hits + bisect_right(possible, -risk, key=lambda most: -hypergeom.cdf(hits, number, most, drawn), lo=1) - 1
