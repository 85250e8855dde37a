"""The Census Bureau's divisions and regions of the United States, and the countries that locales name."""

from collections.abc import Mapping
from types import MappingProxyType

_DIVISIONS = (
    "Northeast|New England|Connecticut,Maine,Massachusetts,New Hampshire,Rhode Island,Vermont\n"
    "Northeast|Middle Atlantic|New Jersey,New York,Pennsylvania\n"
    "Midwest|East North Central|Illinois,Indiana,Michigan,Ohio,Wisconsin\n"
    "Midwest|West North Central|Iowa,Kansas,Minnesota,Missouri,Nebraska,North Dakota,South Dakota\n"
    "South|South Atlantic|Delaware,District of Columbia,Florida,Georgia,Maryland,North Carolina,South Carolina,"
    "Virginia,West Virginia\n"
    "South|East South Central|Alabama,Kentucky,Mississippi,Tennessee\n"
    "South|West South Central|Arkansas,Louisiana,Oklahoma,Texas\n"
    "West|Mountain|Arizona,Colorado,Idaho,Montana,Nevada,New Mexico,Utah,Wyoming\n"
    "West|Pacific|Alaska,California,Hawaii,Oregon,Washington"
)

DIVISIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        state: (division, area)
        for area, division, states in (line.split("|") for line in _DIVISIONS.splitlines())
        for state in states.split(",")
    }
)
"""Division and region of each state."""

HOMES: Mapping[str, str] = MappingProxyType(
    {
        "AR": "Argentina",
        "AU": "Australia",
        "CA": "Canada",
        "CL": "Chile",
        "CO": "Colombia",
        "CR": "Costa Rica",
        "CU": "Cuba",
        "DO": "Dominican Republic",
        "EC": "Ecuador",
        "ES": "Spain",
        "GB": "United Kingdom",
        "GT": "Guatemala",
        "HN": "Honduras",
        "IE": "Ireland",
        "MX": "Mexico",
        "NI": "Nicaragua",
        "NZ": "New Zealand",
        "PA": "Panama",
        "PE": "Peru",
        "PH": "Philippines",
        "PY": "Paraguay",
        "SV": "El Salvador",
        "US": "United States",
        "UY": "Uruguay",
        "VE": "Venezuela",
        "ZA": "South Africa",
    }
)
"""Countries by the letters that a locale has; where several places have one name, its country's are meant."""
