"""Choose what the terms of a text become, so that k records share whatever it tells of any one (ERASE)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from spark_deid.plausibility.records.catalogue import Catalogue, distinct, shared, supports

_KEPT = 1 << 14
MOST_LOWERED = 64
"""Terms up to which a text is looked through for one that could stay lower than it was put."""


def holds(catalogue: Catalogue, released: Sequence[int], k: int) -> bool:
    """Tell whether, of every record, the terms that a text releases of it are shared by k - 1 further records.

    A term is released of a record where it is one of its values, or stands above one.
    """
    terms = distinct(released)
    return not terms or bool((supports(shared(catalogue, terms)) >= k).all())


@lru_cache(_KEPT)
def choose(catalogue: Catalogue, lowest: tuple[tuple[int, int], ...], k: int) -> Mapping[int, int]:
    """Return what each term of a text becomes; ``lowest`` has terms, and the least that each may become.

    Terms climb until the condition of ``holds`` is met: in every set of terms that too few records have, the one that
    fewest records have, of equals the first. Then each is put back as low as it may go, the rarest last; of more
    than ``MOST_LOWERED`` terms none is. What has nothing above it is suppressed.
    """
    chosen = dict(lowest)
    while rare := _rarest(catalogue, distinct(chosen.values()), k):
        chosen = {term: _next(catalogue, term, now) if now in rare else now for term, now in chosen.items()}
    if len(chosen) <= MOST_LOWERED:
        _lower(catalogue, chosen, dict(lowest), k)
    return MappingProxyType(chosen)


def _rarest(catalogue: Catalogue, released: tuple[int, ...], k: int) -> frozenset[int]:
    """Return of each set of terms that too few records have the term that fewest have; none where all is well."""
    if not released:
        return frozenset()
    found = shared(catalogue, released)
    few = found.sets[supports(found) < k]
    reaches = np.array([catalogue.reach(term) for term in released], np.float64)
    return frozenset(released[at] for at in np.where(few, reaches, np.inf).argmin(axis=1).tolist())


def _lower(catalogue: Catalogue, chosen: dict[int, int], lowest: Mapping[int, int], k: int) -> None:
    """Put terms back, one at a time, as low as the others let them."""
    for term in sorted(chosen, key=lambda term: (-catalogue.reach(term), term)):
        others = [now for other, now in chosen.items() if other != term]
        steps = (term, *catalogue.above(term))
        lower = steps[steps.index(lowest[term]) : steps.index(chosen[term])]
        chosen[term] = next((less for less in lower if holds(catalogue, (*others, less), k)), chosen[term])


def _next(catalogue: Catalogue, term: int, now: int) -> int:
    steps = (term, *catalogue.above(term))
    return steps[steps.index(now) + 1]
