"""A reader with the program, but without the key, searches the original of a value by all surrogates of its scopes.

A clinician signs hundreds of notes, and each note is a scope. If a surrogate is never its own original, or avoids the
removed words of its scope, a common name that never appears in these notes is the original. The reader runs the program
with other keys, so they know which of these rules it follows, and computes the posterior of each name in the list.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import exp, log
from random import Random
from typing import NamedTuple

import pytest

from spark_deid.surrogates.assigning import assign
from spark_deid.surrogates.lists import WeightedList, half_of, lists_of, regional_cities, weigh_entries
from spark_deid.surrogates.reading import Pool
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

LISTS, REGIONS = lists_of(ValueLocale()), regional_cities(ValueLocale())
KEYS = (b"1" * 32, b"2" * 32)
UNLISTED = 0.3
"""The prior probability that a name is in no list."""
OTHERS = 8
"""Other values of a note."""
STATES = weigh_entries([(name, 1.0) for _, name in STATE_NAMES])
TOWNS = tuple(form for form in REGIONS.cities["California"].forms if REGIONS.region_of(form) == "California")
VALUES: Mapping[str, tuple[Pool, WeightedList, tuple[str, ...]]] = {
    "surname": ("family", LISTS.family, ("smith", "johnson", "kim")),
    "female": ("given", LISTS.female, ("mary", "jennifer", "amy")),
    "male": ("given", LISTS.male, ("james", "michael", "adam")),
    "town": ("city", LISTS.city, LISTS.city.forms[100:1400:500]),
    "town of a region": ("city", REGIONS.cities["California"], TOWNS[:3]),
    "state": ("state", STATES, ("texas", "ohio", "vermont")),
}


class ObservedNotes(NamedTuple):
    """How often each surrogate replaces the value in question, and the other values of its notes."""

    own: Counter[str]
    others: Counter[str]


class LearnedRule(NamedTuple):
    """The rule that a reader learns with other keys: do surrogates share the half of the original, or avoid it."""

    has_halves: bool
    avoids_itself: bool
    avoids_others: bool


def priors_of(names: WeightedList) -> dict[str, float]:
    weights = {
        form: after - before for form, (before, after) in zip(names.forms, pairwise((0.0, *names.sums)), strict=True)
    }
    total = sum(weights.values())
    return {form: weight / total for form, weight in weights.items()}


def observe(kind: str, original: str, notes: int, keys: Sequence[bytes]) -> ObservedNotes:
    """Return what a reader counts in the releases of notes that share a value, under several keys."""
    pool, names, _ = VALUES[kind]
    draws = Random(f"{kind} {original}")
    own: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for note in range(notes):
        rest = {names.forms[names.pick(draws.getrandbits(64))] for _ in range(OTHERS)} - {original}
        for key in keys:
            values = [(pool, value) for value in (original, *rest)]
            found = assign(values, LISTS, key, f"document {note}", regions=REGIONS if "region" in kind else None)
            own[plain_form(found["word", original].text or "")] += 1
            others.update(plain_form(found["word", value].text or "") for value in rest)
    return ObservedNotes(own, others)


@cache
def learn_rule(kind: str) -> LearnedRule:
    """Run the program for common originals with other keys, and see which half their surrogates have."""
    same = itself = among_others = 0
    expected = 0.0
    _, names, originals = VALUES[kind]
    priors = priors_of(names)
    for original in originals:
        seen = observe(kind, original, 300, (b"3" * 32, b"4" * 32))
        same += sum(n for text, n in seen.own.items() if half_of(text) == half_of(original))
        itself += seen.own[original]
        among_others += seen.others[original]
        expected += priors[original] * sum(seen.others.values())
    return LearnedRule(same == 0, itself == 0, among_others < expected / 10)


def posteriors(priors: Mapping[str, float], seen: ObservedNotes, rule: LearnedRule) -> dict[str, float]:
    """Return the probability of each name to be the original, and of any unlisted name under an empty string."""
    halves = {half_of(text) for text in seen.own}
    likelihood: dict[str, float] = {}  # logarithms; no entry for an impossible name
    for name, weight in priors.items():
        if rule.has_halves:
            possible = halves == {1 - half_of(name)}
            appearing = 0
        else:
            possible = not (rule.avoids_itself and seen.own[name])
            appearing = sum(seen.own.values()) if rule.avoids_itself else 0
        if rule.avoids_others:
            possible = possible and not seen.others[name]
            appearing += sum(seen.others.values())
        if possible:
            likelihood[name] = -appearing * log(1 - weight)
    most = max(likelihood.values(), default=0.0)
    listed = {name: exp(likelihood[name] - most) if name in likelihood else 0.0 for name in priors}
    weighed = {name: (1 - UNLISTED) * weight * listed[name] for name, weight in priors.items()}
    weighed[""] = UNLISTED * exp(-most) * (0.5 if rule.has_halves else 1.0)
    total = sum(weighed.values())
    return {name: value / total for name, value in weighed.items()}


@pytest.mark.parametrize("notes", [300, 500, 1500])
@pytest.mark.parametrize("kind", VALUES)
def test_no_posterior_is_above_twice_the_prior(kind: str, notes: int) -> None:
    _, names, originals = VALUES[kind]
    priors, rule = priors_of(names), learn_rule(kind)
    for original in originals:
        seen = observe(kind, original, notes, KEYS)
        found = posteriors(priors, seen, rule)
        assert found[original] > 0
        ratios = {name: found[name] / ((1 - UNLISTED) * prior) for name, prior in priors.items()}
        assert max(ratios.values()) <= 2.1, (original, max(ratios, key=lambda name: ratios[name]))
        assert max(found.values()) < 0.5
