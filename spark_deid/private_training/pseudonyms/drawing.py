"""Draw pseudonyms: each token of a span gives way to one of its nearest, by a keyed hash, in its own case and shape."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import count, repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spark_deid.core.arrow import rows_of
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.span import Span
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore, open_store
from spark_deid.private_training.pseudonyms.candidates import open_table
from spark_deid.private_training.pseudonyms.settings import NEIGHBOUR
from spark_deid.private_training.word_tokens import BETWEEN, around_tokens, is_letters
from spark_deid.text.base_letters import same_letters

USUAL = 50_000
"""The words that one without a vector may become: as many of the first of the vocabulary, which are the usual ones."""
_TRIES = 16
MOST_DRAWS = 64
"""Draws of an annotation that reads as its original, before the next candidates replace its words."""
_FIRST_DRAWS: Mapping[bytes, int] = MappingProxyType({})
_DIGITS = 12
"""Digits that are taken of a number of 64 bits: all are as likely as each other, but for some ten millionths."""
_REMEMBERED = 1 << 15  # words
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class PseudonymSource:
    """Where pseudonyms come from: a store, a table of candidates, and the key of the draws; it travels to workers."""

    store: str
    table: str
    scope: str
    includes_self: bool
    key: bytes = field(repr=False)

    def draws(self) -> bytes:
        """Return a key of draws that nothing else is hashed by."""
        return blake2b(b"representation neighbour", key=sha256(self.key).digest(), digest_size=32).digest()


def pseudonymize(document: Document, spans: Sequence[Span], *, source: PseudonymSource) -> tuple[Edit, ...]:
    """Replace the words and numbers of each span; marks and whitespace remain.

    A span without either, such as ``--``, comes back as it is, and the caller suppresses it. If words may be drawn for
    themselves, a word of a longer span may remain, but no span as a whole: such a span is drawn again.
    """
    text = document.text
    surfaces, starts = [text[start:end] for start, end, *_ in spans], [span[0] for span in spans]
    draw = PseudonymDraw(source, document.doc_id)
    if BETWEEN in text:
        written = [_written([surface], [start], draw)[0] for surface, start in zip(surfaces, starts, strict=True)]
    else:
        written = _written(surfaces, starts, draw)
    if source.includes_self:
        _draw_again(surfaces, starts, written, draw)
    return tuple(rows_of(Edit, starts, [span[1] for span in spans], repeat(NEIGHBOUR), written))


class PseudonymDraw:
    """What is drawn of a document by: a source, and the document's id."""

    def __init__(self, source: PseudonymSource, doc_id: str) -> None:
        self.store = open_store(source.store)
        self.choices = _choices(source)
        self.includes_self = source.includes_self
        self.by_word = source.scope == "document"
        self.key = source.draws()
        self.begin = f"{doc_id}\0".encode("utf-8", "surrogatepass")

    def digits(self, word: str, number: int, place: bytes) -> str:
        """Return what ``draw_digits`` does for a place of the document, whose number is known."""
        if len(word) <= _DIGITS and word.isascii():
            drawn = f"{number:020d}"[-_DIGITS:][: len(word)]
            if drawn != word:
                return drawn
        return draw_digits(word, self.key, self.begin + place)


def _draw_again(surfaces: Sequence[str], starts: Sequence[int], written: list[str], draw: PseudonymDraw) -> None:
    """Draw spans again, as wholes, until none reads as its original; changes ``written``.

    Each draw that differs from the original is so as likely as any other. A place is counted for all spans that have
    it: by document, a word is one place. After MOST_DRAWS draws its words become the next candidates that differ.
    """
    places = [
        _places(around_tokens(surface), [surface], [start], draw)
        for surface, start in zip(surfaces, starts, strict=True)
    ]
    counters: dict[bytes, int] = {}
    suspects = list(range(len(surfaces)))
    while unchanged := [i for i in suspects if same_letters(written[i]) == same_letters(surfaces[i])]:
        again = {place for i in unchanged for place in places[i] if counters.get(place, 0) < MOST_DRAWS}
        if not again:
            break
        counters.update((place, counters.get(place, 0) + 1) for place in again)
        suspects = [i for i, own in enumerate(places) if not again.isdisjoint(own)]
        for i in suspects:
            written[i] = _written([surfaces[i]], [starts[i]], draw, counters)[0]


def _written(
    surfaces: Sequence[str], starts: Sequence[int], draw: PseudonymDraw, counters: Mapping[bytes, int] = _FIRST_DRAWS
) -> list[str]:
    """Write pseudonyms for surfaces that begin at places of a document, all together, as that takes less time.

    ``counters`` has the number of draws before this one for places that are drawn again.
    """
    pieces = around_tokens(BETWEEN.join(surfaces))
    pieces[1::2] = _drawn(pieces[1::2], _places(pieces, surfaces, starts, draw), draw, counters)
    written = "".join(pieces)
    return [written] if len(surfaces) == 1 else written.split(BETWEEN)


def _places(pieces: Sequence[str], surfaces: Sequence[str], starts: Sequence[int], draw: PseudonymDraw) -> list[bytes]:
    """Return for each token of surfaces what its draw depends on: its offset, or by document its base letters."""
    words = pieces[1::2]
    if draw.by_word:
        return [same_letters(word).encode("utf-8", "surrogatepass") for word in words]
    begins = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))[:-1:2]
    joined = np.cumsum([0, *(len(surface) + 1 for surface in surfaces)])[:-1]
    owners = np.searchsorted(joined, begins, "right") - 1
    return [b"%d" % place for place in (begins + (np.array(starts) - joined)[owners]).tolist()] if words else []


