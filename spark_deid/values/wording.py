"""Write a generalization as English has it: article, plural and case."""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate

_VOWEL_SOUND = re.compile(
    r"(?!(?:eu|ewe|u(?:ni(?!n|m)|rin|s(?:e|u|age)|ti|biq|kul|ra)|one\b|once|one-))[aeiou]|h(?:our|onest|onou?r|eir)",
    re.IGNORECASE,
)
_SPELLED = re.compile(r"(?:[AEFHILMNORSX](?![a-z])|8|11\b|18\b)")
_SPELLED_CONSONANT = re.compile(r"[BCDGJKPQTUVWYZ][A-Z]+\b")
ARTICLE = re.compile(r"(?:(?<=\W)|^)(an?)(?:[^\S\n]+\n?|\n)[^\S\n]*[\"'“‘«(\[*_]*\Z", re.IGNORECASE)
_HEAD_ENDS = re.compile(r" (?:of|in|to|for|with|from|on|at|by|and|or|-in-|under|de) ")
_OPENS = re.compile(r"(?:^|[.!?][\"'”’)\]]*\s|\n)[\s\"'“‘(\[*•-]*$")
_BEGIN = "\"'“‘«([*_"
"""Signs between an article and its word."""
_ARTICLE_ENDS = ("a", "A", "n", "N")
_NEAR = 12


def article_of(word: str) -> str:
    """Return the indefinite article before a word.

    >>> [article_of(word) for word in ("animal", "unit", "hour", "European", "X-ray", "UN member")]
    ['an', 'a', 'an', 'a', 'an', 'a']
    """
    if _SPELLED_CONSONANT.match(word):
        return "a"
    return "an" if _SPELLED.match(word) or _VOWEL_SOUND.match(word) else "a"


def article_before(text: str, start: int) -> tuple[int, int] | None:
    """Return where the indefinite article right before a position stands, if one does."""
    if text[max(0, start - _NEAR) : start].rstrip(_BEGIN).rstrip()[-1:] not in _ARTICLE_ENDS:
        return None
    match = ARTICLE.search(text, max(0, start - _NEAR), start)
    return match.span(1) if match else None


def like_article(written: str, original: str, replacement: str) -> str:
    """Return the article of a replacement in the case in which one was written.

    What is in capitals as its original is no abbreviation.

    >>> like_article("AN", "ULCER", "LESION"), like_article("A", "cat", "animal"), like_article("a", "scan", "MRI")
    ('A', 'An', 'an')
    """
    is_plain = replacement.isupper() and original.isupper() and len(original) > 1
    article = article_of(replacement.lower() if is_plain else replacement)
    if written.isupper() and (len(written) > 1 or replacement.isupper()):
        return article.upper()
    return article.capitalize() if written[0].isupper() else article


def plural_of(name: str, irregular: Callable[[str], tuple[str, ...]]) -> str:
    """Return the plural of a term: that of its head, which stands last, or before a preposition.

    ``irregular`` gives a word's irregular plurals.

    >>> [plural_of(name, lambda _: ()) for name in ("feline", "drug of abuse", "city", "box")]
    ['felines', 'drugs of abuse', 'cities', 'boxes']
    >>> plural_of("gray wolf of the north", {"wolf": ("wolves",)}.__getitem__)
    'gray wolves of the north'
    """
    match = _HEAD_ENDS.search(name)
    head, tail = (name[: match.start()], name[match.start() :]) if match else (name, "")
    before, space, word = head.rpartition(" ")
    forms = irregular(word)
    return before + space + (forms[0] if forms else _regular(word)) + tail


def _regular(word: str) -> str:
    if re.search(r"[^s]sis$", word):
        return f"{word[:-2]}es"
    if re.search(r"(?:s|x|z|ch|sh)$", word, re.IGNORECASE):
        return f"{word}es"
    if re.search(r"[^aeiou]y$", word, re.IGNORECASE):
        return f"{word[:-1]}ies"
    return f"{word[:-3]}men" if re.search(r"[^u]man$", word) and word not in ("human", "german") else f"{word}s"


def as_within(text: str, start: int, end: int) -> str:
    """Return a term as it would be written within a sentence: a capital that begins one tells nothing of the term.

    It keeps its length: a capital that becomes several characters stays.

    >>> as_within("Anemia.", 0, 6), as_within("In Rome.", 3, 7), as_within("US", 0, 2)
    ('anemia', 'Rome', 'US')
    """
    term = text[start:end]
    if not term[:1].isupper() or not _OPENS.search(text, max(0, start - _NEAR), start):
        return term
    first = term[0].lower()
    return first + term[1:] if len(first) == 1 and term[1:] == term[1:].lower() else term


def in_case_of(text: str, start: int, end: int, written: str, name: str) -> str:
    """Write a name as what stands at ``text[start:end]``: in capitals, or with a capital where a sentence begins.

    ``written`` is the original as its ontology writes it: what has capitals there alone keeps none, but in a line in
    capitals, where they would tell one from others.

    >>> text = "Cats sleep. CATS!"
    >>> in_case_of(text, 0, 4, "cat", "felines"), in_case_of(text, 12, 16, "cat", "felines")
    ('Felines', 'FELINES')
    """
    original = text[start:end]
    if in_capitals(text, start) or (original.isupper() and len(original) > 1 and not written.isupper()):
        return name.upper()
    if original[0].isupper() and name[0].islower() and _OPENS.search(text, max(0, start - _NEAR), start):
        return name[0].upper() + name[1:]
    return name


def in_capitals(text: str, position: int) -> bool:
    """Tell whether the line of a position has capitals and no small letters.

    >>> in_capitals("DX: TB.", 4), in_capitals("Dx: TB.", 4)
    (True, False)
    """
    starts, flags = _capital_lines(text)
    return flags[bisect_right(starts, position) - 1]


@lru_cache(2)
def _capital_lines(text: str) -> tuple[list[int], list[bool]]:
    """Return where the lines of a text begin, and which have capitals alone."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return starts[:-1], [line.isupper() for line in lines]
