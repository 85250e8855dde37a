"""Numbers with a check digit: which kind a code is of, and the same code with the digit that it needs."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from spark_deid.text.patterns.lists import read_lines

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_IBAN_LENGTHS = {country: int(length) for country, length in map(str.split, read_lines("iban_lengths.txt"))}
_ACCOUNT = re.compile("[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9])+")
"""How an account is written; other texts that have its letters and figures are none: al88davis@gmail.com."""
_FEWEST = 13
"""The fewest characters of a number of a card."""
_SIGNS = re.compile(r"[\W_]+")


def scheme_of(code: str) -> str | None:
    """Return the kind of a code of letters in upper case and figures by its check digit; None if it lacks one.

    >>> [scheme_of(code) for code in ("4111111111111111", "12345678Z", "9434765919", "111222333", "1234")]
    ['luhn', 'dni', 'nhs', 'bsn', None]
    """
    schemes = _SCHEMES_OF_LENGTH.get(len(code), ())
    return next((name for name in schemes if _has_shape(name, code) and _SCHEMES[name](code) == code), None)


def loses_check_digit(before: str, after: str) -> bool:
    """Return whether a text, as a whole, is a number of a card or an account whose check digit is wrong in another.

    >>> loses_check_digit("4111 1111 1111 1111", "4111 1111 1111 1112"), loses_check_digit("12 Elm", "17 Oak")
    (True, False)
    """
    if len(before) < _FEWEST or (scheme := scheme_of(_SIGNS.sub("", before))) not in ("luhn", "iban"):
        return False
    if scheme == "iban" and _ACCOUNT.fullmatch(before) is None:
        return False
    new = _SIGNS.sub("", after)
    return not (_has_shape(scheme, new) and _SCHEMES[scheme](new) == new)


def with_check_digit(scheme: str, code: str) -> str | None:
    """Return a code with the check digit that its kind needs; None where no digit can make it valid.

    >>> with_check_digit("luhn", "4111111111111110"), with_check_digit("iban", "DE00370400440532013000")
    ('4111111111111111', 'DE89370400440532013000')
    """
    return _SCHEMES[scheme](code)


def without_check_digit(code: str) -> str:
    """Return a code without the characters that its other characters determine.

    >>> without_check_digit("12345678Z"), without_check_digit("GB29NWBK60161331926819"), without_check_digit("1234")
    ('12345678', 'GBNWBK60161331926819', '1234')
    """
    scheme = scheme_of(code)
    if scheme is None:
        return code
    return code[:2] + code[4:] if scheme == "iban" else code[:-1]


def _has_shape(name: str, code: str) -> bool:
    if not code.isascii():
        return False
    if name == "luhn":
        return code.isdigit() and 13 <= len(code) <= 19
    if name == "nhs":
        return code.isdigit() and len(code) == 10
    if name == "bsn":
        return code.isdigit() and len(code) == 9
    if name == "dni":
        return len(code) == 9 and code[:-1].isdigit() and code[-1] in _DNI
    if name == "nie":
        return len(code) == 9 and code[0] in "XYZ" and code[1:-1].isdigit() and code[-1] in _DNI
    return len(code) == _IBAN_LENGTHS.get(code[:2]) and code[2:4].isdigit() and code.isalnum()


def _luhn(code: str) -> str:
    total = 0
    for place, figure in enumerate(reversed(code[:-1])):
        doubled = int(figure) * (2 - place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return f"{code[:-1]}{-total % 10}"


def _nhs(code: str) -> str | None:
    check = -sum(int(figure) * (10 - place) for place, figure in enumerate(code[:9])) % 11
    return None if check == 10 else f"{code[:9]}{check}"


def _bsn(code: str) -> str | None:
    check = sum(int(figure) * (9 - place) for place, figure in enumerate(code[:8])) % 11
    return None if check == 10 else f"{code[:8]}{check}"


def _dni(code: str) -> str:
    return code[:-1] + _DNI[int(code[:-1]) % 23]


def _nie(code: str) -> str:
    return code[:-1] + _DNI[int(f"{'XYZ'.index(code[0])}{code[1:-1]}") % 23]


def _iban(code: str) -> str:
    turned = f"{code[4:]}{code[:2]}00"
    number = int("".join(str(int(character, 36)) for character in turned))
    return f"{code[:2]}{98 - number % 97:02d}{code[4:]}"


_SCHEMES: Mapping[str, Callable[[str], str | None]] = MappingProxyType(
    {"luhn": _luhn, "nhs": _nhs, "bsn": _bsn, "dni": _dni, "nie": _nie, "iban": _iban}
)
_LENGTHS = {"luhn": range(13, 20), "nhs": (10,), "bsn": (9,), "dni": (9,), "nie": (9,), "iban": _IBAN_LENGTHS.values()}
_SCHEMES_OF_LENGTH = {
    length: tuple(name for name in _SCHEMES if length in _LENGTHS[name])
    for length in {each for lengths in _LENGTHS.values() for each in lengths}
}
