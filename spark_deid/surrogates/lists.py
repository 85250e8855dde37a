"""Lists of names and cities to draw from, by language and country, and the user's own."""

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.ontology.places import PlaceHierarchy
from spark_deid.surrogates.check_digits import without_check_digit
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

# Public halves of values: a surrogate is sampled from the half that does not contain its original.
#
# The half of a value depends on the value only, so a surrogate reveals one bit of its original and no more.


_SIGNS = {sign: number for number, sign in enumerate("abcdefghjklmnprstuvwxyzioq")}
"""Numbers of letters in codes: drawn letters come first, so that these and all letters have balanced numbers."""
_TABLE = "data/halves.txt"


@lru_cache(maxsize=1 << 15)
def half_of(value: str) -> int:
    """Return the half of a value, 0 or 1, from the value without case, accents and spaces.

    >>> half_of("Núñez") == half_of("NUNEZ"), half_of("IL") == half_of("Illinois")
    (True, True)
    >>> half_of("12-34"), half_of("12-35")
    (0, 1)
    """
    if value.isascii() and value.isdigit():
        return sum(map(int, without_check_digit(value))) & 1
    word = plain_form(value).replace(" ", "")
    if any(map(str.isdigit, word)):
        return sum(map(_sign_number, without_check_digit(word.upper()).lower())) & 1
    return _hashed(word) & 1 ^ (word in _moved_words())


def hashed_half(word: str) -> int:
    """Return the half of a word that no table moves."""
    return _hashed(word) & 1


def is_drawn_female(value: str) -> bool:
    """Return whether a given name for both genders, or for none, is sampled from the list of female names."""
    return bool(_hashed(plain_form(value).replace(" ", "")) & 2)


def _hashed(word: str) -> int:
    return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=1, person=b"half").digest()[0]


def _sign_number(sign: str) -> int:
    return int(sign) if sign.isdigit() else _SIGNS.get(sign, ord(sign))


@cache
def _moved_words() -> frozenset[str]:
    """Return the words that are in the other half than their hash, so that the shipped lists are balanced."""
    table = resources.files("spark_deid.surrogates").joinpath(_TABLE).read_text(encoding="utf-8")
    return frozenset(line for line in table.splitlines() if not line.startswith("#"))


FILES = ("female", "male", "family", "city", "organization")
"""The lists that a folder of one's own may have, as ``female.txt``: an entry a line, a weight after a tab."""
_COUNTRY_OF = {"en": "US", "es": "ES", "de": "DE", "fr": "FR", "it": "IT", "pt": "PT", "nl": "NL"}
COUNTRIES = {
    "US": "United States",
    "GB": "United Kingdom",
    "ES": "Spain",
    "MX": "Mexico",
    "DE": "Germany",
    "FR": "France",
    "IT": "Italy",
    "PT": "Portugal",
    "BR": "Brazil",
    "NL": "Netherlands",
}
"""The countries of which there are cities."""
FEWEST_CITIES = 20
"""A region with fewer known cities has no list: its halves would be too small, and no table balances them."""
MAX_RATIO = 2.5
"""The highest ratio of posterior to prior that a list of a user may have; lists of the package have 2.1."""
_ONE = 1 << 64


class WeightedList(NamedTuple):
    """Entries, the same in plain form, and their weights summed up from the first; ``known`` are the plain forms.

    ``halves`` are the lists of the entries of either half, in order; a half has none.
    """

    entries: tuple[str, ...]
    forms: tuple[str, ...]
    sums: tuple[float, ...]
    known: frozenset[str]
    halves: tuple["WeightedList", ...] = ()

    def pick(self, draw: int) -> int:
        """Return the place of the entry of a number below 2^64, as often as its weight says."""
        return min(bisect_right(self.sums, draw / _ONE * self.sums[-1]), len(self.entries) - 1)


def weigh_entries(rows: Iterable[tuple[str, float]]) -> WeightedList:
    """Make a list of entries with weights; of entries that are one in plain form the first stays.

    >>> weigh_entries([("Ann", 3.0), ("Eve", 1.0)]).pick(1 << 63)
    0
    """
    kept: dict[str, tuple[str, float]] = {}
    for entry, weight in rows:
        kept.setdefault(plain_form(entry), (entry, weight))
    halves = ({form: row for form, row in kept.items() if half_of(form) == half} for half in (0, 1))
    return _summed(kept)._replace(halves=tuple(map(_summed, halves)))


def _summed(rows: Mapping[str, tuple[str, float]]) -> WeightedList:
    entries, sums = tuple(entry for entry, _ in rows.values()), tuple(accumulate(weight for _, weight in rows.values()))
    return WeightedList(entries, (*rows,), sums, frozenset(rows))


def posterior_ratio(names: WeightedList) -> float:
    """Return the highest ratio of posterior to prior probability of an original that a surrogate of a list replaces.

    An attacker knows the half of the original, so the ratio is the weight of the list over that of its lighter half.

    >>> posterior_ratio(weigh_entries([("Ann", 1.0)]))
    inf
    """
    weights = [half.sums[-1] if half.entries else 0.0 for half in names.halves]
    if not names.entries:
        return 1.0
    return sum(weights) / min(weights) if min(weights) > 0 else float("inf")


class NameLists(NamedTuple):
    """The lists of a locale, or of a folder; an empty one has nothing to draw."""

    female: WeightedList
    male: WeightedList
    family: WeightedList
    city: WeightedList
    organization: WeightedList

    def gender(self, given: str) -> str | None:
        """Return the list that alone has a given name, in plain form."""
        in_female, in_male = given in self.female.known, given in self.male.known
        return None if in_female == in_male else "female" if in_female else "male"


