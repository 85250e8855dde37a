"""What is written for an attribute, by examples: what a class may share, or what a mode lets through."""

from typing import TYPE_CHECKING

from spark_deid.identity.generalized_values import write_value
from spark_deid.identity.modes import STATISTICAL, rule_for

if TYPE_CHECKING:
    from spark_deid.identity.settings import IdentityKeys

PLACEHOLDER = "a placeholder"
_SHARED = {
    "mondrian": {
        "age": "[70-79]",
        "date": "[1940-01-01..1949-12-31]",
        "postcode": "[53710-53719]",
        "gender": "[female] or {female, male}",
    },
    "incognito": {"age": "[70-79]", "date": "[1940-1949]", "postcode": "[5371*]"},
}
"""What several persons may share, by algorithm and kind of value."""
_OTHERS = {"mondrian": "a set of values, {a, b}", "incognito": "the value itself"}
_PLACES = {"city": "[Wisconsin]", "state": "[East North Central]"}
_VALUES = {
    "age": ("77", "93"),
    "date": ("2001-06-22",),
    "postcode": ("53710", "03601"),
    "gender": ("female",),
    "state": ("wisconsin",),
    "city": ("madison",),
}
"""Values that rules of modes are shown by, by kind."""


def written_for(attribute: str, keys: "IdentityKeys") -> str:
    """Say what mentions of an attribute show under a plan; ``keys`` are those of its identity and anonymity."""
    identity = keys.identity
    if attribute not in identity.roles.quasi:
        return f"{PLACEHOLDER}, since {attribute} is no quasi-identifier"
    kind = identity.kind(attribute)
    if identity.mode != STATISTICAL:
        return _by_mode(attribute, kind, keys)
    algorithm, folder = keys.classes.algorithm, keys.classes.hierarchies
    shared = _SHARED.get(algorithm, {}).get(kind, _OTHERS.get(algorithm, "what its values have in common"))
    if folder is not None and (folder / f"{attribute}.csv").is_file():
        shared = f"a label of {attribute}.csv"
    elif attribute in keys.places:
        shared = _PLACES[kind]
    return f"what the class of its person shares, such as {shared}"


def _by_mode(attribute: str, kind: str, keys: "IdentityKeys") -> str:
    identity = keys.identity
    rule = rule_for(identity.mode, attribute, kind, identity.sparse)
    values = [] if rule is None else [rule.published(value, identity.last_year) for value in _VALUES.get(kind, ())]
    shown = [write_value("", kind, value) for value in values if value is not None]
    if not shown:
        return f"{PLACEHOLDER}, since mode {identity.mode} shows nothing of {attribute}"
    return f"its {attribute.replace('_', ' ')} by mode {identity.mode}, such as {' or '.join(shown)}"
