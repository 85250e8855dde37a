"""What a plan says of terms of the user's own."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

from pydantic import Field, field_validator, model_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import fingerprint
from spark_deid.core.kinds import PlanSection
from spark_deid.core.labels import Label
from spark_deid.text.patterns.config import LimitedPattern, mistakes_in

MOST_TERMS = 1_000_000
"""The most terms of a file."""


class TermExpression(LimitedPattern):
    """An expression of a plan's terms, compiled and searched within the bounds that those of models have."""

    origin: ClassVar[str] = "of the plan's terms"


class WordList(PlanSection):
    """Terms: words, and files of a term a line."""

    words: tuple[str, ...] = Field(default=(), description="Terms. A space in a term represents any run of spaces.")
    files: tuple[Path, ...] = Field(
        default=(), description="Files in UTF-8 with one term per line. `#` begins a comment."
    )
    match_case: bool = Field(default=False, description="Whether upper and lower case differ.")

    @field_validator("words")
    @classmethod
    def _are_words(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if empty := [number for number, word in enumerate(words) if not any(map(str.isalnum, word))]:
            raise ValueError(f"expected terms with a letter or digit, but number {empty[0] + 1} has neither")
        return words

    @model_validator(mode="after")
    def _has_terms(self) -> "WordList":
        if not self.has_terms:
            raise ValueError(f"expected {self.kinds}")
        return self

    @property
    def has_terms(self) -> bool:
        """Tell whether there is anything to look for."""
        return bool(self.words or self.files)

    @property
    def kinds(self) -> str:
        """Say what a list may hold."""
        return "words or files"

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Return all words, those of files included, each once. Raises UsageError for a file that can't be read."""
        return tuple(dict.fromkeys((*self.words, *(term for file in self.files for term in _terms_of(file)))))


class TermList(WordList):
    """Terms of one label: words, files of a term a line, and expressions."""

    expressions: tuple[str, ...] = Field(default=(), description="Regular expressions, searched for a limited time.")
    label: Label = "TERM"

    @field_validator("expressions")
    @classmethod
    def _are_expressions(cls, expressions: tuple[str, ...]) -> tuple[str, ...]:
        wrong = [mistake for each in expressions for mistake in mistakes_in(TermExpression("TERM", each))]
        if wrong:
            raise ValueError("\n".join(mistake.removeprefix("pattern: ") for mistake in wrong))
        return expressions

    @model_validator(mode="after")
    def _has_no_flags(self) -> "TermList":
        if any(mistakes_in(pattern) for pattern in self.patterns):
            raise ValueError("expressions: expected no flags at the start, such as (?i). Use match_case instead")
        return self

    @property
    def has_terms(self) -> bool:
        """Tell whether there is anything to look for."""
        return bool(self.words or self.files or self.expressions)

    @property
    def kinds(self) -> str:
        """Say what a list may hold."""
        return "words, files or expressions"

    @property
    def patterns(self) -> tuple[TermExpression, ...]:
        """Return the expressions, ready to be searched."""
        return tuple(TermExpression(self.label, self._cased(each)) for each in self.expressions)

    def _cased(self, expression: str) -> str:
        return expression if self.match_case else f"(?i:{expression})"


def _terms_of(file: Path) -> tuple[str, ...]:
    """Read the terms of a file; errors name the file and the line, never the term."""
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise UsageError(
            f"terms: {file}: can't read it ({error.strerror}). Expected a file with one term per line"
        ) from error
    if len(lines) > MOST_TERMS:
        raise UsageError(f"terms: {file}: expected at most {MOST_TERMS} lines, it has {len(lines)}")
    terms = []
    for number, line in enumerate(lines, 1):
        try:
            term = line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise UsageError(f"terms: {file}:{number}: expected UTF-8, byte {error.start} of the line is not") from None
        if not term or term.startswith("#"):
            continue
        if not any(map(str.isalnum, term)):
            raise UsageError(f"terms: {file}:{number}: expected a term with a letter or digit")
        terms.append(term)
    return tuple(terms)


# Lists of terms as functions travel with them to workers.


@dataclass(frozen=True, eq=False)
class PreparedTerms:
    """A list as finders travel with it; two are equal by their digest, since lists are long and texts many."""

    terms: tuple[str, ...]
    expressions: tuple[str, ...]
    label: str
    match_case: bool
    digest: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PreparedTerms) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def prepared_terms(given: WordList, expressions: tuple[str, ...], label: str) -> PreparedTerms:
    """Read a list, its files too. Raises UsageError for a file that can't be read."""
    content = [list(given.terms), list(expressions), label, given.match_case]
    return PreparedTerms(given.terms, expressions, label, given.match_case, fingerprint(content))


# Terms in a text: the longest from left to right, whole words, in time linear in the text for any list.


_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u3005-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\uaa7f"
_UNSPACED += "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U000323af"
"""Scripts without spaces between words, or with endings that follow them: each character is a token."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f])+|[^\w\s]")


class TermToken(NamedTuple):
    """A word, a character of a script without spaces, or a mark, as it is compared; and its place."""

    key: str
    start: int
    end: int


def tokens_of(text: str, *, match_case: bool) -> Iterator[TermToken]:
    """Yield the tokens of a text: compared in one composed form of each letter, in lower case where case is nothing.

    >>> [token.key for token in tokens_of("New  York's", match_case=False)]
    ['new', 'york', "'", 's']
    """
    for match in _TOKEN.finditer(text):
        key = unicodedata.normalize("NFKC", match[0])
        yield TermToken(key if match_case else unicodedata.normalize("NFKC", key.casefold()), *match.span())


@dataclass(frozen=True)
class TermIndex:
    """Terms by their first token, and how long those are that begin with it, the longest first."""

    terms: frozenset[tuple[str, ...]]
    lengths: dict[str, tuple[int, ...]]
    match_case: bool

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of terms; of those that begin at one place the longest, and none within another.

        >>> list(index_terms(["New York", "York"], match_case=False).find("In new\\nyork, York."))
        [(3, 11), (13, 17)]
        """
        tokens = list(tokens_of(text, match_case=self.match_case))
        place = 0
        while place < len(tokens):
            length = self._longest(tokens, place)
            if length:
                yield tokens[place].start, tokens[place + length - 1].end
            place += length or 1

    def _longest(self, tokens: list[TermToken], place: int) -> int:
        for length in self.lengths.get(tokens[place].key, ()):
            keys = tuple(token.key for token in tokens[place : place + length])
            if len(keys) == length and keys in self.terms:
                return length
        return 0


def index_terms(terms: Iterable[str], *, match_case: bool) -> TermIndex:
    """Index terms for search."""
    keys = frozenset(tuple(token.key for token in tokens_of(term, match_case=match_case)) for term in terms)
    lengths: dict[str, set[int]] = {}
    for each in keys:
        lengths.setdefault(each[0], set()).add(len(each))
    return TermIndex(keys, {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}, match_case)
