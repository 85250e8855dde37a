"""People who occur in a document by name only, and the forms in which names are written."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol

from spark_deid.corpus.synthesis.draws import draw_item, pick_several, random_digits

_HOSTS = ("example.com", "example.org", "mail.example.net")
_ABSENT = "BDFGHJKLMNPRSTVWXZ"
_EACH = 200


class InventedName(NamedTuple):
    """A given name and a surname."""

    given: str
    surname: str


class NamedPerson(Protocol):
    """What has a given name and a surname."""

    @property
    def given(self) -> str:
        """Return the given name."""

    @property
    def surname(self) -> str:
        """Return the surname."""


@lru_cache(maxsize=1)
def read_names() -> Mapping[str, tuple[str, ...]]:
    """Return the bundled names by country and part, such as ``arabic given``."""
    text = resources.files("spark_deid.corpus.synthesis").joinpath("data", "names.txt").read_text(encoding="utf-8")
    lines = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return MappingProxyType({key: tuple(names.split()) for key, _, names in lines})


def bundled_names(draws: Random) -> Iterator[InventedName]:
    """Yield names of the countries that the bundled lists are of, each as often, in the order of that country."""
    lists = read_names()
    for country in dict.fromkeys(key.partition(" ")[0] for key in lists):
        given, surnames = lists[f"{country} given"], lists[f"{country} surname"]
        for first, last in zip(pick_several(draws, given, _EACH), pick_several(draws, surnames, _EACH), strict=True):
            swapped = country in ("chinese", "korean") and draws.random() < 0.5
            yield InventedName(last, first) if swapped else InventedName(first, last)


def eastern_name(draws: Random) -> InventedName:
    """Draw a name with an article or a kinship word in it: ``al-``, ``bin``, ``Abu``."""
    lists = read_names()
    given, stem = draw_item(draws, lists["arabic given"]), draw_item(draws, lists["arabic surname"])
    other = draw_item(draws, lists["arabic given"])
    article = draw_item(draws, ("al-", "al-", "Al-", "al ", "el-", "ul-"))
    return draw_item(
        draws,
        (
            InventedName(given, f"{article}{stem}"),
            InventedName(f"{given} {other}", f"{article}{stem}"),
            InventedName(given, f"{draw_item(draws, ('bin', 'ibn', 'bin', 'Bin'))} {other}"),
            InventedName(f"Abu {other}", f"{article}{stem}"),
            InventedName(given, stem),
        ),
    )


def initials(someone: NamedPerson) -> str:
    """Return the first letters of a name.

    >>> initials(InventedName("Mary Jo", "Smith"))
    'MJS'
    """
    return "".join(part[0].upper() for part in f"{someone.given} {someone.surname}".split())


def with_initial(someone: NamedPerson, draws: Random) -> str:
    """Write a name with initials before the surname, one or two of them."""
    first = someone.given[0]
    middle = draw_item(draws, _ABSENT)
    forms = ("{first}. {name}", "{first}.{middle}. {name}", "{first}. {middle}. {name}", "{first} {name}")
    return draw_item(draws, forms).format(first=first, middle=middle, name=someone.surname)


def with_middle_initial(someone: NamedPerson, draws: Random) -> str:
    """Write a name with an initial between its parts, or before a given name."""
    form = draw_item(
        draws, ("{given} {middle}. {surname}", "{given} {middle} {surname}", "{middle}. {given} {surname}")
    )
    return form.format(given=someone.given, middle=draw_item(draws, _ABSENT), surname=someone.surname)


def last_first(someone: NamedPerson) -> str:
    """Write the surname first."""
    return f"{someone.surname}, {someone.given}"


def address_of(someone: NamedPerson, slug: Callable[[str], str], draws: Random) -> str:
    """Return an address of mail made of a name."""
    given, surname = slug(someone.given), slug(someone.surname)
    local = draw_item(draws, (f"{given}.{surname}", f"{given[:1]}{surname}", f"{given}{random_digits(draws, 2)}"))
    return f"{local}@{draw_item(draws, _HOSTS)}"
