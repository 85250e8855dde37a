"""Pack names by language and cities by country, of which surrogates are drawn.

    python resources/build_surrogates.py --data FOLDER [--output spark_deid/surrogates/data]

``FOLDER`` holds ``geo/``, as README.md states; names come from the Faker that is installed. Equal files give equal
lists.
"""

import argparse
import csv
import gzip
import importlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from spark_deid.surrogates.lists import COUNTRIES

DEFAULT = Path("spark_deid/surrogates/data")
LOCALES = {
    "en": ("en_US",),
    "es": ("es_ES", "es_MX"),
    "de": ("de_DE",),
    "fr": ("fr_FR",),
    "it": ("it_IT",),
    "pt": ("pt_PT", "pt_BR"),
    "nl": ("nl_NL",),
}
MOST_CITIES = 1500
LISTS = {"female": "first_names_female", "male": "first_names_male", "family": "last_names"}


def one_word(name: str) -> bool:
    """Return whether a name is a single word of Latin letters with a capital, which can be written in any form."""
    return name.isalpha() and len(name) > 1 and name[0].isupper() and name[1:].islower() and max(name) < "\u0250"


def weights(names: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    return dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, 1.0)


def names_of(locales: tuple[str, ...]) -> dict[str, list[list[object]]]:
    """Return names with weights, in order: those of Faker's lists where these have any, else one each."""
    found: dict[str, dict[str, float]] = {kind: {} for kind in LISTS}
    for locale in locales:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for kind, attribute in LISTS.items():
            for name, weight in weights(getattr(provider, attribute)).items():
                if one_word(name):
                    found[kind].setdefault(name, weight)
    return {kind: [[name, round(weight, 8)] for name, weight in sorted(names.items())] for kind, names in found.items()}


def cities_of(path: Path) -> dict[str, list[list[object]]]:
    codes = {name: code for code, name in COUNTRIES.items()}
    found: dict[str, dict[str, str]] = {code: {} for code in COUNTRIES}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            code, name = codes.get(row["country"]), row["name"]
            if code and all(one_word(word) for word in name.split(" ")) and len(name.split(" ")) <= 2:
                found[code].setdefault(name, row["subcountry"])
    return {
        code: [[name, region] for name, region in sorted(cities.items())][:: -(-len(cities) // MOST_CITIES)]
        for code, cities in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    lists = {
        "names": {language: names_of(locales) for language, locales in LOCALES.items()},
        "cities": cities_of(arguments.data / "geo/world-cities.csv.gz"),
    }
    for name, content in lists.items():
        data = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8")
        (arguments.output / f"{name}.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
