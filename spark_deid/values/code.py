"""Codes that name a person, such as record numbers: letters and digits alone."""

import re

from spark_deid.text.base_letters import normalize
from spark_deid.values.locale import ValueLocale

_LED_BY = re.compile(
    r"^(?:mrn|ssn|id|no|nr|num|number|acct|account|nhc|dni|nif|nie|n[ºo°]|#)\b\s*[:.#]*\s*", re.IGNORECASE
)
_OTHERS = re.compile(r"[^0-9A-Z]+")


def read_code(surface: str, locale: ValueLocale) -> str | None:
    """Return a code's letters and digits in upper case, None where it has none.

    >>> read_code("MRN: sh-02-22222", ValueLocale())
    'SH0222222'
    """
    text = normalize("NFKC", surface).strip()
    return _OTHERS.sub("", _LED_BY.sub("", text).upper()) or None
