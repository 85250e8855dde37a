"""Write the table of halves from the lists that ship: the words that are in the other half than their hash.

    python resources/build_halves.py [--output spark_deid/surrogates/data/halves.txt]

Each list of names and cities, each region of 20 or more cities, the states, and codes of one or two letters get halves
of nearly equal weight. A word has one half in all of them. Equal lists give an equal table.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from pathlib import Path
from random import Random
from string import ascii_uppercase

from spark_deid.surrogates.lists import (
    COUNTRIES,
    FEWEST_CITIES,
    WeightedList,
    hashed_half,
    is_drawn_female,
    lists_of,
    regional_cities,
)
from spark_deid.surrogates.reserved_ranges import LETTERS
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

DEFAULT = Path("spark_deid/surrogates/data/halves.txt")
LANGUAGES = {
    "en": ("US", "GB"),
    "es": ("ES", "MX"),
    "de": ("DE",),
    "fr": ("FR",),
    "it": ("IT",),
    "pt": ("PT", "BR"),
    "nl": ("NL",),
}
AIM = 0.0477
"""The difference between halves, as a fraction of the weight of a group, that the search accepts: 1 of 21 words."""
TURNS = 20_000
HEAD = "# Words whose half is not that of their hash, by resources/build_halves.py: see surrogates/lists.py.\n"
Group = Mapping[str, float]


def squeezed(name: str) -> str:
    return plain_form(name).replace(" ", "")


def weights_of(names: WeightedList) -> dict[str, float]:
    """Return the weights of a list, by squeezed words."""
    pairs = zip(names.forms, pairwise((0.0, *names.sums)), strict=True)
    found: dict[str, float] = {}
    for form, (before, after) in pairs:
        found[squeezed(form)] = found.get(squeezed(form), 0.0) + after - before
    return found


def name_groups() -> Iterator[tuple[str, Group]]:
    """Yield each list of names, and the given names that are replaced from it."""
    for language, countries in LANGUAGES.items():
        lists = lists_of(ValueLocale(language, countries[0]))
        yield f"{language} family", weights_of(lists.family)
        for gender, names in (("female", lists.female), ("male", lists.male)):
            yield f"{language} {gender}", weights_of(names)
            own = {form: lists.gender(form) or ("female" if is_drawn_female(form) else "male") for form in names.forms}
            drawn = {squeezed(form) for form, drawn in own.items() if drawn == gender}
            yield f"{language} drawn {gender}", {w: n for w, n in weights_of(names).items() if w in drawn}


def place_groups() -> Iterator[tuple[str, Group]]:
    """Yield the cities of each country and region, those whose region is known, and the states, by number of cities."""
    for language, countries in LANGUAGES.items():
        for country in countries:
            locale = ValueLocale(language, country)
            yield f"cities {COUNTRIES[country]}", weights_of(lists_of(locale).city)
            regional = regional_cities(locale)
            for region, cities in regional.cities.items():
                yield f"{country} {region}", weights_of(cities)
                known = [form for form in cities.forms if regional.region_of(form) == region]
                if len(known) >= FEWEST_CITIES:
                    yield f"{country} {region} known", dict.fromkeys(map(squeezed, known), 1.0)
    regions = regional_cities(ValueLocale()).cities
    yield "states", {squeezed(name): 1.0 for _, name in STATE_NAMES}
    yield "states by cities", {squeezed(n): float(len(regions[n].entries)) for _, n in STATE_NAMES if n in regions}


def code_groups() -> Iterator[tuple[str, Group]]:
    """Yield the codes of one or two letters, those that are sampled and all."""
    for letters, length in product((LETTERS, ascii_uppercase), (1, 2)):
        yield f"{length} of {len(letters)} letters", {"".join(c).lower(): 1.0 for c in product(letters, repeat=length)}


class HalfSearch:
    """Words in halves, those that are one value together, and the difference between the halves of each group."""

    def __init__(self, groups: Iterable[tuple[str, Group]], linked: Iterable[tuple[str, str]]) -> None:
        named = [*groups]
        self.names, self.groups = [name for name, _ in named], [group for _, group in named]
        self.totals = [sum(group.values()) for group in self.groups]
        first = dict(linked)
        self.units: dict[str, list[str]] = {}
        for word in sorted({word for group in self.groups for word in group} | {*first, *first.values()}):
            self.units.setdefault(first.get(word, word), []).append(word)
        self.halves = {word: hashed_half(unit) for unit, words in self.units.items() for word in words}
        self.shares = [(w, g, n / self.totals[g]) for g, group in enumerate(self.groups) for w, n in group.items()]
        self.of_unit: dict[str, dict[int, float]] = {unit: {} for unit in self.units}
        of_word = {word: unit for unit, words in self.units.items() for word in words}
        self.differences = [0.0] * len(self.groups)
        for word, group, share in self.shares:
            own = self.of_unit[of_word[word]]
            own[group] = own.get(group, 0.0) + share
            self.differences[group] += share if self.halves[word] else -share
        self.members = [sorted({of_word[word] for word in group}) for group in self.groups]

    def cost(self, group: int, difference: float) -> float:
        return max(0.0, abs(difference) - AIM) ** 2

    def change(self, unit: str) -> dict[int, float]:
        """Return the differences of the groups of a unit if it moves to the other half."""
        sign = -2.0 if self.halves[self.units[unit][0]] else 2.0
        return {group: self.differences[group] + sign * share for group, share in self.of_unit[unit].items()}

    def move(self, unit: str) -> None:
        for group, difference in self.change(unit).items():
            self.differences[group] = difference
        for word in self.units[unit]:
            self.halves[word] ^= 1

    def gain(self, unit: str) -> float:
        return sum(self.cost(g, self.differences[g]) - self.cost(g, new) for g, new in self.change(unit).items())


def balance(search: HalfSearch, draws: Random) -> None:
    """Move words of the group that differs most until none differs by more than AIM. Raises SystemExit if some do."""
    for _ in range(TURNS):
        worst = max(range(len(search.groups)), key=lambda group: abs(search.differences[group]))
        if abs(search.differences[worst]) <= AIM:
            return
        sampled = draws.sample(search.members[worst], min(24, len(search.members[worst])))
        best = max(sampled, key=search.gain)
        if search.gain(best) > 0 or draws.random() < 0.02:
            search.move(best)
    left = [name for name, gap in zip(search.names, search.differences, strict=True) if abs(gap) > AIM]
    raise SystemExit(f"no balance after {TURNS} turns: {left}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=DEFAULT)
    output = parser.parse_args().output
    states = [(code.lower(), squeezed(name)) for code, name in STATE_NAMES]
    search = HalfSearch([*name_groups(), *place_groups(), *code_groups()], states)
    balance(search, Random(0))
    moved = sorted(word for word, half in search.halves.items() if half != hashed_half(word))
    output.write_text(HEAD + "".join(f"{word}\n" for word in moved), encoding="utf-8")


if __name__ == "__main__":
    main()
