"""Write docs/reference/plans.md: the detectors, techniques and guarantees, and the keys of a plan.

The page's second half is written from the registries, so that it names what is there and nothing else.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import PlanSettings
from spark_deid.rewriting.registry import TECHNIQUES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "plans.md"
BEGIN = "<!-- from the registries: resources/write_reference.py writes the rest of the page -->\n"
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "minLength": "characters, at least",
}


def reference() -> str:
    """Return the detectors, techniques and guarantees of this package, with their keys, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _keys(settings: type[BaseModel], before: str = "") -> Iterator[str]:
    """Yield one row per key of a plan that belongs to no method, and then the rows of its sections."""
    schema = settings.model_json_schema()
    for name, field in settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _keys(field.annotation, f"{before}{name}.")
        else:
            value = schema["properties"][name]
            kinds = _allowed(value, schema) or "a mapping"
            default = _default(value, needed=name in schema.get("required", ()))
            yield f"| `{before}{name}` | {default} | {kinds} | {field.description or ''} |"


def _lines() -> Iterator[str]:
    yield from ("## Keys", "", "Keys of the plan itself. Detectors, techniques and guarantees have further keys.", "")
    yield from ("| Key | Default | Values | Meaning |", "|---|---|---|---|", *_keys(PlanSettings), "")
    yield "## Detectors"
    for name, detector in DETECTORS.built_in_items():
        labels = "".join(_own_label(label, techniques) for label, techniques in detector.techniques.items())
        yield from _section(name, detector.settings, f"`{detector.example}`{labels}", inline=detector.inline)
    yield from ("", "## Techniques")
    for name, technique in TECHNIQUES.built_in_items():
        told = technique.describe(technique.settings())
        yield from _section(name, technique.settings, f"`rules: {{LABEL: {name}}}`: {told}.")
    yield from ("", "## Guarantees")
    for name, guarantee in GUARANTEES.built_in_items():
        asked = f"`guarantees: {{{name}: ...}}`" if guarantee.settings else "Applies if the plan uses its method."
        yield from _section(name, guarantee.settings, f"{asked} In assessments: `{guarantee.assessment}`.")


def _own_label(label: str, techniques: tuple[str, ...]) -> str:
    others = f". Allowed are {', '.join(f'`{each}`' for each in techniques)}" if techniques[1:] else ", and no other"
    return f" Its label `{label}` has the technique `{techniques[0]}`{others}."


def _section(name: str, settings: type[BaseModel] | None, head: str, *, inline: bool = False) -> Iterator[str]:
    yield from ("", f"### {name}", "", head)
    schema = settings.model_json_schema() if settings else {}
    values = schema if "properties" in schema else _value(schema)
    properties, needed = values.get("properties", {}), values.get("required", ())
    if not properties:
        return
    yield from ("", " ".join(str(schema.get("description", "")).split("\n\n")[0].split()).replace("``", "`"), "")
    where = "Key of the plan" if inline else "Key"
    yield from (f"| {where} | Default | Values |", "|---|---|---|")
    for key, value in properties.items():
        yield f"| `{key}` | {_default(value, needed=key in needed)} | {_allowed(value, schema)} |"


def _value(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of each value of a section that maps the user's names to settings."""
    reference = schema.get("additionalProperties", {})
    name = reference.get("$ref", "").rpartition("/")[2] if isinstance(reference, dict) else ""
    found: dict[str, Any] = schema.get("$defs", {}).get(name, {})
    return found


def _default(value: dict[str, Any], *, needed: bool) -> str:
    default = value.get("default")
    if needed:
        return "required"
    if default in (None, "", [], {}):
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _allowed(value: dict[str, Any], schema: dict[str, Any]) -> str:
    options = value.get("anyOf", [value])
    return " or ".join(word for word in (_type(option, schema) for option in options) if word)


def _type(value: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in value:
        return _type(schema["$defs"][value["$ref"].rpartition("/")[2]], schema)
    if "enum" in value or "const" in value:
        return ", ".join(f"`{word}`" for word in value.get("enum", [value.get("const")]))
    if value.get("type") in ("null", None):
        return ""
    bounds = ", ".join(f"{word} {_bound(value[key])}" for key, word in _BOUNDS.items() if key in value)
    words = {"array": "a list", "object": "a mapping", "string": "text", "boolean": "`true`, `false`"}
    kind = words.get(value["type"], value["type"])
    return f"{kind}, {bounds}" if bounds else kind


def _bound(value: float) -> str:
    power = int(value).bit_length() - 1
    return f"2^{power}" if power > 32 and value == 2**power else f"{value:g}"


if __name__ == "__main__":
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(head + BEGIN + reference(), encoding="utf-8")
