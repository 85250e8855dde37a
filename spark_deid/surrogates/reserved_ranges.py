"""Numbers and addresses that belong to no one: of ranges that are reserved for examples, or that no one gives out."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from spark_deid.surrogates.check_digits import with_check_digit

LETTERS, _FIGURES = "ABCDEFGHJKLMNPRSTUVWXYZ", "0123456789"
_BANKS = MappingProxyType(
    {
        **dict.fromkeys(("ES", "PT"), "[0-9]{4}"),
        **dict.fromkeys(("AT", "CH", "FR"), "[0-9]{5}"),
        **dict.fromkeys(("DE", "PL"), "[0-9]{8}"),
        **dict.fromkeys(("GB", "IE", "NL"), "[A-Z]{4}"),
        "IT": "[A-Z][0-9]{5}",
    }
)
"""The code of a bank, of PL with its branch and of IT with the letter before it, by countries where one of zeros, or of
X, is not a bank's."""
_HEAD = re.compile("|".join(f"{country}[0-9]{{2}}{bank}" for country, bank in _BANKS.items()))
_SHAPES = MappingProxyType(
    {
        "reserved ssn": re.compile("[0-9]{9}"),
        "reserved card": re.compile("[0-9]{13,19}"),
        "reserved iban": re.compile(f"(?:{_HEAD.pattern})[A-Z0-9]{{6,22}}"),
    }
)
"""What has a range."""
_RANGES = MappingProxyType(
    {
        "reserved phone": re.compile("[0-9]*55501[0-9]{2}$"),
        "reserved host": re.compile(r"example\.(?:org|com|net)$"),
        "reserved ip": re.compile(r"0*192\.0+\.0*2\."),
        "reserved ip6": re.compile("0*2001:0*DB8(?::|$)"),
        "reserved mac": re.compile("00005E0053"),
        "reserved ssn": re.compile("666"),
        "reserved card": re.compile("0000"),
    }
)
"""The ranges themselves; that of accounts is one bank per country."""


def has_range(pool: str, value: str) -> bool:
    """Return whether there is a range for a number of a social security, of a card or of an account.

    >>> has_range("reserved ssn", "123456789"), has_range("reserved ssn", "6789"), has_range("reserved iban", "BE68")
    (True, False, False)
    """
    return _SHAPES[pool].fullmatch(value) is not None


def is_reserved(pool: str, value: str) -> bool:
    """Return whether a value is itself in the reserved range of its pool; such values are suppressed.

    >>> is_reserved("reserved host", "example.org"), is_reserved("reserved phone", "6175550123")
    (True, True)
    >>> is_reserved("reserved ip6", "2001:DB8::7"), is_reserved("reserved host", "clinic.org")
    (True, False)
    """
    if pool == "reserved iban":
        head = _HEAD.match(value)
        return head is not None and set(head[0][4:]) <= {"0", "X"}
    return pool in _RANGES and _RANGES[pool].match(value) is not None


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
    return with_check_digit("luhn", "0000" + draw_signs("0" * (len(value) - 4), draw))


def _iban(value: str, draw: int) -> str | None:
    """Draw an account of the same country, of a bank that is none; its check digits are right."""
    head = _HEAD.match(value)
    if head is None:
        return None
    bank = "".join("0" if each.isdigit() else "X" for each in head[0][4:])
    return with_check_digit("iban", f"{value[:2]}00{bank}{draw_signs(value[head.end() :], draw)}")


def draw_signs(value: str, draw: int, letters: str = LETTERS) -> str:
    """Draw a figure in the place of each figure, and one of some letters in that of each other sign."""
    drawn = []
    for character in value:
        signs = _FIGURES if character.isdigit() else letters
        draw, number = divmod(draw, len(signs))
        drawn.append(signs[number])
    return "".join(drawn)


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
