"""The registry of pattern kinds: a name, the label of its spans, and the function that finds them."""

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.text.patterns.ages import find_ages, find_ages_over_89
from spark_deid.text.patterns.dates import find_dates
from spark_deid.text.patterns.handles import find_handles
from spark_deid.text.patterns.national import find_national_numbers
from spark_deid.text.patterns.network import find_emails, find_ip_addresses, find_mac_addresses, find_urls
from spark_deid.text.patterns.numbers import find_cards, find_codes, find_ibans, find_ssns
from spark_deid.text.patterns.persons import find_titled
from spark_deid.text.patterns.phone import find_phones
from spark_deid.text.patterns.places import find_addresses, find_postcodes
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.short_dates import find_partial_dates
from spark_deid.text.patterns.vehicles import find_plates


class PatternKind(NamedTuple):
    """What one kind of pattern finds, under which label.

    ``part`` says in words which part of what has this label the kind finds, where it is but a part; ``kinds: all``
    means none of these.
    """

    label: str
    find: Callable[[TextScan], Iterable[Interval]]
    part: str = ""

    @property
    def is_common(self) -> bool:
        """Tell whether ``kinds: all`` means this one, too."""
        return not self.part


KINDS = MappingProxyType(
    {
        "email": PatternKind("EMAIL", find_emails),
        "url": PatternKind("URL", find_urls),
        "ip": PatternKind("IP", find_ip_addresses),
        "mac": PatternKind("MAC", find_mac_addresses),
        "phone": PatternKind("PHONE", find_phones),
        "ssn": PatternKind("SSN", find_ssns),
        "card": PatternKind("CARD", find_cards),
        "iban": PatternKind("IBAN", find_ibans),
        "date": PatternKind("DATE", find_dates),
        "partial_date": PatternKind("DATE", find_partial_dates, part="weekdays, holidays, seasons and single years"),
        "age": PatternKind("AGE", find_ages),
        "age_over_89": PatternKind("AGE", find_ages_over_89, part="ages over 89"),
        "address": PatternKind("ADDRESS", find_addresses),
        "postcode": PatternKind("POSTCODE", find_postcodes),
        "plate": PatternKind("PLATE", find_plates),
        "titled": PatternKind("NAME", find_titled, part="names after titles"),
        "handle": PatternKind("HANDLE", find_handles),
        "national": PatternKind("CODE", find_national_numbers),
        "code": PatternKind("CODE", find_codes),
    }
)
ALL_KINDS = tuple(name for name, kind in KINDS.items() if kind.is_common)
"""What ``kinds: all`` means. Not ``age_over_89``, which ``age`` holds, nor ``titled``, where a model finds more, nor
``partial_date``, which tells little of a person and stands everywhere."""
