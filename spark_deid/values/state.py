"""States of the United States by name or abbreviation; elsewhere a state is a term."""

from functools import cache

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form

_STATES = (
    "AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware;"
    "DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa;KS Kansas;"
    "KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;MI Michigan;MN Minnesota;MS Mississippi;"
    "MO Missouri;MT Montana;NE Nebraska;NV Nevada;NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;"
    "NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;PR Puerto Rico;RI Rhode Island;"
    "SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;WA Washington;"
    "WV West Virginia;WI Wisconsin;WY Wyoming;AS American Samoa;GU Guam;MP Northern Mariana Islands;VI Virgin Islands"
)

STATE_NAMES = tuple((code, name) for code, _, name in (entry.partition(" ") for entry in _STATES.split(";")))
"""The two letters and the name of each, in order."""


def read_state(surface: str, locale: ValueLocale) -> str | None:
    """Return a state's two letters in the United States, None where there is no such state; else plain text.

    >>> (
    ...     read_state("wisconsin", ValueLocale()),
    ...     read_state("W.I.", ValueLocale()),
    ...     read_state("Jalisco", ValueLocale("es", "MX")),
    ... )
    ('WI', 'WI', 'jalisco')
    """
    words = plain_form(surface)
    if locale.country != "US":
        return words or None
    return _known().get(words) or _known().get(words.replace(" ", ""))


def name_of_state(value: str, locale: ValueLocale) -> str:
    """Return the name of a state as ``read_state`` gives it: of two letters in the United States what they mean.

    >>> name_of_state("WI", ValueLocale()), name_of_state("jalisco", ValueLocale("es", "MX"))
    ('Wisconsin', 'jalisco')
    """
    return _names().get(value, value) if locale.country == "US" else value


@cache
def _names() -> dict[str, str]:
    return dict(entry.split(" ", 1) for entry in _STATES.split(";"))


@cache
def _known() -> dict[str, str]:
    pairs = [entry.split(" ", 1) for entry in _STATES.split(";")]
    return {plain_form(name): code for code, name in pairs} | {code.lower(): code for code, _ in pairs}
