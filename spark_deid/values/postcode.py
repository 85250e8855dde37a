"""Postcodes: five digits, or the British and Canadian forms."""

import re

from spark_deid.values.locale import ValueLocale

_FIVE = re.compile(r"([0-9]{5})(?:[-\s]?[0-9]{4})?")
_BRITISH = re.compile(r"([A-Z]{1,2}\d[A-Z\d]?)\s*(\d[A-Z]{2})")
_CANADIAN = re.compile(r"([A-Z]\d[A-Z])[\s-]*(\d[A-Z]\d)")
_LED_BY = re.compile(r"^(?:zip(?:\s*code)?|postcode|c\.?\s*p\.?|c[oó]digo postal)\s*[:.]?\s*", re.IGNORECASE)


def read_postcode(surface: str, locale: ValueLocale) -> str | None:
    """Return a postcode without what follows its fifth digit, None where the surface is none.

    >>> read_postcode("53710-1234", ValueLocale()), read_postcode("sw1a1aa", ValueLocale("en", "GB"))
    ('53710', 'SW1A 1AA')
    """
    text = _LED_BY.sub("", surface.strip()).strip(" ,.;()").upper()
    lettered = {"GB": _BRITISH, "CA": _CANADIAN}.get(locale.country)
    if lettered is not None:
        match = lettered.fullmatch(text)
        return f"{match[1]} {match[2]}" if match else None
    match = _FIVE.fullmatch(text)
    return match[1] if match else None
