"""Draw pseudonyms: each token of a span gives way to one of its nearest, by a keyed hash, in its own case and shape."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import count
from typing import NamedTuple

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.span import Span
from spark_deid.numerics.arrays import Int32s, Int64s
from spark_deid.representation.embeddings.store import ABSENT, EmbeddingStore, open_store
from spark_deid.representation.pseudonyms.neighbour_table import candidates_at
from spark_deid.representation.pseudonyms.settings import NEIGHBOUR
from spark_deid.representation.pseudonyms.word_rows import rows_of
from spark_deid.representation.word_tokens import DIGITS, LETTERS, MARK, VectorToken, tokens_of
from spark_deid.text.base_letters import same_letters

USUAL = 50_000
"""The words that one without a vector may become: as many of the first of the vocabulary, which are the usual ones."""
_TRIES = 16
_DIGITS = 12
"""Digits that are taken of a number of 64 bits: all are as likely as each other, but for some ten millionths."""
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
    """Replace the words and numbers of each span; marks and white space stay.

    A span without either, such as ``--``, comes back as it is, and the caller suppresses it. Where words may stay
    themselves, one of a longer span may, but no span as a whole.
    """
    key, all_text = source.draws(), document.text
    tokens = [[each for each in tokens_of(all_text, span.start, span.end) if each.kind != MARK] for span in spans]
    words = (all_text[each.start : each.end] for own in tokens for each in own if each.kind == LETTERS)
    draw = PseudonymDraw(source, key, document.doc_id, rows_of(source.store, words))
    edits = []
    for span, own in zip(spans, tokens, strict=True):
        written = _written(all_text, span, own, draw, includes_self=source.includes_self)
        if source.includes_self and written == all_text[span.start : span.end]:
            written = _written(all_text, span, own, draw, includes_self=False)
        edits.append(Edit(span.start, span.end, NEIGHBOUR, written))
    return tuple(edits)


class PseudonymDraw(NamedTuple):
    """What is drawn of a document by: a source, a key, the document's id, and the rows of its words."""

    source: PseudonymSource
    key: bytes
    doc_id: str
    rows: Mapping[str, int]


def _written(text: str, span: Span, tokens: Sequence[VectorToken], draw: PseudonymDraw, *, includes_self: bool) -> str:
    parts, position = [], span.start
    for token in tokens:
        word = text[token.start : token.end]
        place = same_letters(word) if draw.source.scope == "document" else str(token.start)
        stream = f"{draw.doc_id}\0{place}".encode("utf-8", "surrogatepass")
        parts += [text[position : token.start], _drawn(word, token.kind, draw, stream, includes_self)]
        position = token.end
    return "".join([*parts, text[position : span.end]])


def _drawn(word: str, kind: str, draw: PseudonymDraw, stream: bytes, includes_self: bool) -> str:
    source, key = draw.source, draw.key
    if kind == DIGITS:
        return draw_digits(word, key, stream)
    if len(word) == 1 and word.lower() in _ALPHABET:
        others = [letter for letter in _ALPHABET if letter != word.lower()]
        return with_case(others[number_of(key, stream) % len(others)], word)
    store = open_store(source.store)
    row = draw.rows[word] if kind == LETTERS else ABSENT
    candidates: Int32s | Int64s = candidates_at(source.table, row) if row != ABSENT else np.zeros(0, np.int32)
    if not len(candidates):
        candidates = usual_rows(source.store)
    drawn = _chosen(store, candidates, word, number_of(key, stream), includes_self)
    if not includes_self and same_letters(drawn) == same_letters(word):  # it has no candidate but itself
        drawn = _chosen(store, usual_rows(source.store), word, number_of(key, stream), includes_self)
    return with_case(drawn, word)


def _chosen(store: EmbeddingStore, candidates: Int32s | Int64s, word: str, number: int, includes_self: bool) -> str:
    """Return the word of the candidate of a number; one that is the word itself gives way to the next."""
    small = same_letters(word)
    drawn = ""
    for step in range(min(len(candidates), _TRIES)):
        drawn = store.word(int(candidates[(number + step) % len(candidates)]))
        if includes_self or same_letters(drawn) != small:
            break
    return drawn


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
    if like.isupper():
        return word.upper()
    if like[:1].isupper():
        return word[:1].upper() + word[1:].lower()
    return word.lower() if like.islower() else word
