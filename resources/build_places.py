"""Pack the world's cities with their regions, countries and continents for generalization.

    python resources/build_places.py --data FOLDER [--output spark_deid/ontology/data]

``FOLDER`` holds ``geo/``, as README.md states; continents, uppercase letters and other names of countries are in
``countries.csv``. Equal files give an equal pack.
"""

import argparse
import csv
import gzip
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source

DEFAULT = Path("spark_deid/ontology/data")
COUNTRIES = Path(__file__).with_name("countries.csv")
WORLD = "the world"
ABOUT = {
    "name": "places",
    "source": "Cities of more than 15,000 people from GeoNames (https://www.geonames.org), "
    "by https://github.com/datasets/world-cities",
    "licence": "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)",
    "attribution": "GeoNames",
}


@dataclass(frozen=True)
class Country:
    continent: str
    name: str
    capital: str
    others: tuple[str, ...]


def countries() -> dict[str, Country]:
    """Read our table of countries by their names in the list of cities."""
    with COUNTRIES.open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream, delimiter=";"))[1:]
    return {
        listed or name: Country(continent, name, capital, tuple(filter(None, others.split(", "))))
        for continent, name, capital, others, listed in rows
    }


def plain(name: str) -> str:
    """Return a name as it is typed without accents."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return folded.translate(str.maketrans("‘’ʻʼøØłŁđĐıß", "''''oOlLdDis")) if not folded.isascii() else folded


def spellings(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((name, plain(name))))


def concepts(cities: list[dict[str, str]]) -> Iterator[SourceConcept]:
    """Return cities, those first that their names usually mean: capitals, then those of countries with many."""
    known = countries()
    number = Counter(city["country"] for city in cities)

    def usual(city: dict[str, str]) -> tuple[bool, int, str]:
        is_capital = plain(known[city["country"]].capital) == plain(city["name"])
        return not is_capital, -number[city["country"]], city["geonameid"]

    for city in sorted(cities, key=usual):
        above = f"{city['country']}/{city['subcountry']}".removesuffix("/")
        yield SourceConcept(city["geonameid"], spellings(city["name"]), (above,))
    regions = {(city["country"], city["subcountry"]) for city in cities if city["subcountry"]}
    for country, region in sorted(regions):
        yield SourceConcept(f"{country}/{region}", spellings(region), (country,))
    for listed in sorted(number):
        country = known[listed]
        names = (country.name, *(name for name in spellings(country.name)[1:]), *country.others)
        yield SourceConcept(listed, names, (f"continent {country.continent}",))
    for continent in sorted({known[listed].continent for listed in number}):
        yield SourceConcept(f"continent {continent}", (continent,), (WORLD,))
    yield SourceConcept(WORLD, (WORLD,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    with gzip.open(arguments.data / "geo/world-cities.csv.gz", "rt", encoding="utf-8") as stream:
        cities = list(csv.DictReader(stream))
    save_arrays(arguments.output / "places.npz", pack_source(ConceptSource(tuple(concepts(cities)))), ABOUT)


if __name__ == "__main__":
    main()
