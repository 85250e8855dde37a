"""Examples of the text that replaces an attribute: a value of an equivalence class, or a value that a mode allows."""

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
"""Examples of values of equivalence classes, by algorithm and kind of value."""
_OTHERS = {"mondrian": "a set of values {a, b}", "incognito": "the original value"}
_PLACES = {"city": "[Wisconsin]", "state": "[East North Central]"}
_VALUES = {
    "age": ("77", "93"),
    "date": ("2001-06-22",),
    "postcode": ("53710", "03601"),
    "gender": ("female",),
    "state": ("wisconsin",),
    "city": ("madison",),
}
"""Original values whose published form the examples of modes show, by kind."""


def written_for(attribute: str, keys: "IdentityKeys") -> str:
    """Describe the text that replaces mentions of an attribute. ``keys`` has the plan's identity and anonymity."""
    identity = keys.identity
    if attribute not in identity.roles.quasi:
        return f"{PLACEHOLDER}, because {attribute} is not a quasi-identifier"
    kind = identity.kind(attribute)
    if identity.mode != STATISTICAL:
        return _by_mode(attribute, kind, keys)
    algorithm, folder = keys.classes.algorithm, keys.classes.hierarchies
    shared = _SHARED.get(algorithm, {}).get(kind, _OTHERS.get(algorithm, "a common ancestor"))
    if folder is not None and (folder / f"{attribute}.csv").is_file():
        shared = f"a label of {attribute}.csv"
    elif attribute in keys.places:
        shared = _PLACES[kind]
    return f"a value that fits all people of the equivalence class, such as {shared}"


def _by_mode(attribute: str, kind: str, keys: "IdentityKeys") -> str:
    identity = keys.identity
    rule = rule_for(identity.mode, attribute, kind, identity.sparse)
    values = [] if rule is None else [rule.published(value, identity.last_year) for value in _VALUES.get(kind, ())]
    shown = [write_value("", kind, value) for value in values if value is not None]
    if not shown:
        return f"{PLACEHOLDER}, because mode {identity.mode} does not allow {attribute}"
    return f"the {attribute.replace('_', ' ')} that mode {identity.mode} allows, such as {' or '.join(shown)}"
