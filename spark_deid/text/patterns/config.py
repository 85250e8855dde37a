"""Patterns of the user's own."""

import re
from dataclasses import dataclass
from functools import cached_property

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


def mistakes_in(custom: CustomPattern) -> list[str]:
    """Say what is wrong with a pattern of the user's own."""
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
