"""Find words of an ontology in code points: an open-addressing table, longest match over tokens, English plurals.

The words' own text is compared at every hit, so that no two words are ever taken for each other.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from spark_deid.numerics.arrays import Int32s, UInt8s, UInt32s
from spark_deid.numerics.compilation import Int, compiled
from spark_deid.plausibility.kernels.folding import decode, fold, in_word
from spark_deid.text.kernels.characters import Characters, characters
from spark_deid.text.kernels.hashing import public, salt

U = np.uint64
Spare: TypeAlias = tuple[UInt32s, UInt32s, UInt32s]
SEED = salt("ontology")
STOP = 46
ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("ves", "fe"),
    ("oes", "o"),
)
"""Endings of plurals and what the singular has for them: NLTK's rules for nouns, and two more."""
_LAST = tuple({ord(plural[-1]) for plural, _ in ENDINGS})


def _endings(side: int) -> UInt32s:
    rows = np.zeros((len(ENDINGS), 5), np.uint32)
    for row, pair in zip(rows, ENDINGS, strict=True):
        row[0] = len(pair[side])
        row[1 : 1 + len(pair[side])] = [ord(letter) for letter in pair[side]]
    return rows


_PLURAL, _SINGULAR = _endings(0), _endings(1)


class Index(NamedTuple):
    """Words of an ontology, for look-ups.

    ``text`` holds all words as UTF-8, word i from ``starts[i]`` to ``starts[i + 1]``; ``slots`` the words' numbers plus
    one by the hash of their folded form; ``reach`` by 16 bits of the hash of a folded first token how many tokens the
    longest word that begins with it has; ``room`` is enough for the code points of any word.
    """

    text: UInt8s
    starts: Int32s
    slots: Int32s
    reach: UInt8s
    room: int


@compiled
def _fill(index: Index, table: Characters, seed: np.uint64) -> None:
    codes, key, shown = _buffers(index.room)
    mask = U(len(index.slots) - 1)
    for word in range(len(index.starts) - 1):
        number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        length = fold(codes, 0, number, table, key, shown, 0)
        slot = public(key, 0, length, seed) & mask
        while index.slots[slot]:
            slot = (slot + U(1)) & mask
        index.slots[slot] = word + 1
        first, end, tokens = _first_token(codes[:number], table)
        head = public(key, 0, fold(codes, first, end, table, key, shown, 0), seed) & U(0xFFFF)
        index.reach[head] = np.uint8(max(index.reach[head], np.uint8(min(tokens, 255))))


@compiled
def _buffers(room: Int) -> tuple[UInt32s, UInt32s, UInt32s]:
    return np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(room, np.uint32)


@compiled
def _first_token(codes: UInt32s, table: Characters) -> tuple[int, int, int]:
    """Return where the first token begins and ends, and the number of tokens."""
    start = end = tokens = 0
    for place in range(len(codes)):
        inside = in_word(table.classes[codes[place]])
        if inside and (place == 0 or not in_word(table.classes[codes[place - 1]])):
            tokens += 1
            if tokens == 1:
                start = place
        if inside and tokens == 1:
            end = place + 1
    return start, end, tokens


def build_index(text: UInt8s, starts: Int32s) -> Index:
    """Build the table of these words; of words that fold alike, the one that stands first is found first."""
    size = 16
    while 2 * size < 3 * len(starts):
        size *= 2
    room = int(np.diff(starts).max(initial=0)) + 4
    index = Index(text, starts, np.zeros(size, np.int32), np.zeros(1 << 16, np.uint8), room)
    _fill(index, characters(), SEED)
    return index


@compiled
def _get(
    index: Index, table: Characters, seed: np.uint64, key: UInt32s, shown: UInt32s, length: Int, spare: Spare
) -> Int:
    """Return the word that is written so, else the first that folds so, else -1."""
    codes, other, written = spare
    mask = U(len(index.slots) - 1)
    slot = public(key, 0, length, seed) & mask
    found = np.int64(-1)
    while index.slots[slot]:
        word = np.int64(index.slots[slot]) - 1
        slot = (slot + U(1)) & mask
        if index.starts[word + 1] - index.starts[word] < length:
            continue
        number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        if fold(codes, 0, number, table, other, written, 0) != length or not _equal(other, key, length):
            continue
        if _equal(written, shown, length):
            return word
        found = word if found < 0 else found
    return found


@compiled
def _equal(left: UInt32s, right: UInt32s, length: Int) -> bool:
    for place in range(length):  # noqa: SIM110 (compiled code has no all)
        if left[place] != right[place]:
            return False
    return True


@compiled
def _get_inflected(
    index: Index, table: Characters, seed: np.uint64, key: UInt32s, shown: UInt32s, length: Int, spare: Spare
) -> tuple[Int, Int]:
    """Return the word and 0, or the word of which this is a plural by rule and 1, or -1 and 0."""
    word = _get(index, table, seed, key, shown, length, spare)
    if word >= 0 or key[length - 1] not in _LAST:
        return word, 0
    for rule in range(len(_PLURAL)):
        singular = np.int64(_SINGULAR[rule, 0])
        stem = length - np.int64(_PLURAL[rule, 0])
        if stem < 0 or stem + singular < 2 or not _equal(key[stem:], _PLURAL[rule, 1:], length - stem):
            continue
        kept, seen = key[stem:length].copy(), shown[stem:length].copy()
        for buffer in (key, shown):
            buffer[stem : stem + singular] = _SINGULAR[rule, 1 : 1 + singular]
        word = _get(index, table, seed, key, shown, stem + singular, spare)
        key[stem:length], shown[stem:length] = kept, seen
        if word >= 0:
            return word, 1
    return -1, 0


