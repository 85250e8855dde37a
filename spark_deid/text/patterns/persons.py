"""Names of people by what is before them: titles and initials. For plans without a model, which finds more."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_CAPITAL = "A-ZÀ-ÖØ-ÞŠŽĐŁ"
_SURNAME = rf"(?:(?:van|von|de|del|der|la|le|di|da|al|bin|ibn|St\.) ){{0,2}}(?:[dDlO]')?[{_CAPITAL}][\w'-]{{1,30}}"
_TITLED = re.compile(
    r"(?<!\w)(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Lady|Rev|Fr|Sgt|Capt|Lt|Col|Gen|Judge|Justice|Sr|Sra|Srta|Dra"
    rf"|Herr|Frau|Mme|Mlle|Me)\.? ((?:[{_CAPITAL}]\.[ -]?){{0,3}}{_SURNAME}(?: (?:[{_CAPITAL}]\. )?{_SURNAME}){{0,2}})"
)
_INITIALS = re.compile(
    rf"(?<![\w.])(?!U\. ?[SKN]\.)(?:[{_CAPITAL}]\. ?){{1,3}}"
    rf"(?!(?:The|And|But|This|That|These|It|In|On|At|He|She|We|They|There|If|When|As|No|Of|For|A|An|I)(?!\w)){_SURNAME}"
)


def find_titled(scan: TextScan) -> Iterator[Interval]:
    """Find names after titles and initials: "Dr. A. Lee" without the title, "J. R. van Dyke"."""
    reach = 0
    titled = [match.span(1) for match in _TITLED.finditer(scan.text)]
    for start, end in sorted([*titled, *(match.span() for match in _INITIALS.finditer(scan.text))]):
        if end > reach:
            yield start, end
            reach = end
