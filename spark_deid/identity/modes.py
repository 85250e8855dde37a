"""Modes that show a value by a rule of its kind, for any person: HIPAA's Safe Harbor, and limited data sets.

The rules are data, ``data/modes.yaml``; kinds and attributes without a rule are suppressed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import yaml

FULL, PARTIAL, STATISTICAL = "full", "partial", "statistical"


@dataclass(frozen=True)
class ModeRule:
    """What is shown of a value.

    Ages from ``top`` on are shown as one; of a postcode ``digits`` are shown, of those of ``sparse`` prefixes zeros;
    of a date its ``year`` only, unless who was born then can be ``top`` years old.
    """

    show: str
    top: int = 0
    digits: int = 0
    sparse: tuple[str, ...] = ()

    def published(self, value: str, last_year: int) -> str | None:
        """Return what is shown of a value, None where nothing may be.

        >>> ModeRule("age", top=90).published("93", 2030)
        '90+'
        >>> ModeRule("postcode", digits=3, sparse=("036",)).published("03601", 2030)
        '000**'
        """
        if self.show == "age":
            return f"{self.top}+" if self.top and int(value) >= self.top else value
        if self.show == "postcode":
            return self._prefix(value) if self.digits else value
        if self.show == "year":
            year = value[:4]
            return year if year.isdecimal() and not (self.top and last_year - int(year) >= self.top) else None
        return value

    def _prefix(self, value: str) -> str | None:
        if not value.isdecimal():
            return None
        prefix = value[: self.digits]
        shown = "0" * self.digits if prefix in self.sparse else prefix
        return shown + "*" * (len(value) - self.digits)


@cache
def rules_of(mode: str) -> Mapping[str, ModeRule]:
    """Return the rules of a mode, by attribute or kind."""
    content = yaml.safe_load(files("spark_deid.identity").joinpath("data", "modes.yaml").read_text(encoding="utf-8"))
    made = {}
    for name, given in content[mode].items():
        record = dict(given)
        record["sparse"] = tuple(content["sparse_prefixes"]) if record.get("sparse") else ()
        made[name] = ModeRule(**record)
    return MappingProxyType(made)


def rule_for(mode: str, attribute: str, kind: str, sparse: tuple[str, ...] | None = None) -> ModeRule | None:
    """Return a mode's rule of an attribute, else of its kind; ``sparse`` prefixes replace those of the rules."""
    rules = rules_of(mode)
    rule = rules.get(attribute) or rules.get(kind)
    if rule is None or sparse is None or not rule.sparse:
        return rule
    return ModeRule(rule.show, rule.top, rule.digits, sparse)
