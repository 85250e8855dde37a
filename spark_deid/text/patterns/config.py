"""Patterns of the user's own."""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, ClassVar, Protocol

import regex

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.shared_process import is_shared
from spark_deid.text.patterns.search_process import search_process

Expression = Any
"""A compiled regular expression of either engine."""
SECONDS, SECONDS_BY_CHARACTER = 2.0, 2e-5
"""How long a search for a limited pattern may take: ten times what a slow pattern without repetitions inside
repetitions takes."""
SEARCH_BYTES = 1 << 29
"""How much more memory a search for a limited pattern may take."""
MOST_CHARACTERS = 10_000
COMPILE_SECONDS, COMPILE_BYTES = 5, 1 << 29
"""How long a limited pattern may be compiled, and in how much memory of the process that does."""
_COMPILE = """
import resource, sys
import regex
seconds, size = map(int, sys.argv[1:])
pattern = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (size, size))
try:
    regex.compile(pattern, regex.V0)
except (regex.error, OverflowError, RecursionError):
    pass
"""
_REASONS = {
    "unterminated subpattern": "nothing closes the (",
    "unbalanced parenthesis": "nothing opens the )",
    "unterminated character set": "nothing closes the [",
    "nothing to repeat": "no expression before the repetition",
    "multiple repeat": "two repetitions after each other",
    "bad escape": "there is no such escape",
    "unknown extension": "there is no such group",
    "look-behind": "a lookbehind must have a fixed length",
}
_ITEM = re.compile(
    r"""
    \\N\{[^}]*\} | \\. |                        # escapes
    (?P<brackets>\[\^?\]?(?:\\.|[^\]\\])*\]) |
    \{(?:\d+(?:,\d*)?|,\d*)\} |                 # how often something is repeated
    (?P<brace>\{)
    """,
    re.VERBOSE | re.DOTALL,
)
_LABEL = re.compile(r"[^\W\d_][\w-]*")


class PatternError(SparkDeidError):
    """A pattern whose search took too long, or too much memory."""


class PatternMatch(Protocol):
    """A match, of a regular expression in this process or in another."""

    def span(self, group: int | str = 0, /) -> tuple[int, int]:
        """Return the place of a group, by default of the whole match."""
        ...


@dataclass(frozen=True)
class CustomPattern:
    """A pattern of the user's own: a Python regular expression, searched in the text as it is.

    Where characters that no one sees are in a text, it is searched without them too. A group named ``span`` marks the
    part that is found; without one it is the whole match. Where ``context`` names words, one of them must occur, in any
    case, within ``window`` characters before or after the match. Neither time nor memory of a search is bounded: with
    repetitions inside repetitions, such as ``(a+)+``, it can take for ever; those of ``LimitedPattern`` are bounded.
    """

    label: str
    pattern: str
    context: tuple[str, ...] = ()
    window: int = 60

    def __eq__(self, other: object) -> bool:
        # Whoever wrote a pattern, and so how it is searched, does not make it another.
        return isinstance(other, CustomPattern) and astuple(self) == astuple(other)

    def __hash__(self) -> int:
        return hash(astuple(self))

    def finditer(self, text: str, place: str = "") -> Iterator[PatternMatch]:
        """Yield the matches in a text; errors name the place of the expression in its settings."""
        yield from self.expression.finditer(text)

    @property
    def name(self) -> str:
        """Return the name by which spans of this pattern state where they come from."""
        return f"custom-{self.label.lower()}"

    @cached_property
    def expression(self) -> Expression:
        """Compile the pattern; raises what its compiler does."""
        return re.compile(self.pattern)

    @cached_property
    def context_expression(self) -> re.Pattern[str]:
        """Compile the context words."""
        return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, self.context)) + r")(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class LimitedPattern(CustomPattern):
    r"""A pattern of a model folder, whose author no one knows, or of a plan: searched for a limited time and memory.

    The engine is that of the package ``regex``, whose searches can be limited; unlike Python's own, its ``\w`` takes
    combining marks as well.
    """

    origin: ClassVar[str] = "of the model"

    def finditer(self, text: str, place: str = "") -> Iterator[PatternMatch]:
        """Yield the matches in a text; raises PatternError where that takes too long or too much memory."""
        seconds = SECONDS + SECONDS_BY_CHARACTER * len(text)
        expression = self.expression
        try:
            found = _found_within(expression, text, seconds)
        except TimeoutError:
            raise self._exceeded(place, text, f"{seconds:g} s") from None
        except MemoryError:
            raise self._exceeded(place, text, f"{SEARCH_BYTES >> 20} MB") from None
        yield from found

    def _exceeded(self, place: str, text: str, bound: str) -> PatternError:
        named = f"{place or 'pattern'} ({self.name}) {self.origin}"
        return PatternError(f"{named}: a search of {len(text)} characters took more than {bound}")

    @cached_property
    def expression(self) -> Expression:
        """Compile the pattern; raises what its compiler does."""
        if len(self.pattern) > MOST_CHARACTERS:
            raise OverflowError(f"more than {MOST_CHARACTERS} characters")
        re.compile(self.pattern)  # whoever trained had Python's own: what goes beyond it, such as recursion, is foreign
        pattern = as_python_reads(self.pattern)
        if not _compiles_within_bounds(pattern):
            raise OverflowError(f"more than {COMPILE_SECONDS} s or {COMPILE_BYTES >> 20} MB to compile")
        return regex.compile(pattern, regex.V0)


