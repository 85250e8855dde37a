"""Find words of an ontology in code points: an open-addressing table, longest match over tokens, English plurals.

The words' own text is compared at every hit, so that no two words are ever taken for each other.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, UInt8s, UInt32s, read_only
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.ontology.kernels.folding import BLANK, decode, fold, in_word, separates
from spark_deid.text.kernels.characters import CharacterTable, characters
from spark_deid.text.kernels.hashing import finish, hash_public, salt, step

U = np.uint64
Spare: TypeAlias = tuple[UInt32s, UInt32s, UInt32s]
SEED = salt("ontology")
STOP, NOWHERE = 46, 0
"""A full stop, and what is in no word."""
MARKS = 1 << 18
"""Bits of the words that are searched for: half for first tokens, half for whole words."""
_ASCII, _LINE = 128, 10
_DIFFERS, _FOLDS_SO, _WRITTEN_SO, _BEYOND_ASCII = range(4)
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
    ("ses", "sis"),
)
"""Endings of plurals and what the singular has for them: NLTK's rules for nouns, and three more."""
_LAST = tuple({ord(plural[-1]) for plural, _ in ENDINGS})


def _endings(side: int) -> UInt32s:
    rows = np.zeros((len(ENDINGS), 5), np.uint32)
    for row, pair in zip(rows, ENDINGS, strict=True):
        row[0] = len(pair[side])
        row[1 : 1 + len(pair[side])] = [ord(letter) for letter in pair[side]]
    return rows


_PLURAL, _SINGULAR = _endings(0), _endings(1)


class WordIndex(NamedTuple):
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
def _fill(index: WordIndex, table: CharacterTable, seed: np.uint64) -> None:
    codes, key, spelled = _buffers(index.room)
    mask = U(len(index.slots) - 1)
    for word in range(len(index.starts) - 1):
        number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        length = fold(codes, 0, number, table, key, spelled, 0)
        # Linear probing. Words that fold equally have adjacent slots, the first of the list before the others.
        slot = hash_public(key, 0, length, seed) & mask
        while index.slots[slot]:
            slot = (slot + U(1)) & mask
        index.slots[slot] = word + 1
        first, end, tokens = _first_token(codes[:number], table)
        # `reach` bounds how many tokens a search reads on: two first tokens of one hash share the longer reach.
        head = hash_public(key, 0, fold(codes, first, end, table, key, spelled, 0), seed) & U(0xFFFF)
        index.reach[head] = np.uint8(max(index.reach[head], np.uint8(min(tokens, 255))))


@compiled
def _buffers(room: Int) -> tuple[UInt32s, UInt32s, UInt32s]:
    return np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(room, np.uint32)


@compiled
def _first_token(codes: UInt32s, table: CharacterTable) -> tuple[int, int, int]:
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


def build_index(text: UInt8s, starts: Int32s) -> WordIndex:
    """Build the table of these words; of words that fold to the same form, the first one is found first."""
    size = 16
    while 2 * size < 3 * len(starts):
        size *= 2
    room = int(np.diff(starts).max(initial=0)) + 4
    index = WordIndex(read_only(text), starts, np.zeros(size, np.int32), np.zeros(1 << 16, np.uint8), room)
    _fill(index, characters(), SEED)
    return index


@compiled
def _get(
    index: WordIndex, table: CharacterTable, seed: np.uint64, key: UInt32s, spelled: UInt32s, length: Int, spare: Spare
) -> Int:
    """Return the word that is written so, else the first that folds so, else -1."""
    mask = U(len(index.slots) - 1)
    slot = hash_public(key, 0, length, seed) & mask
    found = np.int64(-1)
    while index.slots[slot]:
        word = np.int64(index.slots[slot]) - 1
        slot = (slot + U(1)) & mask
        likeness = _likeness(index, word, table, key, spelled, length)
        # Only words beyond ASCII are decoded: most are ASCII, and compare byte by byte.
        if likeness == _BEYOND_ASCII:
            codes, other, written = spare
            number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
            if fold(codes, 0, number, table, other, written, 0) == length and _equal(other, key, length):
                likeness = _WRITTEN_SO if _equal(written, spelled, length) else _FOLDS_SO
        if likeness == _WRITTEN_SO:
            return word
        if likeness == _FOLDS_SO and found < 0:
            found = word
    return found


