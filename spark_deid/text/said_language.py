"""Languages that documents are said to be in, so that nobody has to guess: in a column, or by who asks."""

import re
from collections.abc import Mapping
from typing import Final

from spark_deid.core.errors import UsageError
from spark_deid.text.language import RELATIVES, known_languages

CODE_PATTERN: Final = "[ \t\r\n]*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9_-]*)?[ \t\r\n]*"
"""What a code of a language is, whole; its one group is the language. Python and Java take it for the same."""
_CODE = re.compile(CODE_PATTERN)
_QUOTABLE = re.compile("[A-Za-z0-9_-]{1,12}")
_OTHER_CODES: Final[Mapping[str, str]] = {
    "eng": "en",
    "spa": "es",
    "por": "pt",
    "deu": "de",
    "ger": "de",
    "fra": "fr",
    "fre": "fr",
    "nld": "nl",
    "dut": "nl",
    "swe": "sv",
    "nor": "no",
    "nob": "no",
    "nno": "no",
    "dan": "da",
}
"""Codes of three letters (ISO 639-2 and 639-3) of the languages that models come with."""


class TextInLanguage(str):
    """A text whose ``language`` (ISO 639) is known; a detector that goes by languages need not guess it."""

    language: str

    def __new__(cls, text: str, language: str) -> "TextInLanguage":
        """Hold a text and its language."""
        self = super().__new__(cls, text)
        self.language = language
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.language


def plain_language(said: str | None) -> str | None:
    """Return the language that a code names, relatives as their language; None for what names none that is known.

    >>> [plain_language(each) for each in ("es", "en-US", "pt_BR", "nb", "DEU", "english", "", None)]
    ['es', 'en', 'pt', 'no', 'de', None, None, None]
    """
    match = _CODE.fullmatch(said or "")
    if match is None:
        return None
    code = match[1].lower()
    code = RELATIVES.get(code, _OTHER_CODES.get(code, code))
    return code if code in known_languages() else None


def checked_language(place: str, said: object) -> str:
    """Return the language that a code names; raise UsageError, which names the place, where it names none.

    The error quotes what looks like a code alone: a wrong column may hold documents.
    """
    language = plain_language(said) if isinstance(said, str) else None
    if language is None:
        raise UsageError(f"{place}: expected a language such as en, es or pt, got {_as_code(said)}")
    return language


def _as_code(said: object) -> str:
    """Quote what looks like a code: at most 12 ASCII letters, digits, - and _; of all else say that it is none."""
    if not isinstance(said, str):
        return type(said).__name__
    return repr(said) if _QUOTABLE.fullmatch(said) else "what is no code"


def in_language(text: str, said: str | None) -> str:
    """Return a text that knows the language it is said to be in; as it is where that is none.

    >>> said_of(in_language("Hola", "es-MX")), said_of(in_language("Hola", None)), said_of(in_language("Hola", "?"))
    ('es', None, None)
    """
    language = plain_language(said)
    return text if language is None else TextInLanguage(text, language)


def said_of(text: str) -> str | None:
    """Return the language that a text is said to be in."""
    return text.language if isinstance(text, TextInLanguage) else None