@compiled
def find_matches(index: Index, table: Characters, seed: np.uint64, codes: UInt32s, wanted: UInt8s) -> Int32s:
    """Find all words at every token, of every length: rows of start, end, word, and 1 for a plural by rule.

    Words begin and end where tokens (runs of letters and digits) do; a full stop after the last token may belong. Rows
    stand by start, then by end. ``wanted`` is empty, or has 1 for 16 bits of the hash of each folded token with which
    words are to begin (``mark_heads``).
    """
    key, shown, _ = _buffers(index.room)
    spare = _buffers(index.room)
    found = np.empty((64, 4), np.int32)
    number = np.int64(0)
    begin: Int = np.int64(0)
    while begin < len(codes):
        if not in_word(table.classes[codes[begin]]):
            begin += 1
            continue
        at: Int = begin
        following: Int = begin
        length: Int = np.int64(0)
        tokens, most = np.int64(0), np.int64(1)
        while tokens < most:
            end = _token_end(codes, at, table)
            following = end if tokens == 0 else following
            length = fold(codes, at, end, table, key, shown, length)
            if end == at or length < 0:
                break
            at, tokens = end, tokens + 1
            if tokens == 1:
                head = public(key, 0, length, seed) & U(0xFFFF)
                if len(wanted) and not wanted[head]:
                    break
                most = max(np.int64(index.reach[head]), np.int64(1))
            if number + 2 > len(found):
                found = np.concatenate((found, np.empty_like(found)))
            word, form = _get_inflected(index, table, seed, key, shown, length, spare)
            if word >= 0:
                found[number] = begin, end, word, form
                number += 1
            if end < len(codes) and codes[end] == STOP and length < index.room:
                key[length] = shown[length] = STOP
                word = _get(index, table, seed, key, shown, length + 1, spare)
                if word >= 0:
                    found[number] = begin, end + 1, word, 0
                    number += 1
        begin = max(following, begin + 1)
    return found[:number]


@compiled
def mark_heads(index: Index, table: Characters, seed: np.uint64, words: Int32s, wanted: UInt8s) -> None:
    """Mark the hashes of the tokens with which a text may begin to write these words, in the plural too."""
    codes, key, shown = _buffers(index.room)
    for word in words:
        number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        first, end, tokens = _first_token(codes[:number], table)
        length = fold(codes, first, end, table, key, shown, 0)
        wanted[public(key, 0, length, seed) & U(0xFFFF)] = 1
        if tokens > 1:
            continue
        for rule in range(len(_PLURAL)):
            stem = length - np.int64(_SINGULAR[rule, 0])
            plural = np.int64(_PLURAL[rule, 0])
            if stem < 0 or stem + plural > len(key) or not _equal(key[stem:], _SINGULAR[rule, 1:], length - stem):
                continue
            kept = key[stem:length].copy()
            key[stem : stem + plural] = _PLURAL[rule, 1 : 1 + plural]
            wanted[public(key, 0, stem + plural, seed) & U(0xFFFF)] = 1
            key[stem:length] = kept


@compiled
def longest(matches: Int32s) -> Int32s:
    """Return the longest of the matches that begin alike, from left to right, none that overlaps one before it."""
    kept = np.empty_like(matches)
    number, reached = 0, np.int64(0)
    for row in range(len(matches)):
        if matches[row, 0] < reached:
            continue
        if row + 1 == len(matches) or matches[row + 1, 0] != matches[row, 0]:
            kept[number], reached = matches[row], np.int64(matches[row, 1])
            number += 1
    return kept[:number]


@compiled
def _token_end(codes: UInt32s, start: Int, table: Characters) -> Int:
    """Return where the first token at or after ``start`` ends; ``start`` where there is none."""
    end = start
    while end < len(codes) and not in_word(table.classes[codes[end]]):
        end += 1
    if end == len(codes):
        return start
    while end < len(codes) and in_word(table.classes[codes[end]]):
        end += 1
    return end


@compiled
def find_terms(index: Index, table: Characters, seed: np.uint64, codes: UInt32s, bounds: Int32s) -> Int32s:
    """Look up the whole of each ``codes[start:end]`` (rows of ``bounds``): rows of word or -1, and 1 for a plural."""
    key, shown, _ = _buffers(index.room)
    spare = _buffers(index.room)
    found = np.empty((len(bounds), 2), np.int32)
    for row in range(len(bounds)):
        length = fold(codes, bounds[row, 0], bounds[row, 1], table, key, shown, 0)
        found[row] = -1, 0
        if length > 0:
            found[row] = _get_inflected(index, table, seed, key, shown, length, spare)
    return found