class RegionalCities(NamedTuple):
    """The cities of each region (a state, a province) of a country that has FEWEST_CITIES of which that is told."""

    places: PlaceHierarchy
    country: str
    cities: Mapping[str, WeightedList]

    def same_region(self, city: str) -> WeightedList | None:
        """Return the cities of a city's region; None where nothing tells it, as of a name that several regions have."""
        region = self.region_of(city)
        return None if region is None else self.cities.get(region)

    def region_of(self, city: str) -> str | None:
        """Return the region of a city; None for one elsewhere, and the country of a name that several regions have."""
        path = self.places(city)
        region, country = path[1], path[4]
        return region.removesuffix(f" ({country})") if country.removesuffix(" (country)") == self.country else None


@cache
def regional_cities(locale: ValueLocale) -> RegionalCities:
    """Return the cities of a locale's country by region; which region a city is in is what the ontology of places says.

    >>> found = regional_cities(ValueLocale())
    >>> "austin" in found.same_region("houston").known, found.same_region("springfield"), found.same_region("xyzzy")
    (True, None, None)
    """
    code = _country_of(locale)
    regions: dict[str, list[tuple[str, float]]] = {}
    for row in _packed("cities")[code]:
        regions.setdefault(str(row[1]), []).append((str(row[0]), 1.0))
    found = RegionalCities(PlaceHierarchy("city", locale), COUNTRIES[code], {})
    record = {
        region: sum(found.region_of(plain_form(city)) == region for city, _ in own) for region, own in regions.items()
    }
    several = {region: weigh_entries(own) for region, own in regions.items() if record[region] >= FEWEST_CITIES}
    return found._replace(cities=several)


def _country_of(locale: ValueLocale) -> str:
    return locale.country if locale.country in _packed("cities") else _COUNTRY_OF[locale.language]


@cache
def lists_of(locale: ValueLocale, folder: str | None = None) -> NameLists:
    """Return the lists of a locale; those that a folder has take the place of the package's.

    Organizations are called after families. Raises UsageError where a file of the folder can't be read.
    """
    names: Mapping[str, Sequence[tuple[str, float]]] = _packed("names")[locale.language]
    cities = _packed("cities")
    own = {
        **{kind: names[kind] for kind in ("female", "male", "family")},
        "city": [(str(row[0]), 1.0) for row in cities[_country_of(locale)]],
        "organization": names["family"],
    }
    if folder is not None:
        own |= {kind: _read(path) for kind in FILES if (path := Path(folder) / f"{kind}.txt").exists()}
    return NameLists(**{kind: weigh_entries(own[kind]) for kind in FILES})


@cache
def listed_words(*folders: str) -> frozenset[str]:
    """Return the words of names and cities of all the package's lists and of folders, in plain form.

    They are what a reader knows who has everything but the key. Raises UsageError where a folder has no list any more.

    >>> "keller" in listed_words(), "xyzzy" in listed_words()
    (True, False)
    """
    for folder in folders:
        check_folder(folder)
    names = [entry for kinds in _packed("names").values() for rows in kinds.values() for entry, _ in rows]
    cities = [str(row[0]) for rows in _packed("cities").values() for row in rows]
    paths = [Path(folder) / f"{kind}.txt" for folder in folders for kind in FILES]
    own = [entry for path in paths if path.exists() for entry, _ in _read(path)]
    states = [form for state in STATE_NAMES for form in state]
    return frozenset(word for entry in (*names, *cities, *own, *states) for word in plain_form(entry).split())


def check_folder(folder: str) -> None:
    """Raise UsageError where a folder has no list, or one that can't be read."""
    paths = [Path(folder) / f"{kind}.txt" for kind in FILES]
    if not any(path.exists() for path in paths):
        raise UsageError(f"{folder}: expected a folder with some of {', '.join(path.name for path in paths)}")
    for path in paths:
        if path.exists():
            _read(path)


def highest_ratio(folder: str) -> float:
    """Return the highest ratio of posterior to prior over the lists of a folder (see ``posterior_ratio``).

    Raises UsageError if a list can't be read, or if its ratio is above MAX_RATIO.
    """
    check_folder(folder)
    paths = [path for kind in FILES if (path := Path(folder) / f"{kind}.txt").exists()]
    ratios = {path: posterior_ratio(weigh_entries(_read(path))) for path in paths}
    for path, ratio in ratios.items():
        if ratio > MAX_RATIO:
            raise UsageError(
                f"{path}: expected two halves of similar weight, but a surrogate would make its original"
                f" {ratio:.1f} times as likely (limit {MAX_RATIO}). Add entries, or weights that are less unequal"
            )
    return max(ratios.values())


def _read(path: Path) -> list[tuple[str, float]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: can't read the list. Expected UTF-8, one entry per line") from error
    rows = []
    for number, line in enumerate(lines, 1):
        entry, _, weight = line.partition("\t")
        if not entry.strip():
            continue
        try:
            value = float(weight or 1)
        except ValueError:
            value = -1.0
        if not 0 < value < float("inf"):
            raise UsageError(f"{path}: line {number}: expected a weight above 0 after the tab")
        if not all(word.isalpha() for word in entry.split()):
            raise UsageError(f"{path}: line {number}: expected words of letters")
        rows.append((" ".join(entry.split()), value))
    return rows


@cache
def _packed(name: str) -> Mapping[str, Mapping[str, Sequence[tuple[str, float]]]]:
    packed = resources.files("spark_deid.surrogates").joinpath(f"data/{name}.json.gz").read_bytes()
    content: Mapping[str, Mapping[str, Sequence[tuple[str, float]]]] = json.loads(gzip.decompress(packed))
    return content
