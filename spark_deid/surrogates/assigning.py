"""Assign surrogates to the values of a scope: keyed draws from the halves that do not contain the values.

A draw depends on which values of the scope are equal, on the list, gender, shape, region and half of the value, and on
no other property of the original. So surrogates reveal one bit of a value, however often the value is replaced.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple, get_args

from spark_deid.core.hashing import KeyedDraws
from spark_deid.surrogates.lists import NameLists, RegionalCities, WeightedList, half_of, is_drawn_female
from spark_deid.surrogates.reading import WORD_POOLS, Pool
from spark_deid.surrogates.reserved_ranges import LETTERS, RESERVED, is_reserved
from spark_deid.surrogates.shapes import SHAPES, is_small
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

TRIES = 128
"""The number of draws after which a value gets a composed name, or no surrogate."""
_CONSONANTS, _VOWELS, _ENDS = "bdfglmnprstv", "aeiou", ("n", "r", "l", "s", "k", "m")
_WEIGHTS = 1 << 64
_BLOCKS = KeyedDraws.BITS // 128 - 1
"""Blocks of 128 bits of a number that a draw uses."""
_LISTED = frozenset(("given", "family", "city", "organization"))
_ORDER: Sequence[Pool] = ("given", "family", "city", "state", "organization", "initial")
_STATE = "state"
_STATES = MappingProxyType({plain_form(form): state for state in STATE_NAMES for form in state})
"""The code and the name of each state, by either in plain form."""

WORD = "word"
FAMILIES: Mapping[Pool, str] = MappingProxyType({pool: WORD if pool in WORD_POOLS else pool for pool in get_args(Pool)})
"""The family that values of a pool are compared in: words of all pools are one family."""
ScopeValue = tuple[str, str]
"""A family and a value of it."""


class DrawnSurrogate(NamedTuple):
    """The surrogate of a value; None if no surrogate was free. ``is_composed`` marks a word that no list has.

    ``is_older`` marks a surrogate from a workspace of an older version, whose draws depended on more than one bit.
    """

    text: str | None
    is_composed: bool = False
    is_older: bool = False


def assign(
    values: Iterable[tuple[Pool, str]],
    lists: NameLists,
    key: bytes,
    scope: str,
    *,
    earlier: Mapping[ScopeValue, DrawnSurrogate] = MappingProxyType({}),
    keeps_gender: bool = True,
    regions: RegionalCities | None = None,
) -> dict[ScopeValue, DrawnSurrogate]:
    """Return a surrogate for each value of a scope, all different, each from the half that does not contain the value.

    Values have the pool that their surrogate is drawn from, and surrogates the family of the pool. ``earlier``
    surrogates remain. If ``regions`` are given, a city is drawn from its region. The order of values has no effect.
    """
    pools: dict[ScopeValue, set[Pool]] = {}
    for each, value in values:
        pools.setdefault((FAMILIES[each], value), set()).add(each)
    lists = lists if keeps_gender else _without_gender(lists)
    draws = _ScopeDraws(lists, regions, KeyedDraws(key, "surrogate", scope))
    found = dict(earlier)
    for (family, _), surrogate in earlier.items():
        draws.take(family, surrogate.text)
    pool_of = {one: _pool_of(one[1], own, lists) for one, own in pools.items() if one not in found}
    found |= _states_of_earlier([one for one, pool in pool_of.items() if pool == _STATE], earlier)
    units: dict[ScopeValue, list[ScopeValue]] = {}
    for one, pool in pool_of.items():
        if one not in found:
            unit = (_STATE, _STATES[one[1]][0]) if pool == _STATE else one
            units.setdefault(unit, []).append(one)
    numbers = {unit: draws.keyed.number(*unit) for unit in units}
    for unit in sorted(numbers, key=lambda unit: (_is_initial(unit), numbers[unit], unit)):
        if _is_initial(unit):
            found[unit] = _initial(unit[1], numbers[unit], found, draws.keyed)
            continue
        one = units[unit][0]
        surrogate = draws.surrogate(pool_of[one], one[1], numbers[unit], unit)
        found |= {each: _written_as(each, surrogate, unit) for each in units[unit]}
        draws.take(one[0], surrogate.text)
    return found


def _is_initial(one: ScopeValue) -> bool:
    return one[0] == WORD and len(one[1]) == 1


def _states_of_earlier(
    states: Iterable[ScopeValue], earlier: Mapping[ScopeValue, DrawnSurrogate]
) -> dict[ScopeValue, DrawnSurrogate]:
    """Return surrogates of states whose code or name, the other of the two, has one of an earlier run by this rule."""
    found = {}
    for family, value in states:
        for form in map(_plain, _STATES[value]):
            known = earlier.get((family, form))
            if known and not known.is_older and known.text and _plain(known.text) in _STATES:
                found[family, value] = _written_as((family, value), known, (_STATE, form))
    return found


def _written_as(one: ScopeValue, surrogate: DrawnSurrogate, unit: ScopeValue) -> DrawnSurrogate:
    """Return a surrogate as a value is written: a state by its code or its name."""
    if unit[0] != _STATE or surrogate.text is None:
        return surrogate
    code, name = _STATES[_plain(surrogate.text)]
    return surrogate._replace(text=code if len(one[1]) == len(code) else name)


def _reads_as_word(text: str) -> bool:
    return len(text) > 1 and text.isascii() and text.isalpha()


def squeeze_spaces(value: str) -> str:
    """Return a value without spaces: West Chester and Westchester are equal for readers."""
    return value.replace(" ", "")


def _pool_of(value: str, pools: Collection[Pool], lists: NameLists) -> Pool:
    """Choose the pool of a value that is read in several ways; a single name may be a given name by the lists."""
    pool = next(iter(pools)) if len(pools) == 1 else next((each for each in _ORDER if each in pools), next(iter(pools)))
    is_given = value in lists.female.known or value in lists.male.known
    return "given" if pool == "family" and is_given and value not in lists.family.known else pool


def _without_gender(lists: NameLists) -> NameLists:
    unknown: frozenset[str] = frozenset()
    return lists._replace(female=lists.female._replace(known=unknown), male=lists.male._replace(known=unknown))


@dataclass
class _ScopeDraws:
    """The draws of one scope, and the surrogates that it has already, by family, as they are compared."""

    lists: NameLists
    regions: RegionalCities | None
    keyed: KeyedDraws
    taken: dict[str, set[str]] = field(default_factory=lambda: {WORD: set()})

    def take(self, family: str, text: str | None) -> None:
        """Take a surrogate from its family, a state by its code and its name."""
        if text is None:
            return
        for form in _STATES.get(_plain(text), (text,)) if family == WORD else (text,):
            self.taken.setdefault(family, set()).add(_compared(family, form))
            if _reads_as_word(form):
                self.taken[WORD].add(form.lower())

    def is_free(self, family: str, text: str) -> bool:
        """Return whether no value of the scope has a surrogate, nor a code of letters that reads as it."""
        compared = _compared(family, text)
        return compared not in self.taken.get(family, ()) and not (
            _reads_as_word(compared) and compared.lower() in self.taken[WORD]
        )

    def surrogate(self, pool: Pool, value: str, number: int, unit: ScopeValue) -> DrawnSurrogate:
        """Return the first free surrogate of the half that does not contain a value; a number is its first draw."""
        if is_reserved(pool, value):
            return DrawnSurrogate(None)
        half = 1 - half_of(value)
        if pool in _LISTED:
            return self._listed(pool, value, half, number, unit)
        if pool == _STATE:
            states = _states_of_half(half)
            return self._first_free(WORD, (states[drawn % len(states)][1] for drawn in self._numbers(0, number, *unit)))
        write = SHAPES.get(pool) or RESERVED[pool]
        drawn = (write(value, each) for each in self._numbers(len(value), number, *unit))
        is_whole = pool in RESERVED or is_small(pool, value)
        return self._first_free(FAMILIES[pool], (e for e in drawn if e and (is_whole or half_of(e) == half)))

    def _listed(self, pool: Pool, value: str, half: int, number: int, unit: ScopeValue) -> DrawnSurrogate:
        """Return an entry of a half of a list; a city of its region, or if that is used up, of the country."""
        near = None if self.regions is None or pool != "city" else self.regions.same_region(value)
        names = _list_of(pool, value, self.lists)
        picked = _picked((near or names).halves[half], self._numbers(0, number, *unit))
        found = self._first_free(WORD, picked)
        if found.text is None and near is not None:
            found = self._first_free(WORD, _picked(names.halves[half], self._numbers(0, None, "elsewhere", *unit)))
        if found.text is not None or not names.entries:
            return found
        words = map(_composed, self._numbers(0, None, f"composed {pool}", *unit))
        own = (each for each in words if half_of(each) == half and not self._is_listed(each))
        return self._first_free(WORD, own)._replace(is_composed=True)

    def _is_listed(self, word: str) -> bool:
        return any(_plain(word) in each.known for each in self.lists)

    def _first_free(self, family: str, drawn: Iterable[str]) -> DrawnSurrogate:
        return DrawnSurrogate(next((each for each in drawn if self.is_free(family, each)), None))

    def _numbers(self, length: int, first: int | None, *parts: str) -> Iterator[int]:
        """Yield numbers, of 128 bits and more for each 20 of some characters, beginning with the first if given.

        The leading bits of a first number order the values, and no draw uses them.
        """
        blocks = range(length // (20 * _BLOCKS))
        for attempt in range(TRIES):
            drawn = first if first is not None and not attempt else self.keyed.number(*parts, str(attempt))
            drawn %= 1 << (KeyedDraws.BITS - 128)
            for block in blocks:
                drawn = drawn << KeyedDraws.BITS | self.keyed.number(*parts, str(attempt), str(block))
            yield drawn


def _compared(family: str, text: str) -> str:
    return squeeze_spaces(_plain(text)) if family == WORD else text


def _picked(names: WeightedList, numbers: Iterable[int]) -> Iterator[str]:
    return (names.entries[names.pick(number % _WEIGHTS)] for number in numbers if names.entries)


def _list_of(pool: Pool, value: str, lists: NameLists) -> WeightedList:
    """Return the list of a value: that of its gender, for both genders and for none that of an unkeyed hash."""
    if pool != "given":
        return {"family": lists.family, "city": lists.city}.get(pool, lists.organization)
    gender = lists.gender(value) or ("female" if is_drawn_female(value) else "male")
    return lists.female if gender == "female" else lists.male


@cache
def _states_of_half(half: int) -> tuple[tuple[str, str], ...]:
    return tuple(state for state in STATE_NAMES if half_of(state[1]) == half)


def _initial(value: str, number: int, found: Mapping[ScopeValue, DrawnSurrogate], draws: KeyedDraws) -> DrawnSurrogate:
    """Return the first letter of the surrogate of a name that an initial may abbreviate, else any letter."""
    names = sorted(
        (draws.number("initial", name), each.text)
        for (family, name), each in found.items()
        if family == WORD and len(name) > 1 and name[0] == value and each.text
    )
    return DrawnSurrogate(names[0][1][0] if names else LETTERS[number % len(LETTERS)])


def _composed(draw: int) -> str:
    word = ""
    for _ in range(3):
        draw, consonant = divmod(draw, len(_CONSONANTS))
        draw, vowel = divmod(draw, len(_VOWELS))
        word += _CONSONANTS[consonant] + _VOWELS[vowel]
    return (word + _ENDS[draw % len(_ENDS)]).capitalize()


_plain = lru_cache(maxsize=1 << 14)(plain_form)
