"""Public halves of values: a surrogate is sampled from the half that does not contain its original.

The half of a value depends on the value only, so a surrogate reveals one bit of its original and no more.
"""

from functools import cache, lru_cache
from hashlib import blake2b
from importlib import resources

from spark_deid.surrogates.check_digits import without_check_digit
from spark_deid.values.plain import plain_form

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
