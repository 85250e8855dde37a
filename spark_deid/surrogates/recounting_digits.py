"""Whether a published number of a card or an account has the check digit that it needs, by a reading of its own."""

import re

_FEWEST_FIGURES, _MOST_FIGURES = 13, 19
"""How many figures a card's number has."""
_BY_LENGTH = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
_COUNTRIES = {length: frozenset(countries.split()) for length, countries in _BY_LENGTH.items()}
_WRITTEN = re.compile(r"([A-Z]{2})(\d{2})((?: ?[A-Z\d])+)", re.ASCII)
"""Country, check digits and the rest, in capitals, together or in groups."""
_CHECKED = range(2, 99)
"""What the sum of an account can be; 00, 01 and 99 leave the same by 97 as others, and are never given."""


def has_check_digit(text: str) -> bool:
    """Tell whether a text is a number of a card or an account with the check digit that it needs.

    >>> [has_check_digit(text) for text in ("4111-1111-1111-1111", "GB29 NWBK 6016 1331 9268 19", "gb29nwbk")]
    [True, True, False]
    """
    return len(text) >= _FEWEST_FIGURES and (_is_card(text) or _is_account(text))


def _is_account(text: str) -> bool:
    """Tell whether a text is an IBAN: turned round, with letters as numbers from 10 on, it leaves 1 by 97."""
    match = _WRITTEN.fullmatch(text)
    if match is None or int(match[2]) not in _CHECKED:
        return False
    rest = match[3].replace(" ", "")
    if match[1] not in _COUNTRIES.get(len(rest) + 4, ()):
        return False
    return int("".join(c if c.isdigit() else str(ord(c) - 55) for c in rest + match[1] + match[2])) % 97 == 1


def _is_card(text: str) -> bool:
    """Tell whether the figures of a text are those of a card."""
    figures = [int(c) for c in text if c.isascii() and c.isdigit()]
    if not _FEWEST_FIGURES <= len(figures) <= _MOST_FIGURES or any(c.isalpha() for c in text):
        return False
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[-2::-2]]
    return (sum(figures[-1::-2]) + sum(doubled)) % 10 == 0
