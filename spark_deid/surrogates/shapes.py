"""Sample numbers, codes and addresses in the shape of others, and the number of values of a shape."""

import re
from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType

from spark_deid.surrogates.check_digits import scheme_of, with_check_digit
from spark_deid.surrogates.reserved_ranges import LETTERS, draw_signs

FEWEST_VALUES = 20
"""A shape with fewer values has no halves: its surrogates are sampled from all its values."""
_OLDEST = 90
_BLOCK = 10
"""Years of age that are replaced by one another; 90 and more are one block."""
_FIGURES = 10
_HEXADECIMAL_LETTERS = "ABCDEF"
_NETWORKS = tuple(number for number in range(1, 224) if number not in (10, 100, 127, 169, 172, 192, 198, 203))
"""First numbers of addresses, without those of which some are private, of one link, for tests or for examples."""
_KIND_OF_ADDRESS, _GROUP = re.compile("FE(?=[89AB])|F[CD]|FF..|[23]"), 4
"""The kind of an address: of a link (fe80::/10), local (fc00::/7), of several devices (ff00::/8, with its scope)
or global (2000::/3), in the first group of figures and letters."""


def is_small(pool: str, value: str) -> bool:
    """Return whether a value of letters and figures has a shape with fewer than FEWEST_VALUES values.

    >>> [is_small("code", value) for value in ("7", "07", "17", "A")], is_small("age", "7")
    ([True, True, False, False], False)
    """
    if pool in ("code", "figures"):
        return len(value) <= 2 and prod(map(_number_of_signs, range(len(value)), value)) < FEWEST_VALUES
    if pool == "ip6":
        rest = value[len(_kind_of_address(value)) :]
        return prod(_FIGURES if each.isdigit() else len(_HEXADECIMAL_LETTERS) for each in rest) < FEWEST_VALUES
    return False


def _number_of_signs(place: int, sign: str) -> int:
    """Return the number of signs that can replace a sign of a code; a zero that leads other signs remains."""
    if not sign.isdigit():
        return len(LETTERS)
    return _FIGURES if place else 1 if sign == "0" else _FIGURES - 1


def _code(value: str, draw: int) -> str | None:
    """Sample letters and digits in the places of others. A leading zero remains, and a check digit is valid."""
    scheme = scheme_of(value)
    if value.isascii() and value.isdigit():
        written = _digits(value, draw)
        return with_check_digit(scheme, written) if scheme else written
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


def _digits(value: str, draw: int) -> str:
    """Sample digits as ``_code`` does; the number that is sampled has the last digit first."""
    draw, first = divmod(draw, 9)
    rest = len(value) - 1
    begin = "0" if rest and value[0] == "0" else str(first + 1)
    return begin + f"{draw % 10**rest:0{rest}d}"[::-1] if rest else begin


def _age(value: str, draw: int) -> str:
    """Sample an age from a fixed block of ten years; ages of 90 and more are one block."""
    return str(min(int(value), _OLDEST) // _BLOCK * _BLOCK + draw % _BLOCK)


def _ip(_: str, draw: int) -> str:
    """Sample an address of a device of the public net, neither multicast nor private."""
    first, rest = _NETWORKS[draw % len(_NETWORKS)], draw // len(_NETWORKS)
    return f"{first}.{rest & 0xFF}.{rest >> 8 & 0xFF}.{1 + (rest >> 16) % 254}"


def _ip6(value: str, draw: int) -> str | None:
    """Sample digits and letters of an address of the same kind."""
    kind = _kind_of_address(value)
    drawn = kind + draw_signs(value[len(kind) :], draw, _HEXADECIMAL_LETTERS)
    return drawn if _kind_of_address(drawn) == kind else None


def _kind_of_address(value: str) -> str:
    kind = _KIND_OF_ADDRESS.match(value) if len(value) >= _GROUP else None
    return kind[0] if kind else ""


def _mac(value: str, draw: int) -> str:
    """Sample an address of a single device that is administered locally, so no maker has it."""
    drawn = draw_signs(value, draw, _HEXADECIMAL_LETTERS)
    return drawn[0] + ("26" if value[1].isdigit() else "AE")[draw % 2] + drawn[2:]


SHAPES: Mapping[str, Callable[[str, int], str | None]] = MappingProxyType(
    {"code": _code, "figures": _code, "age": _age, "ip": _ip, "ip6": _ip6, "mac": _mac}
)
"""Functions that sample a surrogate in the shape of a value, by pool."""