@inlined
def _likeness(index: WordIndex, word: Int, table: CharacterTable, key: UInt32s, spelled: UInt32s, length: Int) -> Int:
    """Compare a word of ASCII with a key, byte by byte; as ``fold`` would have it."""
    at, same = 0, True
    for place in range(index.starts[word], index.starts[word + 1]):
        code = np.uint32(index.text[place])
        if code >= _ASCII or code == _LINE:
            return _BEYOND_ASCII
        if separates(np.int64(code), table.classes[code]):
            if at and key[at - 1] == BLANK:
                continue
            code = np.uint32(BLANK)
        if at == length or table.lower[code] != key[at]:
            return _DIFFERS
        same = same and spelled[at] == code
        at += 1
    if at < length:
        return _DIFFERS
    return _WRITTEN_SO if same else _FOLDS_SO


@compiled
def _equal(left: UInt32s, right: UInt32s, length: Int) -> bool:
    for place in range(length):  # noqa: SIM110 (compiled code has no all)
        if left[place] != right[place]:
            return False
    return True


@compiled
def _get_singular(
    index: WordIndex, table: CharacterTable, seed: np.uint64, key: UInt32s, spelled: UInt32s, length: Int, spare: Spare
) -> Int:
    """Return the word of which this is a plural by rule, else -1."""
    for rule in range(len(_PLURAL)):
        singular = np.int64(_SINGULAR[rule, 0])
        stem = length - np.int64(_PLURAL[rule, 0])
        if stem < 0 or stem + singular < 2 or not _equal(key[stem:], _PLURAL[rule, 1:], length - stem):
            continue
        # The ending is replaced in the buffers and put back, so no copy of the word is needed.
        kept, seen = key[stem:length].copy(), spelled[stem:length].copy()
        for buffer in (key, spelled):
            buffer[stem : stem + singular] = _SINGULAR[rule, 1 : 1 + singular]
        word = _get(index, table, seed, key, spelled, stem + singular, spare)
        key[stem:length], spelled[stem:length] = kept, seen
        if word >= 0:
            return word
    return np.int64(-1)


@inlined
def _get_inflected(
    index: WordIndex, table: CharacterTable, seed: np.uint64, key: UInt32s, spelled: UInt32s, length: Int, spare: Spare
) -> tuple[Int, Int]:
    """Return the word and 0, or the word of which this is a plural by rule and 1, or -1 and 0."""
    word = _get(index, table, seed, key, spelled, length, spare)
    if word >= 0 or key[length - 1] not in _LAST:
        return word, np.int64(0)
    word = _get_singular(index, table, seed, key, spelled, length, spare)
    return word, np.int64(word >= 0)