def _drawn(
    words: Sequence[str], places: Sequence[bytes], draw: PseudonymDraw, counters: Mapping[bytes, int]
) -> list[str]:
    """Draw for each word, or number, at its place; in one loop, as most of the time is spent here."""
    begun = _keyed(draw.key).copy()
    begun.update(bytes(4) + draw.begin)
    copy, choices, word_of, read = begun.copy, draw.choices.of(words), draw.store.word, int.from_bytes
    found: list[str] = []
    for word, place in zip(words, places, strict=True):
        again = counters.get(place, 0) if counters else 0
        includes_self = draw.includes_self and again < MOST_DRAWS
        if 0 < again < MOST_DRAWS:
            hashing = _keyed(draw.key).copy()
            hashing.update(again.to_bytes(4, "little") + draw.begin)
        else:
            hashing = copy()
        hashing.update(place)
        number = read(hashing.digest(), "little")
        choice = choices.get(word)
        if choice is None:
            found.append(draw.digits(word, number, place))
            continue
        rows, small, write, letters = choice
        if letters:
            found.append(letters[number % len(letters)])
            continue
        drawn = word_of(rows.item(number % len(rows)))
        if not includes_self and _is(drawn, small):  # it gives way to the next
            drawn = _others(draw.store, rows, number, small)
            if _is(drawn, small):  # it has no candidate but itself
                drawn = _others(draw.store, usual_rows(str(draw.store.folder)), number, small)
        found.append(write(drawn))
    return found


def _is(drawn: str, small: str) -> bool:
    return (drawn.casefold() if drawn.isascii() else same_letters(drawn)) == small


def _others(store: EmbeddingStore, rows: Int32s | Int64s, number: int, small: str) -> str:
    """Return the word of the candidate of a number, or of the next one that is not the word itself."""
    drawn = ""
    for step in range(min(len(rows), _TRIES)):
        drawn = store.word(rows.item((number + step) % len(rows)))
        if not _is(drawn, small):
            break
    return drawn


class WordChoice(NamedTuple):
    """What a word may become: the rows of other words, or letters where it is one; its base letters, and its case."""

    rows: Int32s | Int64s
    small: str
    write: Callable[[str], str]
    letters: tuple[str, ...] = ()


class WordChoices:
    """What words may become, looked up once a process as long as they are not too many."""

    def __init__(self, source: PseudonymSource) -> None:
        self._source = source
        self._known: dict[str, WordChoice] = {}

    def of(self, words: Iterable[str]) -> Mapping[str, WordChoice]:
        """Return what words may become, with others looked up before; numbers among them are skipped."""
        wanted = set(words)
        lacking = [word for word in wanted.difference(self._known) if not word.isdecimal()]
        if lacking and len(self._known) + len(lacking) > _REMEMBERED:
            self._known.clear()
            lacking = [word for word in wanted if not word.isdecimal()]
        if lacking:
            resolved = open_store(self._source.store).resolve(lacking).tolist()
            self._known.update(zip(lacking, map(self._choice, lacking, resolved), strict=True))
        return self._known

    def _choice(self, word: str, row: int) -> WordChoice:
        small, write = same_letters(word), case_of(word)
        if len(word) == 1 and word.lower() in _ALPHABET:
            letters = tuple(write(letter) for letter in _ALPHABET if letter != word.lower())
            return WordChoice(usual_rows(self._source.store), small, write, letters)
        if row != ABSENT and is_letters(word) and len(near := open_table(self._source.table).of(row)):
            return WordChoice(near, small, write)
        return WordChoice(usual_rows(self._source.store), small, write)


@lru_cache(maxsize=4)
def _choices(source: PseudonymSource) -> WordChoices:
    return WordChoices(source)


@lru_cache(maxsize=4)
def usual_rows(store: str) -> Int64s:
    """Return the rows that words without candidates draw from."""
    return np.flatnonzero(open_store(store).eligible())[:USUAL]


def number_of(key: bytes, stream: bytes, again: int = 0) -> int:
    """Return 64 bits that depend on the key, on what is drawn for, and on how often it was drawn before."""
    hashing = _keyed(key).copy()  # a third of the time of a new one, which would hash the key again
    hashing.update(again.to_bytes(4, "little") + stream)
    return int.from_bytes(hashing.digest(), "little")


@lru_cache(maxsize=4)
def _keyed(key: bytes) -> blake2b:
    return blake2b(key=key, digest_size=8)


def draw_digits(digits: str, key: bytes, stream: bytes) -> str:
    """Return as many digits of the same script, of which some differ.

    >>> len(draw_digits("0123", b"k" * 32, b"x")), draw_digits("7", b"k" * 32, b"x") != "7"
    (4, True)
    """
    for again in count():
        blocks = range(-(-len(digits) // _DIGITS))
        drawn_ones = "".join(f"{number_of(key, stream, (again << 16) + block):020d}"[-_DIGITS:] for block in blocks)
        pairs = zip(digits, drawn_ones, strict=False)
        drawn = "".join(chr(ord(digit) - unicodedata.decimal(digit) + int(other)) for digit, other in pairs)
        if drawn != digits:
            return drawn
    raise AssertionError("count ends never")


def with_case(word: str, like: str) -> str:
    """Write a word in the case of another.

    >>> [with_case("henry", like) for like in ("James", "JAMES", "james", "McDonald", "J")]
    ['Henry', 'HENRY', 'henry', 'Henry', 'HENRY']
    """
    return case_of(like)(word)


def case_of(like: str) -> Callable[[str], str]:
    """Return what writes a word in the case of another one."""
    if like.isupper():
        return str.upper
    if like[:1].isupper():
        return _titled
    return str.lower if like.islower() else str


def _titled(word: str) -> str:
    return word.capitalize() if word.isascii() else word[:1].upper() + word[1:].lower()
