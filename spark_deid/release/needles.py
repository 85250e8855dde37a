"""Many pieces of text looked for at once: each where the longest of its words stands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, repr=False)
class Needles:
    """Pieces to look for, without the marks at their ends; ``by_word`` has the numbers of those with a longest word."""

    pieces: tuple[str, ...]
    by_word: Mapping[str, tuple[int, ...]]

    def found(self, texts: Iterable[str]) -> set[int]:
        """Return the numbers of the pieces that stand between words somewhere in texts."""
        hits: set[int] = set()
        for text in texts:
            for word in self.by_word.keys() & set(_WORD.findall(text)):
                hits.update(n for n in self.by_word[word] if n not in hits and _stands(self.pieces[n], text))
        return hits


def needles_of(pieces: Sequence[str]) -> Needles:
    """Index pieces of text; one without a word is found nowhere.

    >>> needles_of(["Ann Lee", "(617) 555-0147"]).found(["call 617) 555-0147, Ann Leeds"])
    {1}
    """
    cores, by_word = [], dict[str, list[int]]()
    for number, piece in enumerate(pieces):
        words = list(_WORD.finditer(piece))
        cores.append(piece[words[0].start() : words[-1].end()] if words else "")
        if words:
            by_word.setdefault(max((word[0] for word in words), key=len), []).append(number)
    return Needles(tuple(cores), {word: tuple(numbers) for word, numbers in by_word.items()})


def _stands(piece: str, text: str) -> bool:
    """Tell whether a piece stands in a text and no word goes on beyond its ends."""
    place = text.find(piece)
    while place >= 0:
        end = place + len(piece)
        if not (text[max(0, place - 1) : place].isalnum() or text[end : end + 1].isalnum()):
            return True
        place = text.find(piece, place + 1)
    return False
