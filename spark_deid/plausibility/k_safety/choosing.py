"""Choose what the terms of a text become, so that k records share whatever it tells of any one (ERASE)."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from spark_deid.plausibility.k_safety.catalogue import (
    SharedTerms,
    TermCatalogue,
    count_supports,
    distinct_terms,
    select_terms,
    share_terms,
)

_KEPT = 1 << 14
Find: TypeAlias = Callable[[tuple[int, ...]], SharedTerms | None]
MOST_LOWERED = 64
"""Terms up to which a text is looked through for one that could stay lower than it was put."""


def shares_enough(found: SharedTerms | None, k: int) -> bool:
    """Tell whether, of every record, the terms that a text releases of it are shared by k - 1 further records.

    A term is released of a record where it is one of its values, or stands above one. Of too many sets it is not told.
    """
    return found is not None and bool((count_supports(found) >= k).all())


@lru_cache(_KEPT)
def choose_replacements(catalogue: TermCatalogue, lowest: tuple[tuple[int, int], ...], k: int) -> Mapping[int, int]:
    """Return what each term of a text becomes; ``lowest`` has terms, and the least that each may become.

    Terms climb until the condition of ``shares_enough`` is met: in every set of terms that too few records have, the
    one that fewest records have, of equals the first. Where there are too many sets to count, all climb. Then each is
    put back as low as it may go, the rarest last; of more than ``MOST_LOWERED`` terms none is. What has nothing above
    it is suppressed.
    """
    chosen = dict(lowest)
    find = _finder(catalogue, chosen)
    while rare := _rarest(catalogue, find, distinct_terms(chosen.values()), k):
        chosen = {term: _next(catalogue, term, now) if now in rare else now for term, now in chosen.items()}
    if len(chosen) <= MOST_LOWERED:
        _lower(catalogue, find, chosen, dict(lowest), k)
    return MappingProxyType(chosen)


def _finder(catalogue: TermCatalogue, lowest: Mapping[int, int]) -> Find:
    """Return what tells who shares terms: records are gone through once for all that terms may become."""
    every = distinct_terms(each for term, low in lowest.items() for each in _steps(catalogue, term, low))
    whole = share_terms(catalogue, every)
    if whole is None:
        return partial(share_terms, catalogue)
    place = {term: at for at, term in enumerate(every)}
    return lambda released: select_terms(whole, [place[term] for term in released])


def _rarest(catalogue: TermCatalogue, find: Find, released: tuple[int, ...], k: int) -> frozenset[int]:
    """Return of each set of terms that too few records have the term that fewest have; none where all is well."""
    if not released:
        return frozenset()
    found = find(released)
    if found is None:
        return frozenset(released)
    few = found.sets[count_supports(found) < k]
    reaches = np.array([catalogue.reach(term) for term in released], np.float64)
    return frozenset(released[at] for at in np.where(few, reaches, np.inf).argmin(axis=1).tolist())


def _lower(catalogue: TermCatalogue, find: Find, chosen: dict[int, int], lowest: Mapping[int, int], k: int) -> None:
    """Put terms back, one at a time, as low as the others let them."""
    for term in sorted(chosen, key=lambda term: (-catalogue.reach(term), term)):
        others = [now for other, now in chosen.items() if other != term]
        steps = _steps(catalogue, term, lowest[term])
        lower = steps[: steps.index(chosen[term])]
        chosen[term] = next(
            (less for less in lower if shares_enough(find(distinct_terms((*others, less))), k)), chosen[term]
        )


def _next(catalogue: TermCatalogue, term: int, now: int) -> int:
    return _steps(catalogue, term, now)[1]


def _steps(catalogue: TermCatalogue, term: int, low: int) -> tuple[int, ...]:
    """Return what a term may become from the lowest on."""
    steps = (term, *catalogue.above(term))
    return steps[steps.index(low) :]
