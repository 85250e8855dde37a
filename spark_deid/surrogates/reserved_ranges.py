"""Numbers and addresses that are nobody's: of ranges that are reserved for examples, or that nobody gives out."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from spark_deid.surrogates.check_digits import with_check_digit

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_NO_BANK = 4
"""How many characters of a bank's code are made such that no bank has it."""
_SHAPES = MappingProxyType(
    {
        "reserved ssn": re.compile("[0-9]{9}"),
        "reserved card": re.compile("[0-9]{13,19}"),
        "reserved iban": re.compile("(?:AT|CH|DE|ES|FR|GB|IE|IT|NL|PL|PT)[0-9]{2}[A-Z0-9]{11,30}"),
    }
)
"""What has a range; of accounts those of countries where a bank's code of zeros, or of X, is no bank's."""


def has_range(pool: str, value: str) -> bool:
    """Tell whether there is a range for a number of a social security, of a card or of an account.

    >>> has_range("reserved ssn", "123456789"), has_range("reserved ssn", "6789"), has_range("reserved iban", "BE68")
    (True, False, False)
    """
    return _SHAPES[pool].fullmatch(value) is not None


def _phone(value: str, draw: int) -> str:
    draw, last = divmod(draw, 100)
    area = str(200 + draw % 800)
    return value[: max(0, len(value) - 10)] + (area if len(value) >= 10 else "") + f"55501{last:02d}"


def _host(_: str, draw: int) -> str:
    return f"example.{('org', 'com', 'net')[draw % 3]}"


def _ip(_: str, draw: int) -> str:
    return f"192.0.2.{1 + draw % 254}"


def _ip6(_: str, draw: int) -> str:
    """Draw an address of the range for documentation (RFC 3849)."""
    return f"2001:db8::{1 + draw % 0xFFFE:x}:{1 + (draw >> 16) % 0xFFFE:x}"


def _mac(_: str, draw: int) -> str:
    """Draw one of the 256 addresses for documentation (RFC 9542)."""
    return f"00005E0053{draw % 256:02X}"


def _ssn(_: str, draw: int) -> str:
    """Draw a number of the area 666, which is never given out."""
    draw, group = divmod(draw, 99)
    return f"666{1 + group:02d}{1 + draw % 9999:04d}"


def _card(value: str, draw: int) -> str | None:
    """Draw a number that begins with zeros, as that of no issuer of cards does; its check digit is right."""
    return with_check_digit("luhn", "0000" + "".join(_drawn("0" * (len(value) - 4), draw)))


def _iban(value: str, draw: int) -> str | None:
    """Draw an account of the same country, of a bank that is none; its check digits are right."""
    bank = "".join("0" if each.isdigit() else "X" for each in value[4 : 4 + _NO_BANK])
    return with_check_digit("iban", f"{value[:2]}00{bank}{''.join(_drawn(value[4 + _NO_BANK :], draw))}")


def _drawn(value: str, draw: int) -> list[str]:
    drawn = []
    for character in value:
        kinds = "0123456789" if character.isdigit() else _LETTERS
        draw, number = divmod(draw, len(kinds))
        drawn.append(kinds[number])
    return drawn


RESERVED: Mapping[str, Callable[[str, int], str | None]] = MappingProxyType(
    {
        "reserved phone": _phone,
        "reserved host": _host,
        "reserved ip": _ip,
        "reserved ip6": _ip6,
        "reserved mac": _mac,
        "reserved ssn": _ssn,
        "reserved card": _card,
        "reserved iban": _iban,
    }
)
"""What draws from each range, for a value, by a number."""