@compiled
def find_matches(
    index: WordIndex,
    table: CharacterTable,
    seed: np.uint64,
    codes: UInt32s,
    pairs: UInt8s,
    wanted: UInt8s,
    places: Int32s,
) -> Int32s:
    """Find all words at every token, of every length: rows of start, end, word, and 1 for a plural by rule.

    Words begin and end where tokens (runs of letters and digits) do; a full stop after the last token may belong. Rows
    are by start, then by end. ``pairs`` is as ``mark_pairs`` has it. ``wanted`` is empty, or has the bits of the
    words that are to be found (``marks_of``), and maybe of others. ``places`` is empty, or has rows of start and end,
    disjoint and in order: words are then found that overlap one.
    """
    # `key` grows by one token per step and is never folded again. `spelled` distinguishes words that fold equally.
    key, spelled, _ = _buffers(index.room)
    spare = _buffers(index.room)
    found = np.empty((64, 4), np.int32)
    number, place, reached = np.int64(0), 0, np.int64(0)
    following: Int = np.int64(0)
    while following < len(codes):
        begin: Int = following
        if not in_word(table.classes[codes[begin]]):
            following = begin + 1
            continue
        following, hashed = _token(codes, begin, table, seed)
        # A text has few of the wanted words: one bit of a token's hash rules most tokens out before any look-up.
        goes_on = not len(wanted) or _is_marked(wanted, _beginning(hashed))
        if not goes_on and not _is_marked(wanted, _whole(hashed)):
            continue
        if len(places):
            while place < len(places) and places[place, 1] <= begin:
                place += 1
            if place == len(places):
                break
            reached = np.int64(places[place, 0])
        most = max(np.int64(index.reach[hashed & U(0xFFFF)]), np.int64(1)) if goes_on else np.int64(1)
        at: Int = begin
        end: Int = following
        length: Int = np.int64(0)
        for tokens in range(most):
            length = fold(codes, at, end, table, key, spelled, length)
            if length < 0:
                break
            at = end
            if tokens:
                hashed = hash_public(key, 0, length, seed)
            # Two tokens that begin no word of the ontology end the search here, unless they may be a plural by rule.
            is_listed = tokens != 1 or _is_marked(pairs, hashed)
            if not is_listed and key[length - 1] not in _LAST:
                break
            if number + 2 > len(found):
                found = np.concatenate((found, np.empty_like(found)))
            if end > reached and (not len(wanted) or _is_marked(wanted, _whole(hashed))):
                word, form = _get_inflected(index, table, seed, key, spelled, length, spare)
                if word >= 0:
                    found[number] = begin, end, word, form
                    number += 1
            if not is_listed:
                break
            # Abbreviations ("St.") include the full stop, and it is not a letter of a token.
            if goes_on and end >= reached and end < len(codes) and codes[end] == STOP and length < index.room:
                key[length] = spelled[length] = STOP
                word = _get(index, table, seed, key, spelled, length + 1, spare)
                if word >= 0:
                    found[number] = begin, end + 1, word, 0
                    number += 1
            end = _token_end(codes, at, table)
            if end == at:
                break
    return found[:number]


@inlined
def _token(codes: UInt32s, start: Int, table: CharacterTable, seed: np.uint64) -> tuple[Int, np.uint64]:
    """Return where the token that begins here ends, and the public hash of it as it folds."""
    state = seed
    end = start
    while end < len(codes) and in_word(table.classes[codes[end]]):
        state = step(state, U(table.lower[codes[end]]))
        end += 1
    return end, finish(state)


