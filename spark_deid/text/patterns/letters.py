"""Letters written for digits, O for 0, l and I for 1, in numbers whose shape is known without them.

Read as digits they are only in the shapes of telephone numbers with their area, of social security and of card
numbers, with marks between the groups; each group has a digit of its own, and there are at most half as
many letters as digits.
"""

import re
from collections.abc import Iterable, Iterator

_LETTERS = "OolI"
_D = "[0-9OolI]"
_SHAPES = re.compile(
    r"(?<![^\W_])(?<!-)(?:"
    rf"{_D}{{3}}([ -]){_D}{{2}}\1{_D}{{4}}|\({_D}{{3}}\)[ -]{{0,2}}{_D}{{2}}[ -]{_D}{{4}}"
    rf"|(?:\+?[1lI][ .-]?)?(?:\({_D}{{3}}\)[ .-]?|{_D}{{3}}[ .-]){_D}{{3}}[ .-]{_D}{{4}}"
    rf"|\+{_D}{{1,3}}(?:[ .-]{_D}{{2,4}}){{2,5}}"
    rf"|{_D}{{3}}([ .-]){_D}{{3}}\2{_D}{{3}}"
    rf"|{_D}{{4}}([ .-]){_D}{{4}}\3{_D}{{4}}\3{_D}{{4}}|{_D}{{4}}([ .-]){_D}{{6}}\4{_D}{{5}}"
    r")(?![^\W_])"
)
_GROUP_BEFORE = re.compile(r"[0-9][OolI]{1,3}[ .)-]{0,2}$")
_GROUP_AFTER = re.compile(r"[ .-]?[OolI]{1,3}[0-9]")
_GROUP = re.compile(f"{_D}+")
_AS_DIGITS = str.maketrans("OolI", "0011")
_WIDEST, _AFTER = 24, 20
_DIGITS_A_LETTER = 2


def read_as_digits(text: str, numbers: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield where such a number begins, where its first letter stands in it, and the number in digits.

    With what follows it, so that an extension can be told. Looked for are those that one of some numbers of the text
    is part of, with a letter beside it.

    >>> list(read_as_digits("SSN l23-45-6789.", [(5, 15)]))
    [(4, 0, '123-45-6789.')]
    """
    covered = 0
    for start, end in _next_to_letters(text, numbers):
        for match in _SHAPES.finditer(text, max(covered, start - _WIDEST), min(len(text), end + _WIDEST)):
            if _is_number(match[0]):
                first = next(place for place, character in enumerate(match[0]) if character.isalpha())
                covered = match.end()
                yield match.start(), first, match[0].translate(_AS_DIGITS) + text[covered : covered + _AFTER]


def _next_to_letters(text: str, numbers: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Choose the numbers that letters for digits stand beside, or in the group of digits before or after."""
    padded = f"{text}  "  # also what stands before the first character: at -1 and -2
    return [
        (start, end)
        for start, end in numbers
        if padded[start - 1] in _LETTERS
        or padded[end] in _LETTERS
        or (padded[start - 2] in _LETTERS and _GROUP_BEFORE.search(text, max(0, start - 6), start))
        or (padded[end + 1] in _LETTERS and _GROUP_AFTER.match(text, end))
    ]


def _is_number(shape: str) -> bool:
    letters = sum(map(str.isalpha, shape))
    digits = sum(map(str.isdigit, shape))
    has_digits = all(any(map(str.isdigit, group)) for group in _GROUP.findall(shape))
    return 0 < letters * _DIGITS_A_LETTER <= digits and has_digits
