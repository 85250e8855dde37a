"""Plain text: base letters without case, punctuation and doubled spaces, so that spellings of one thing are equal."""

import re
import unicodedata

from spark_deid.text.base_letters import normalize, same_letters

_NOT_WORDS = re.compile(r"[^\w]+|[_\u02bc]+")  # an apostrophe that Unicode takes for a letter


def plain_form(text: str) -> str:
    """Return a text in plain form.

    >>> plain_form("  García-López,  José "), plain_form("ŁÓDŹ"), plain_form("İzmir")
    ('garcia lopez jose', 'lodz', 'izmir')
    """
    if text.isascii():
        return _NOT_WORDS.sub(" ", text.lower()).strip()
    parts = same_letters(normalize("NFKD", text))
    letters = "".join(character for character in parts if not unicodedata.combining(character))
    return _NOT_WORDS.sub(" ", letters).strip()


def words_of(line: str) -> tuple[str, ...]:
    """Return the words of a line: how this package writes lists of words."""
    return tuple(line.split())