def _found_within(expression: Expression, text: str, seconds: float) -> list[PatternMatch]:
    """Search with bounds of time and memory; raises TimeoutError and MemoryError."""
    if is_shared():
        return [*search_process().search(expression, text, seconds, SEARCH_BYTES)]
    with bounded_memory(SEARCH_BYTES):
        return [*expression.finditer(text, timeout=seconds)]


def as_python_reads(pattern: str) -> str:
    """Write an expression that Python's own engine takes so that ``regex`` reads it alike.

    To ``regex`` braces behind an item may ask for what is nearly so, and brackets within brackets name classes.

    >>> as_python_reads("(?:cat){e<=1}[[:alpha:]]x{2}")
    '(?:cat)\\\\{e<=1}[\\\\[:alpha:]]x{2}'
    """
    return _ITEM.sub(_read_alike, pattern)


def _read_alike(item: re.Match[str]) -> str:
    if item.lastgroup == "brackets":
        begin = 2 if item[0][1] == "^" else 1
        return item[0][:begin] + re.sub(r"\\.|\[", _escaped_bracket, item[0][begin:], flags=re.DOTALL)
    return f"\\{item[0]}" if item.lastgroup == "brace" else item[0]


def _escaped_bracket(item: re.Match[str]) -> str:
    return "\\[" if item[0] == "[" else item[0]


@lru_cache(maxsize=1024)
def _compiles_within_bounds(pattern: str) -> bool:
    """Compile a pattern in a separate process first: repetitions of repetitions take time and memory without end.

    A wrong pattern counts as within bounds: the error of its compiler follows.
    """
    bounds = f"{COMPILE_SECONDS} {COMPILE_BYTES}"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _COMPILE, *bounds.split()],
            input=pattern.encode("utf-8", "surrogatepass"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=10 * COMPILE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def mistakes_in(custom: CustomPattern) -> list[str]:
    """State what is wrong with a pattern of the user's own."""
    mistakes = []
    if not _LABEL.fullmatch(custom.label):
        mistakes.append(f"label: expected a letter, then letters, digits, '_' or '-', got {custom.label!r}")
    try:
        matches_nothing = next(iter(custom.finditer("")), None) is not None
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        mistakes.append(f"pattern: expected a Python regular expression{_where(error)}")
    else:
        if matches_nothing:
            mistakes.append("pattern: expected one that does not match the empty string")
    if any(not word.strip() for word in custom.context):
        mistakes.append("context: expected words, got an empty one")
    if custom.window < 1:
        mistakes.append(f"window: expected a number of characters >= 1, got {custom.window}")
    return mistakes


def _where(error: Exception) -> str:
    """State what of an expression can't be read."""
    if not isinstance(error, re.error | regex.error):
        return "; this one is too large"
    reason = next((entry for sign, entry in _REASONS.items() if sign in str(error)), "it can't be read")
    place = f" at character {error.pos + 1}" if isinstance(error.pos, int) else ""
    return f"; {reason}{place}"


# A bound on the memory of a search, which an expression from elsewhere could let grow with the text and its tries.


_PAGE = os.sysconf("SC_PAGE_SIZE")
_SECONDS = 0.1
_LIMIT = Lock()
"""The limit is the process's: of two threads the second would take the first's for what was there before."""
_SIZE = [0, 0.0]
"""The process's address space at a time: looking it up costs more than a search of a short text."""


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """Let this process take ``most`` further bytes in the block, then raise MemoryError. Only Linux bounds it."""
    with _LIMIT:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        given = [each for each in (soft, hard, _size() + most) if each != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(given), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _size() -> int:
    """Return the bytes of this process's address space, looked up a short time ago; a fork has about its parent's."""
    now = time.monotonic()
    if now - _SIZE[1] > _SECONDS:
        try:
            with open("/proc/self/statm", "rb", buffering=0) as status:
                _SIZE[:] = int(status.read(64).split()[0]) * _PAGE, now
        except OSError:
            _SIZE[:] = 1 << 62, now
    return int(_SIZE[0])
