"""Assign surrogates to the values of a scope: keyed draws, of which each value takes the first that is free."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, get_args

from spark_deid.core.hashing import KeyedDraws
from spark_deid.surrogates.check_digits import scheme_of, with_check_digit
from spark_deid.surrogates.lists import NameLists, RegionalCities, WeightedList
from spark_deid.surrogates.reading import WORD_POOLS, Pool
from spark_deid.surrogates.reserved_ranges import LETTERS, RESERVED, draw_signs
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

TRIES = 64
"""How often a value draws before it is given a composed name, or none."""
_CONSONANTS, _VOWELS, _ENDS = "bdfglmnprstv", "aeiou", ("n", "r", "l", "s", "k", "m")
_HEXADECIMAL_LETTERS = "ABCDEF"
_NETWORKS = tuple(number for number in range(1, 224) if number not in (10, 100, 127, 169, 172, 192, 198, 203))
"""First numbers of addresses, without those of which some are private, of one link, for tests or for examples."""
_KIND_OF_ADDRESS, _GROUP = re.compile("FE(?=[89AB])|F[CD]|FF..|[23]"), 4
"""What tells that an address is of a link (fe80::/10), local (fc00::/7), of several devices (ff00::/8, with its scope)
or global (2000::/3), in the first group of figures and letters."""
_HALF = 1 << 64
_BLOCKS = KeyedDraws.BITS // 128 - 1
"""Blocks of 128 bits of a number that are drawn by."""
_LEAST, _LONGEST = 3, 80
"""The fewest letters that a removed word tells by beginning with them, and the most: no name of a list is longer."""
_LISTED = frozenset(("given", "family", "city", "organization"))
_ORDER: Sequence[Pool] = ("given", "family", "city", "state", "organization", "initial")


WORD = "word"
FAMILIES: Mapping[Pool, str] = MappingProxyType({pool: WORD if pool in WORD_POOLS else pool for pool in get_args(Pool)})
"""What values of a pool are compared in: words of all pools are one family."""


class DrawnSurrogate(NamedTuple):
    """What stands for a value; None where there is nothing left to draw. ``is_composed`` tells of a made-up word.

    ``clashes`` tells of one that was drawn earlier, and is a removed word or another value now.
    """

    text: str | None
    is_composed: bool = False
    clashes: bool = False


def assign(
    values: Iterable[tuple[Pool, str]],
    removed: Collection[str],
    lists: NameLists,
    key: bytes,
    scope: str,
    *,
    earlier: Mapping[tuple[str, str], str] = MappingProxyType({}),
    keeps_gender: bool = True,
    regions: RegionalCities | None = None,
) -> dict[tuple[str, str], DrawnSurrogate]:
    """Return a surrogate for each value of a scope; no two are equal, and none is a value or a removed word of it.

    Values have the pool that their surrogate is drawn from, and surrogates the family of it; ``removed`` are words in
    plain form. ``earlier`` surrogates stay, and tell where they clash with what is removed. Cities are of the region of
    those that they stand for, where ``regions`` tell it. The order of values changes nothing.
    """
    pools: dict[tuple[str, str], set[Pool]] = {}
    for each, value in values:
        pools.setdefault((FAMILIES[each], value), set()).add(each)
    taken: dict[str, set[str]] = {WORD: {begin for word in removed for begin in _beginnings(word)}}
    for family, value in pools:
        taken.setdefault(family, set()).add(squeeze_spaces(value))
    found = {
        one: DrawnSurrogate(text, clashes=not _is_initial(one) and _is_taken(one[0], _compared(one[0], text), taken))
        for one, text in earlier.items()
    }
    for (family, value), text in earlier.items():
        taken.setdefault(family, set()).add(squeeze_spaces(value))
        _take(family, text, taken)
    lists = lists if keeps_gender else _without_gender(lists)
    draws = KeyedDraws(key, "surrogate", scope)
    numbers = {one: draws.number(*one) for one in pools if one not in earlier}
    for one in sorted(numbers, key=lambda one: (_is_initial(one), numbers[one], one)):
        family, value = one
        if _is_initial(one):
            found[one] = _initial(value, numbers[one], found, draws)
            continue
        pool = _pool_of(value, pools[one], lists)
        near = None if regions is None or pool != "city" else regions.same_region(value)
        nearby = lists if near is None else lists._replace(city=near)
        surrogate = _first_free(pool, value, taken, nearby, _draws(draws, numbers[one], family, value))
        if surrogate is None and near is not None:  # no city of the region is left
            surrogate = _first_free(pool, value, taken, lists, _draws(draws, None, "elsewhere", value))
        found[one] = surrogate = surrogate or _composed_name(pool, value, taken[family], lists, draws)
        if surrogate.text is not None:
            _take(family, surrogate.text, taken)
    return found


def _is_initial(one: tuple[str, str]) -> bool:
    return one[0] == WORD and len(one[1]) == 1


def _compared(family: str, text: str) -> str:
    return squeeze_spaces(plain_form(text)) if family == WORD else text


def _take(family: str, text: str, taken: dict[str, set[str]]) -> None:
    """Take a surrogate from its family, and from words where it reads as one, as a code of letters does."""
    taken.setdefault(family, set()).add(_compared(family, text))
    if _reads_as_word(text):
        taken[WORD].add(text.lower())


def _is_taken(family: str, compared: str, taken: Mapping[str, Collection[str]]) -> bool:
    return compared in taken.get(family, ()) or (_reads_as_word(compared) and compared.lower() in taken[WORD])


def _reads_as_word(text: str) -> bool:
    return len(text) > 1 and text.isascii() and text.isalpha()


def squeeze_spaces(value: str) -> str:
    """Return a value without spaces: West Chester and Westchester are one to readers."""
    return value.replace(" ", "")


@lru_cache(maxsize=1 << 14)
def _beginnings(word: str) -> tuple[str, ...]:
    """Return a removed word and what it begins with: freemanltd, of an address, tells of Freeman."""
    ends = range(min(_LEAST, len(word)), min(len(word), _LONGEST) + 1)
    return (*(word[:end] for end in ends), word)


def _pool_of(value: str, pools: Collection[Pool], lists: NameLists) -> Pool:
    """Choose where to draw for a value that stands in several places; a name alone may be a given name by the lists."""
    pool = next(iter(pools)) if len(pools) == 1 else next((each for each in _ORDER if each in pools), next(iter(pools)))
    is_given = value in lists.female.known or value in lists.male.known
    return "given" if pool == "family" and is_given and value not in lists.family.known else pool


def _without_gender(lists: NameLists) -> NameLists:
    nobody: frozenset[str] = frozenset()
    return lists._replace(female=lists.female._replace(known=nobody), male=lists.male._replace(known=nobody))


def _draws(draws: KeyedDraws, first: int | None, *parts: str) -> Iterator[int]:
    """Yield numbers, of 128 bits and more for each 20 characters of the last part, beginning with the first if given.

    The leading bits of a first number tell the order of values, and are not drawn by.
    """
    blocks = range(len(parts[-1]) // (20 * _BLOCKS))
    for attempt in range(TRIES):
        drawn = first if first is not None and not attempt else draws.number(*parts, str(attempt))
        drawn %= 1 << (KeyedDraws.BITS - 128)
        for block in blocks:
            drawn = drawn << KeyedDraws.BITS | draws.number(*parts, str(attempt), str(block))
        yield drawn


def _first_free(
    pool: Pool, value: str, taken: Mapping[str, Collection[str]], lists: NameLists, numbers: Iterable[int]
) -> DrawnSurrogate | None:
    for number in numbers:
        candidate = _candidate(pool, value, number, lists)
        if candidate is not None and not _is_taken(FAMILIES[pool], squeeze_spaces(candidate[1]), taken):
            return DrawnSurrogate(candidate[0])
    return None


def _composed_name(
    pool: Pool, value: str, taken: Collection[str], lists: NameLists, draws: KeyedDraws
) -> DrawnSurrogate:
    """Return a word that no list has, where a list had no other left; nothing for what lists have none of."""
    if pool not in _LISTED or not _list_of(pool, value, 0, lists).entries:
        return DrawnSurrogate(None)
    for number in _draws(draws, None, f"composed {pool}", value):
        word = _composed(number)
        if plain_form(word) not in taken and not any(plain_form(word) in each.known for each in lists):
            return DrawnSurrogate(word, is_composed=True)
    return DrawnSurrogate(None)


def _candidate(pool: Pool, value: str, draw: int, lists: NameLists) -> tuple[str, str] | None:
    """Return what is drawn, and what it is compared by."""
    if pool in _LISTED:
        names = _list_of(pool, value, draw, lists)
        place = names.pick(draw % _HALF) if names.entries else -1
        return (names.entries[place], names.forms[place]) if place >= 0 else None
    drawn = _WRITERS[pool](value, draw)
    return None if drawn is None else (drawn, plain_form(drawn) if pool == "state" else drawn)


def _list_of(pool: Pool, value: str, draw: int, lists: NameLists) -> WeightedList:
    if pool != "given":
        return {"family": lists.family, "city": lists.city}.get(pool, lists.organization)
    gender = lists.gender(value) or ("female" if draw >> 64 & 1 else "male")
    return lists.female if gender == "female" else lists.male


def _initial(
    value: str, number: int, found: Mapping[tuple[str, str], DrawnSurrogate], draws: KeyedDraws
) -> DrawnSurrogate:
    """Return the first letter of the surrogate of a name that an initial may stand for, else another letter."""
    names = sorted(
        (draws.number("initial", name), each.text)
        for (family, name), each in found.items()
        if family == WORD and len(name) > 1 and name[0] == value and each.text
    )
    if names:
        return DrawnSurrogate(names[0][1][0])
    letters = [letter for letter in LETTERS if letter.lower() != value]
    return DrawnSurrogate(letters[number % len(letters)])


def _composed(draw: int) -> str:
    word = ""
    for _ in range(3):
        draw, consonant = divmod(draw, len(_CONSONANTS))
        draw, vowel = divmod(draw, len(_VOWELS))
        word += _CONSONANTS[consonant] + _VOWELS[vowel]
    return (word + _ENDS[draw % len(_ENDS)]).capitalize()


def _state(value: str, draw: int) -> str:
    """Draw another state, abbreviated as the value is."""
    code, name = STATE_NAMES[draw % len(STATE_NAMES)]
    return code if len(value) == 2 else name


def _code(value: str, draw: int) -> str | None:
    """Draw letters and figures in the places of others; a zero that leads stays one, a check digit is made right."""
    scheme = scheme_of(value)
    drawn = []
    for place, character in enumerate(value):
        if character.isdigit():
            draw, number = divmod(draw, 10 if place else 9)
            drawn.append(str(number) if place else "0" if character == "0" and len(value) > 1 else str(number + 1))
        elif scheme == "iban" and place < 2:
            drawn.append(character)
        elif scheme == "nie" and not place:
            draw, number = divmod(draw, 3)
            drawn.append("XYZ"[number])
        else:
            draw, number = divmod(draw, len(LETTERS))
            drawn.append(LETTERS[number])
    written = "".join(drawn)
    return with_check_digit(scheme, written) if scheme else written


def _age(value: str, draw: int) -> str:
    """Draw an age at most five years away; whoever is ninety or older stays so."""
    age = int(value)
    least, most = (90, max(99, age + 5)) if age >= 90 else (max(0, age - 5), min(89, age + 5))
    return str(least + draw % (most - least + 1))


def _ip(_: str, draw: int) -> str:
    """Draw an address that a device of the public net may have: no multicast one, nor one of a private net."""
    first, rest = _NETWORKS[draw % len(_NETWORKS)], draw // len(_NETWORKS)
    return f"{first}.{rest & 0xFF}.{rest >> 8 & 0xFF}.{1 + (rest >> 16) % 254}"


def _ip6(value: str, draw: int) -> str | None:
    """Draw figures and letters of an address; what tells its kind stays, and none is told of one that had none."""
    kind = _kind_of_address(value)
    drawn = kind + draw_signs(value[len(kind) :], draw, _HEXADECIMAL_LETTERS)
    return drawn if _kind_of_address(drawn) == kind else None


def _kind_of_address(value: str) -> str:
    kind = _KIND_OF_ADDRESS.match(value) if len(value) >= _GROUP else None
    return kind[0] if kind else ""


def _mac(value: str, draw: int) -> str:
    """Draw an address that no maker has: one that is administered locally, of a single device."""
    drawn = draw_signs(value, draw, _HEXADECIMAL_LETTERS)
    return drawn[0] + ("26" if value[1].isdigit() else "AE")[draw % 2] + drawn[2:]


_WRITERS: Mapping[str, Callable[[str, int], str | None]] = MappingProxyType(
    {
        "state": _state,
        "code": _code,
        "figures": _code,
        "age": _age,
        "ip": _ip,
        "ip6": _ip6,
        "mac": _mac,
        **RESERVED,
    }
)