@inlined
def _beginning(hashed: np.uint64) -> np.uint64:
    """Return the bit of a first token after which a word continues, among those that are searched for."""
    return hashed & U(MARKS // 2 - 1)


@inlined
def _whole(hashed: np.uint64) -> np.uint64:
    """Return the bit of a whole word, among those that are searched for."""
    return _beginning(hashed) | U(MARKS // 2)


@compiled
def marks_of(index: WordIndex, table: CharacterTable, seed: np.uint64, words: Int32s) -> Int32s:
    """Return the bits by which a text is searched for these words, in the plural too: numbers up to ``MARKS``.

    Those of the words as they fold, and those of the first tokens of words that are more than a token.
    """
    codes, key, _ = _buffers(index.room)
    shown, found = np.empty_like(key), np.empty(64, np.int32)
    number: Int = np.int64(0)
    for word in words:
        if number + 2 + len(_PLURAL) > len(found):
            found = np.concatenate((found, np.empty_like(found)))
        letters = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        start, end, _ = _first_token(codes[:letters], table)
        beginning = fold(codes, start, end, table, key, shown, 0)
        found[number] = _beginning(hash_public(key, 0, beginning, seed))
        length = fold(codes, 0, letters, table, key, shown, 0)
        # The bit of a beginning is kept only if the word continues after it: otherwise the next bit replaces it.
        number += np.int64(length > beginning)
        found[number] = _whole(hash_public(key, 0, length, seed))
        number += 1
        for rule in range(len(_PLURAL)):
            stem = length - np.int64(_SINGULAR[rule, 0])
            plural = np.int64(_PLURAL[rule, 0])
            if stem < 0 or stem + plural > len(key) or not _equal(key[stem:], _SINGULAR[rule, 1:], length - stem):
                continue
            # Each rule is applied backwards, from the singular to the plural that a text may have.
            kept = key[stem:length].copy()
            key[stem : stem + plural] = _PLURAL[rule, 1 : 1 + plural]
            found[number] = _whole(hash_public(key, 0, stem + plural, seed))
            number += 1
            key[stem:length] = kept
    return found[:number]


@compiled
def put_marks(bits: UInt8s, numbers: Int32s) -> None:
    """Set bits by their numbers."""
    for number in numbers:
        bits[number >> 3] |= np.uint8(1) << np.uint8(number & 7)


@compiled
def mark_pairs(index: WordIndex, table: CharacterTable, seed: np.uint64, pairs: UInt8s) -> None:
    """Set the bits of the hashes of the first two tokens, with what parts them, of words that have as many.

    ``pairs`` is a power of two of bytes. A word of several tokens has its bit, or is the plural of one of two tokens.
    """
    codes, key, spelled = _buffers(index.room)
    for word in range(len(index.starts) - 1):
        number = decode(index.text, index.starts[word], index.starts[word + 1], codes)
        first, end, tokens = _first_token(codes[:number], table)
        if tokens < 2:
            continue
        second = _token_end(codes[:number], end, table)
        bit = hash_public(key, 0, fold(codes, first, second, table, key, spelled, 0), seed) & U(8 * len(pairs) - 1)
        pairs[bit >> U(3)] |= np.uint8(1) << np.uint8(bit & U(7))


@inlined
def _is_marked(bits: UInt8s, hashed: np.uint64) -> bool:
    bit = hashed & U(8 * len(bits) - 1)
    return bool(bits[bit >> U(3)] & (np.uint8(1) << np.uint8(bit & U(7))))


@compiled
def put_lemmas(found: Int32s, column: int, lemmas: Int32s, n_lemmas: int) -> None:
    """Put lemmas in a column for the irregular forms there, whose numbers are the higher ones, and 1 beside them."""
    for row in range(len(found)):
        form = found[row, column] - n_lemmas
        if form >= 0:
            found[row, column], found[row, column + 1] = lemmas[form], 1


@compiled
def keep_longest(matches: Int32s) -> Int32s:
    """Return the longest of the matches that begin alike, from left to right, none that overlaps one before it."""
    kept = np.empty_like(matches)
    number, reached = 0, np.int64(0)
    for row in range(len(matches)):
        if matches[row, 0] < reached:
            continue
        # Matches are ordered by start and end, so the last one with a start is the longest.
        if row + 1 == len(matches) or matches[row + 1, 0] != matches[row, 0]:
            kept[number], reached = matches[row], np.int64(matches[row, 1])
            number += 1
    return kept[:number]


@compiled
def _token_end(codes: UInt32s, start: Int, table: CharacterTable) -> Int:
    """Return where the first token at or after ``start`` ends; ``start`` if it is missing, or a word can't reach."""
    end = start
    while end < len(codes) and codes[end] != NOWHERE and not in_word(table.classes[codes[end]]):
        end += 1
    if end < len(codes) and codes[end] == NOWHERE:
        return start
    if end == len(codes):
        return start
    while end < len(codes) and in_word(table.classes[codes[end]]):
        end += 1
    return end


@compiled
def find_terms(index: WordIndex, table: CharacterTable, seed: np.uint64, codes: UInt32s, bounds: Int32s) -> Int32s:
    """Look up the whole of each ``codes[start:end]`` (rows of ``bounds``): rows of word or -1, and 1 for a plural."""
    key, spelled, _ = _buffers(index.room)
    spare = _buffers(index.room)
    found = np.empty((len(bounds), 2), np.int32)
    for row in range(len(bounds)):
        length = fold(codes, bounds[row, 0], bounds[row, 1], table, key, spelled, 0)
        found[row] = -1, 0
        if length > 0:
            found[row] = _get_inflected(index, table, seed, key, spelled, length, spare)
    return found
