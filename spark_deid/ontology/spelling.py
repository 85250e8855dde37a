"""Terms that are told from a pattern rather than from a list, such as dates, which may be written in many ways."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Int32s


@dataclass(frozen=True)
class TermSpelling:
    """How terms are written: a pattern, and the ontology's word for what it matched, None where that is not a term.

    ``replacement`` gives the text that represents a term, by the term as written and the name that it becomes.
    """

    pattern: re.Pattern[str]
    word: Callable[[re.Match[str]], str | None]
    replacement: Callable[[str, str], str]

    def read(self, term: str) -> str | None:
        """Return the ontology's word for the whole of a term."""
        found = self.pattern.fullmatch(term)
        return self.word(found) if found else None

    def found(self, text: str, lemma_of: Callable[[str], int | None]) -> Int32s:
        """Return the terms of a text from left to right: rows of start, end, lemma and 1."""
        results = ((match.span(), self.word(match)) for match in self.pattern.finditer(text))
        rows = [(*span, lemma_of(word), 1) for span, word in results if word is not None]
        return np.array([row for row in rows if row[2] is not None], np.int32).reshape(-1, 4)
