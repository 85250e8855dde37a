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

    name: str
    label: str
    find: Callable[[Scan], Iterable[Interval]]


_ALL = (
    Kind("email", "EMAIL", find_emails),
    Kind("url", "URL", find_urls),
    Kind("ip", "IP", find_ip_addresses),
    Kind("mac", "MAC", find_mac_addresses),
    Kind("phone", "PHONE", find_phones),
    Kind("ssn", "SSN", find_ssns),
    Kind("card", "CARD", find_cards),
    Kind("iban", "IBAN", find_ibans),
    Kind("date", "DATE", find_dates),
    Kind("code", "CODE", find_codes),
)

KINDS = MappingProxyType({kind.name: kind for kind in _ALL})
ALL_KINDS = tuple(KINDS)
