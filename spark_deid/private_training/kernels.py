"""Sentences of texts by their code points: where they end, and what of them is longer than it may be."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.kernels.hashing import hash_keyed

SPACE, STRIPPED, CAPITAL, BEGINNING, WORD, ENDING = 1, 2, 4, 8, 16, 32
"""Flags of a character: white space, what ``str.strip`` takes, a capital, what a sentence begins with, part of a word,
and what may stand last in a line or sentence that ends."""
_TAB, _NEWLINE, _RETURN, _BLANK, _STOP = 9, 10, 13, 32, 46
_STOPS = np.array([*map(ord, ".!?")], np.uint32)
_LINE_ENDS = np.array([*map(ord, ".:;!?")], np.uint32)
_CLOSING = np.array([*map(ord, "\"')]»”")], np.uint32)
_OPENING = np.array([*map(ord, "\"'([«“¿¡")], np.uint32)
_BULLETS = np.array([*map(ord, "-*•·–")], np.uint32)
_AFTER_NUMBERS = np.array([*map(ord, ".)")], np.uint32)
_DIGITS = 3
"""Digits of the number of an item, at most."""


@inlined
def _is_among(code: np.uint32, codes: UInt32s) -> bool:
    found = False
    for other in codes:
        if other == code:
            found = True
    return found


@inlined
def _is_blank(code: np.uint32) -> bool:
    return bool(code == _BLANK) or bool(code == _TAB)


@compiled
def border_end(codes: UInt32s, flags: UInt8s, titles: UInt32s, i: Int, low: Int, high: Int) -> Int:
    """Return where the border between sentences ends that begins at white space i of a text, -1 where none begins.

    The text is ``codes[low:high]``. A row of ``titles`` is a word after which a full stop ends none, from behind, and
    zeros. Borders are, and the first of these counts: blank lines, the break of a line before an item of a list, that
    of a line which ends as sentences do, and white space between a sentence's end and what begins another.
    """
    if codes[i] == _NEWLINE:
        j = i + 1
        while j < high and (_is_blank(codes[j]) or codes[j] == _RETURN):
            j += 1
        if j < high and codes[j] == _NEWLINE:
            return _behind_space(codes, flags, j + 1, high)
        # An item of a list starts a sentence even if the line before it has no full stop.
        if _begins_item(codes, flags, i + 1, high):
            return i + 1
    if i == low:
        return -1
    if _is_among(codes[i - 1], _LINE_ENDS):
        j = i
        while j < high and _is_blank(codes[j]):
            j += 1
        if j < high and codes[j] == _NEWLINE:
            return j + 1
    if not _ends_sentence(codes, flags, titles, i, low):
        return -1
    j = _behind_space(codes, flags, i, high)
    # An opening quotation mark or bracket precedes the letter that begins the sentence.
    k = j + 1 if j < high and _is_among(codes[j], _OPENING) else j
    return j if k < high and flags[codes[k]] & BEGINNING else -1


@compiled
def _behind_space(codes: UInt32s, flags: UInt8s, i: Int, high: Int) -> Int:
    while i < high and flags[codes[i]] & SPACE:
        i += 1
    return i


@compiled
def _begins_item(codes: UInt32s, flags: UInt8s, i: Int, high: Int) -> bool:
    """Tell whether a line begins with a bullet, or a number of few digits with a mark, and a blank."""
    while i < high and _is_blank(codes[i]):
        i += 1
    if i < high and _is_among(codes[i], _BULLETS):
        return bool(i + 1 < high) and _is_blank(codes[i + 1])
    first = i
    # Of what sentences begin with, digits are no capitals.
    while i < high and i - first <= _DIGITS and flags[codes[i]] & (BEGINNING | CAPITAL) == BEGINNING:
        i += 1
    if not 0 < i - first <= _DIGITS or i >= high or not _is_among(codes[i], _AFTER_NUMBERS):
        return False
    return bool(i + 1 < high) and _is_blank(codes[i + 1])


@compiled
def _ends_sentence(codes: UInt32s, flags: UInt8s, titles: UInt32s, i: Int, low: Int) -> bool:
    """Tell whether a sentence ends before character i: not after one capital, nor a title."""
    last = codes[i - 1]
    if last == _STOP:
        if i - 2 >= low and flags[codes[i - 2]] & CAPITAL:
            return False
        return not _is_title(codes, flags, titles, i - 2, low)
    if _is_among(last, _STOPS):
        return True
    return bool(i - 2 >= low) and _is_among(last, _CLOSING) and _is_among(codes[i - 2], _STOPS)


@compiled
def _is_title(codes: UInt32s, flags: UInt8s, titles: UInt32s, last: Int, low: Int) -> bool:
    """Tell whether one of the titles, as a whole word, ends with a character."""
    for t in range(len(titles)):
        i = last
        n = 0
        while n < titles.shape[1] and titles[t, n] != 0 and i >= low and codes[i] == titles[t, n]:
            i -= 1
            n += 1
        if (n == titles.shape[1] or titles[t, n] == 0) and (i < low or not flags[codes[i]] & WORD):
            return True
    return False


@compiled
def find_sentences(
    codes: UInt32s,
    flags: UInt8s,
    titles: UInt32s,
    borders: Int64s,
    starts: Int64s,
    ends: Int64s,
    lists: Int64s,
    most: Int,
    found: Int64s,
) -> Int64s:
    """Find the sentences of texts, without the white space around them; none cuts a span.

    Text i is ``codes[borders[i, 0]:borders[i, 1]]``; its spans, in order and disjoint, are those numbered ``lists[i]``
    to ``lists[i + 1]``. What is longer than ``most`` is cut at white space outside of spans. Rows of ``found``, of
    which there must be one more than texts and white space, get where each begins and ends. Returns how many there are
    before each text, and in all.
    """
    before = np.zeros(len(borders) + 1, np.int64)
    number: Int = 0
    for document in range(len(borders)):
        low, high = borders[document, 0], borders[document, 1]
        position, i, span, last = low, low, lists[document], lists[document + 1]
        while i < high:
            # Most characters are no white space, and most of it follows a letter.
            if not flags[codes[i]] & SPACE or (codes[i] != _NEWLINE and (i == low or not flags[codes[i - 1]] & ENDING)):
                i += 1
                continue
            end = border_end(codes, flags, titles, i, low, high)
            if end < 0:
                i += 1
                continue
            while span < last and ends[span] <= i:
                span += 1
            if span == last or starts[span] >= end:
                number = _add(codes, flags, position, i, starts, ends, lists[document], last, most, found, number)
                position = end
            i = end
        number = _add(codes, flags, position, high, starts, ends, lists[document], last, most, found, number)
        before[document + 1] = number
    return before


@compiled
def _add(
    codes: UInt32s,
    flags: UInt8s,
    start: Int,
    end: Int,
    starts: Int64s,
    ends: Int64s,
    first: Int,
    last: Int,
    most: Int,
    found: Int64s,
    number: Int,
) -> Int:
    """Add a stretch, cut at the last white space outside of spans before it is too long, or else at the next one."""
    if end - start > most:
        # Spans are ordered, so the first one that ends after the start is the only one to compare with.
        span = first + np.searchsorted(ends[first:last], start, side="right")
        cut: Int = -1
        behind: Int = -1
        i = start
        while i < end:
            if not flags[codes[i]] & SPACE:
                i += 1
                continue
            j = _behind_space(codes, flags, i, end)
            while span < last and ends[span] <= i:
                span += 1
            if span == last or starts[span] >= j:
                # The stretch became too long here, so it ends at the last place that was allowed before.
                if i - start > most and cut >= 0:
                    number = _add_stripped(codes, flags, start, cut, found, number)
                    start, cut = behind, -1
                if i - start > most:
                    number = _add_stripped(codes, flags, start, i, found, number)
                    start = j
                else:
                    cut, behind = i, j
            i = j
    return _add_stripped(codes, flags, start, end, found, number)


@compiled
def _add_stripped(codes: UInt32s, flags: UInt8s, start: Int, end: Int, found: Int64s, number: Int) -> Int:
    while start < end and flags[codes[start]] & STRIPPED:
        start += 1
    while start < end and flags[codes[end - 1]] & STRIPPED:
        end -= 1
    if start == end:
        return number
    found[number, 0], found[number, 1] = start, end
    return number + 1


# Bytes of texts in UTF-8, by their code points.


@compiled
def bytes_before(codes: UInt32s) -> Int64s:
    """Return how many bytes of UTF-8 stand before each code point, and how many there are."""
    before = np.empty(len(codes) + 1, np.int64)
    place = 0
    for i in range(len(codes)):
        before[i] = place
        # UTF-8 has one byte up to 0x7F, two up to 0x7FF, three up to 0xFFFF and four beyond.
        place += 1 + (codes[i] >= 0x80) + (codes[i] >= 0x800) + (codes[i] >= 0x10000)
    before[len(codes)] = place
    return before


# Places of sentences in an order that a key draws.


@compiled
def draw_places(before: Int64s, keys: UInt64s, places: UInt64s) -> None:
    """Draw 128 bits for each sentence: of its number in its document, by the document's keys, a row of four."""
    number = np.zeros(1, np.uint32)
    for document in range(len(keys)):
        for i in range(before[document], before[document + 1]):
            # Only the key and the number decide, so a sentence has the same place in every partition.
            number[0] = i - before[document]
            places[i, 0] = hash_keyed(number, 0, 1, keys[document, 0], keys[document, 1])
            places[i, 1] = hash_keyed(number, 0, 1, keys[document, 2], keys[document, 3])
