"""What is wrong with a value that a user gave, in words of our own, and what was probably meant."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

_ALIKE = 0.6
"""How much of two words must agree, as ``difflib`` counts it, for one to be a slip of the other."""
_LONGEST = 40
SIGNS = {"ge": ">=", "gt": "above", "le": "<=", "lt": "below"}
_LIMITS = {
    "greater_than": "gt",
    "greater_than_equal": "ge",
    "less_than": "lt",
    "less_than_equal": "le",
}
_NOUNS = (
    (("int_", "int"), "an integer"),
    (("float_", "finite_number", "decimal_"), "a number"),
    (("bool_",), "true or false"),
    (("string_type", "string_sub_type", "string_unicode"), "text"),
    (("path_type",), "a path"),
    (("tuple_type", "list_type", "set_type", "frozen_set_type", "iterable_type"), "a list, such as [a, b]"),
    (("dict_type", "model_type", "model_attributes_type", "mapping_type"), "keys and values, such as {key: value}"),
)
_NO_WORDS: Mapping[str, str] = MappingProxyType({})


class NotOneOf(ValueError):
    """An unknown word; ``meant`` is the known word that it looks like, None without one.

    ``synonyms`` are other programs' words for the known ones.

    >>> str(NotOneOf("txt", ("text", "jsonl")))
    "expected one of text, jsonl, got 'txt'; did you mean text?"
    """

    def __init__(
        self, got: object, known: Iterable[str], *, noun: str = "one of", synonyms: Mapping[str, str] = _NO_WORDS
    ) -> None:
        names = tuple(known)
        self.meant = synonyms.get(str(got).casefold()) or likely_word(got, names)
        super().__init__(f"expected {noun} {', '.join(names) or 'none'}, got {got!r}{did_you_mean(self.meant)}")


def likely_word(got: object, known: Iterable[str]) -> str | None:
    """Return the known word that another is a slip of, None if it is missing.

    >>> likely_word("patern", ("repeats", "patterns")), likely_word("x", ("repeats",))
    ('patterns', None)
    """
    names = {name.casefold(): name for name in known}
    found = get_close_matches(str(got).casefold(), list(names), n=1, cutoff=_ALIKE)
    return names[found[0]] if found else None


def did_you_mean(word: str | None) -> str:
    """Return the end of a message that asks for a word; nothing if it is missing."""
    return f"; did you mean {word}?" if word else ""


def explain_error(error: Mapping[str, Any], limits: Mapping[str, float] | None = None) -> str:
    """State what was expected instead of a value that a check of types refused, as an entry of its errors shows.

    ``limits`` are the bounds of the value (``ge``, ``gt``, ``le``, ``lt``), where they are known.
    """
    kind, context, got = str(error["type"]), error.get("ctx") or {}, error.get("input")
    if kind == "missing":
        return "missing"
    if kind in ("literal_error", "enum"):
        return f"expected {context['expected']}{_got(got)}{did_you_mean(likely_word(got, allowed_words(error)))}"
    if kind in _LIMITS:
        limits = limits or {_LIMITS[kind]: next(iter(context.values()))}
        noun = "an integer" if all(isinstance(value, int) for value in (got, *limits.values())) else "a number"
        return f"expected {noun} {write_bounds(limits)}{_got(got)}"
    if kind == "string_too_short":
        return "expected text, got nothing" if not got else f"expected at least {context['min_length']} characters"
    if kind == "string_pattern_mismatch":
        return f"expected text of the form {context['pattern']}{_got(got)}"
    if kind in ("too_short", "too_long"):
        few = kind == "too_short"
        number = context["min_length" if few else "max_length"]
        return f"expected at {'least' if few else 'most'} {'one' if number == 1 else number}"
    for kinds, noun in _NOUNS:
        if kind.startswith(kinds):
            return f"expected {' '.join(filter(None, (noun, write_bounds(limits or {}))))}{_got(got)}"
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", "not as expected"))
    return f"not as expected{_got(got)}"


def allowed_words(error: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words that a place takes which takes nothing else."""
    expected = str((error.get("ctx") or {}).get("expected", ""))
    return tuple(word.strip(" '") for part in expected.split(" or ") for word in part.split(","))


def write_bounds(limits: Mapping[str, float]) -> str:
    """Write bounds (``ge``, ``gt``, ``le``, ``lt``) as messages have them.

    >>> write_bounds({"ge": 2, "lt": 9})
    '>= 2 and below 9'
    """
    return " and ".join(f"{SIGNS[key]} {value:g}" for key, value in limits.items())


def _got(value: object) -> str:
    """State what was given, where that is a word or a number; what is longer is not repeated."""
    if value is None:
        return ", got nothing"
    if isinstance(value, Mapping):
        return ", got keys and values"
    if isinstance(value, list | tuple):
        return ", got a list"
    if isinstance(value, bool):
        return f", got {str(value).lower()}"
    shown = repr(value)
    return f", got {shown}" if isinstance(value, str | int | float) and len(shown) <= _LONGEST else ""
