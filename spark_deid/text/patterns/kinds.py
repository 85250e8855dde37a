"""The registry of pattern kinds: a name, the label of its spans, and the function that finds them."""

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.text.patterns.dates import find_dates
from spark_deid.text.patterns.network import find_emails, find_ip_addresses, find_mac_addresses, find_urls
from spark_deid.text.patterns.numbers import find_cards, find_codes, find_ibans, find_ssns
from spark_deid.text.patterns.phone import find_phones
from spark_deid.text.patterns.scan import Interval, Scan


class Kind(NamedTuple):
    """What one kind of pattern finds, and under which label."""

    label: str
    find: Callable[[Scan], Iterable[Interval]]


KINDS = MappingProxyType(
    {
        "email": Kind("EMAIL", find_emails),
        "url": Kind("URL", find_urls),
        "ip": Kind("IP", find_ip_addresses),
        "mac": Kind("MAC", find_mac_addresses),
        "phone": Kind("PHONE", find_phones),
        "ssn": Kind("SSN", find_ssns),
        "card": Kind("CARD", find_cards),
        "iban": Kind("IBAN", find_ibans),
        "date": Kind("DATE", find_dates),
        "code": Kind("CODE", find_codes),
    }
)
ALL_KINDS = tuple(KINDS)
