"""Which patterns run: kinds of our own, and patterns of the user's."""

import re
from dataclasses import dataclass
from functools import cached_property

from spark_deid.core.errors import UsageError
from spark_deid.text.patterns.kinds import ALL_KINDS

_LABEL = re.compile(r"[^\W\d_][\w-]*")


@dataclass(frozen=True)
class CustomPattern:
    """A pattern of the user's own: a Python regular expression, searched in the text as it is.

    A group named ``span`` marks the part that is found; without one it is the whole match. Where ``context`` names
    words, one of them must stand, in any case, within ``window`` characters before or after the match. The
    expression is not checked for slowness: repetitions inside repetitions, such as ``(a+)+``, can take for ever.
    """

    label: str
    pattern: str
    context: tuple[str, ...] = ()
    window: int = 60

    @property
    def name(self) -> str:
        """Return the name by which spans of this pattern say where they come from."""
        return f"custom-{self.label.lower()}"

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """Compile the pattern."""
        return re.compile(self.pattern)

    @cached_property
    def context_expression(self) -> re.Pattern[str]:
        """Compile the context words."""
        return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, self.context)) + r")(?!\w)", re.IGNORECASE)


@dataclass(frozen=True)
class PatternSettings:
    """Name the kinds to search and the custom patterns; all mistakes are reported at once as one UsageError."""

    kinds: tuple[str, ...] = ALL_KINDS
    custom: tuple[CustomPattern, ...] = ()

    def __post_init__(self) -> None:
        mistakes = [_unknown_kind(index, kind) for index, kind in enumerate(self.kinds) if kind not in ALL_KINDS]
        for index, custom in enumerate(self.custom):
            mistakes += [f"patterns.custom[{index}].{mistake}" for mistake in _mistakes(custom)]
        if mistakes:
            raise UsageError("\n".join(mistakes))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the kinds and of the custom patterns, in order."""
        return (*self.kinds, *(custom.name for custom in self.custom))


def _unknown_kind(index: int, kind: str) -> str:
    return f"patterns.kinds[{index}]: expected one of {', '.join(ALL_KINDS)}, got {kind!r}"


def _mistakes(custom: CustomPattern) -> list[str]:
    mistakes = []
    if not _LABEL.fullmatch(custom.label):
        mistakes.append(f"label: expected a letter, then letters, digits, '_' or '-', got {custom.label!r}")
    try:
        expression = re.compile(custom.pattern)
    except (re.error, OverflowError, RecursionError) as error:
        mistakes.append(f"pattern: expected a Python regular expression ({error})")
    else:
        if expression.search("") is not None:
            mistakes.append("pattern: expected one that does not match the empty string")
    if any(not word.strip() for word in custom.context):
        mistakes.append("context: expected words, got an empty one")
    if custom.window < 1:
        mistakes.append(f"window: expected a number of characters >= 1, got {custom.window}")
    return mistakes
