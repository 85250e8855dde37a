"""Find runs of tokens that are one thing (mail, URL, date, phone, age) and make each one token.

Every function that looks at token i returns the index after the run that begins there, or i where none does.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt32s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.kernels.characters import DIGIT, MARK, PLACEHOLDER, UPPER
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK, NO_GAP

KINDS = (
    "plain", "mail", "url", "date", "written-date", "month", "long", "grouped", "phone", "slashed", "age", "age-words",
    "postal",
)  # fmt: skip
"""Kinds of tokens by number; 0 is a token that nothing was merged into."""
MAIL, WEB, DATE, WRITTEN_DATE, MONTH_YEAR, LONG, GROUPED, PHONE, SLASHED, AGE, AGE_WORDS, POSTAL = range(1, 13)

MONTH, AGE_UNIT, NUMBER, JOINER, YEAR_WORD, ORDINAL, URL, WWW, PREFIX, LEFT, RIGHT = (1 << bit for bit in range(8, 19))
"""Class bits as ``vocabulary.WORD_CLASSES`` orders them."""

COLON, COMMA, HYPHEN, FULL_STOP, SLASH, SEMICOLON, AT, UNDERSCORE, PLUS, CLOSING = map(ord, ":,-./;@_+)")


@inlined
def _solid(kind: int) -> bool:
    return kind != MARK and kind != PLACEHOLDER


@compiled
def _is_year(codes: UInt32s, start: Int, end: Int) -> bool:
    """Tell whether four digits begin with 19 or 20."""
    if end - start != 4:
        return False
    century = (np.int64(codes[start]) - 48) * 10 + np.int64(codes[start + 1]) - 48
    return bool(century == 19 or century == 20)


@compiled
def _value(codes: UInt32s, t: TokenArrays, i: int) -> Int:
    """Return the number that the first nine digits of token i write."""
    value: Int = 0
    for k in range(t.starts[i], min(t.ends[i], t.starts[i] + 9)):
        value = value * 10 + np.int64(codes[k]) - 48
    return value


@inlined
def _is_day_and_month(one: Int, two: Int) -> bool:
    """Tell whether two numbers, in any order, can be a day and a month."""
    return bool(1 <= one <= 31 and 1 <= two <= 31 and (one <= 12 or two <= 12))


@compiled
def _mail_start(t: TokenArrays, at: int, free: int) -> int:
    first = at
    while first > free and t.gaps[first] == NO_GAP:
        mark = t.marks[first - 1]
        inner = mark in (FULL_STOP, UNDERSCORE, PLUS, HYPHEN)
        if not (_solid(t.kinds[first - 1]) or inner):
            break
        first -= 1
    # An address does not begin with punctuation, such as an opening bracket.
    while first < at and t.kinds[first] == MARK:
        first += 1
    return first


@compiled
def _mail_end(t: TokenArrays, at: int, n: int) -> int:
    end = at + 1
    while end < n and t.gaps[end] == NO_GAP:
        mark = t.marks[end]
        if not (_solid(t.kinds[end]) or mark in (FULL_STOP, UNDERSCORE, HYPHEN)):
            break
        end += 1
    while end > at + 1 and t.kinds[end - 1] == MARK:
        end -= 1
    return end


@compiled
def _web_end(t: TokenArrays, i: int, n: int) -> int:
    if not (t.flags[i] & (URL | WWW) and i + 3 < n and t.gaps[i + 1] == NO_GAP):
        return i
    if t.marks[i + 1] != COLON and t.marks[i + 1] != FULL_STOP:
        return i
    end = i + 1
    while end < n and t.gaps[end] == NO_GAP and t.kinds[end] != PLACEHOLDER:
        # These end an address in running text: "see www.example.org/a, then".
        if t.marks[end] == COMMA or t.marks[end] == SEMICOLON or t.marks[end] == CLOSING:
            break
        end += 1
    while end > i + 1 and t.kinds[end - 1] == MARK:
        end -= 1
    return end if end > i + 2 else i


@compiled
def _numeric_date_end(codes: UInt32s, t: TokenArrays, i: int, n: int) -> int:
    if i + 4 >= n or t.kinds[i + 2] != DIGIT or t.kinds[i + 4] != DIGIT or t.marks[i + 1] != t.marks[i + 3]:
        return i
    for k in range(i + 1, i + 5):
        if t.gaps[k] != NO_GAP:
            return i
    mark = t.marks[i + 1]
    if mark != SLASH and mark != FULL_STOP and mark != HYPHEN:
        return i
    # Numbers of digits of the three parts: a year of four digits is first or last, never in the middle.
    one = t.ends[i] - t.starts[i]
    two = t.ends[i + 2] - t.starts[i + 2]
    three = t.ends[i + 4] - t.starts[i + 4]
    if one <= 2 and two <= 2 and (three == 2 or _is_year(codes, t.starts[i + 4], t.ends[i + 4])):
        fits = _is_day_and_month(_value(codes, t, i), _value(codes, t, i + 2))
    elif _is_year(codes, t.starts[i], t.ends[i]) and two <= 2 and three <= 2:
        fits = _is_day_and_month(_value(codes, t, i + 4), _value(codes, t, i + 2))
    else:
        fits = False
    if not fits:
        return i
    # A further part ("1.2.2020.3") makes it a version or an address, not a date.
    if i + 5 < n and t.gaps[i + 5] == NO_GAP:
        after = t.marks[i + 5]
        if after in (SLASH, HYPHEN):
            return i
        if (after in (FULL_STOP, COMMA)) and i + 6 < n and t.gaps[i + 6] == NO_GAP and t.kinds[i + 6] == DIGIT:
            return i
    return i + 5


@compiled
def _year_end(codes: UInt32s, t: TokenArrays, i: int, n: int, plain_marks: bool) -> int:
    """Return the end of a year at i, with joining words or a mark before it; i where there is none."""
    j = i
    if j < n and t.gaps[j] < LINE_BREAK:
        if t.flags[j] & JOINER:
            j += 1
            if j < n and t.gaps[j] < LINE_BREAK and t.flags[j] & YEAR_WORD:
                j += 1
        elif t.marks[j] == COMMA or (plain_marks and (t.marks[j] == HYPHEN or t.marks[j] == SLASH)):
            j += 1
    if j >= n or t.gaps[j] == LINE_BREAK or t.kinds[j] != DIGIT:
        return i
    # "-99" is a year only after a hyphen without spaces. Otherwise two digits are not enough.
    short = j > i and t.marks[i] == HYPHEN and t.gaps[j] == NO_GAP and t.ends[j] - t.starts[j] == 2
    return j + 1 if short or _is_year(codes, t.starts[j], t.ends[j]) else i


@compiled
def _written_date_end(codes: UInt32s, t: TokenArrays, i: int, n: int) -> int:
    """Day, month, year."""
    j = i + 1
    if j < n and t.gaps[j] < LINE_BREAK and t.flags[j] & (JOINER | ORDINAL):
        j += 1
        if j < n and t.gaps[j] < LINE_BREAK and t.flags[j] & JOINER and t.flags[j - 1] & ORDINAL:
            j += 1
    if j >= n or t.gaps[j] == LINE_BREAK or not t.flags[j] & MONTH:
        return i
    end = _year_end(codes, t, j + 1, n, False)
    return end if end > j + 1 else i


@compiled
def _month_first_end(codes: UInt32s, t: TokenArrays, i: int, n: int) -> int:
    """Month, day, year."""
    j = i + 1
    if j >= n or t.gaps[j] == LINE_BREAK or t.kinds[j] != DIGIT or t.ends[j] - t.starts[j] > 2:
        return i
    j += 1
    if j < n and t.gaps[j] == NO_GAP and t.flags[j] & ORDINAL:
        j += 1
    end = _year_end(codes, t, j, n, False)
    return end if end > j else i


@compiled
def _age_end(t: TokenArrays, i: int, n: int) -> int:
    if i + 1 < n and t.flags[i + 1] & AGE_UNIT and t.gaps[i + 1] != NO_GAP and t.gaps[i + 1] != LINE_BREAK:
        return i + 2
    return i


@compiled
def _number_end(codes: UInt32s, t: TokenArrays, i: int, n: int, patterns: Int64s, found: Int64s) -> int:
    """Digit groups apart by a gap, or by a hyphen or full stop; the kind goes to ``found[0]``."""
    last = np.empty(8, np.int64)
    first = np.empty(8, np.int64)
    groups = 0
    j = i
    while groups < patterns.shape[1] - 3:
        first[groups] = j
        last[groups] = j + 1
        groups += 1
        if j + 1 < n and t.kinds[j + 1] == DIGIT and NO_GAP < t.gaps[j + 1] < LINE_BREAK:
            j += 1
        elif (
            j + 2 < n
            and t.kinds[j + 2] == DIGIT
            and (t.marks[j + 1] == HYPHEN or (t.marks[j + 1] == FULL_STOP and t.gaps[j + 2] == NO_GAP))
            and t.gaps[j + 1] < LINE_BREAK
            and t.gaps[j + 2] < LINE_BREAK
        ):
            j += 2
        else:
            break
    # A row of `patterns`: kind, leading number or -1, bits of allowed first
    # digits, and per group bits of its lengths.
    for p in range(len(patterns)):
        size = 0
        while size < patterns.shape[1] - 3 and patterns[p, 3 + size]:
            size += 1
        if size > groups:
            continue
        fits = True
        for k in range(size):
            length = t.ends[first[k]] - t.starts[first[k]]
            if length > 62 or not (patterns[p, 3 + k] >> length) & 1:
                fits = False
                break
        if not fits:
            continue
        leading = np.int64(patterns[p, 1] >= 0)
        if leading and _value(codes, t, i) != patterns[p, 1]:
            continue
        digit = np.int64(codes[t.starts[first[leading]]]) - 48
        if digit < 0 or digit > 9 or not (patterns[p, 2] >> digit) & 1:
            continue
        end = last[size - 1]
        # A slash continues the number ("12 34/56"), so the group does not end here.
        if end < n and t.gaps[end] == NO_GAP and t.marks[end] == SLASH:
            continue
        found[0] = LONG + patterns[p, 0]
        return int(end)
    return i


@compiled
def _digits_end(codes: UInt32s, t: TokenArrays, i: int, n: int, patterns: Int64s, found: Int64s) -> int:
    touched = i > 0 and t.gaps[i] == NO_GAP
    if touched:
        before = t.marks[i - 1]
        if before in (FULL_STOP, COMMA, SLASH, HYPHEN):
            return i
    length = t.ends[i] - t.starts[i]
    end = _numeric_date_end(codes, t, i, n)
    found[0] = DATE
    if end == i and length <= 2:
        end = _written_date_end(codes, t, i, n)
        found[0] = WRITTEN_DATE
    if end == i and not (touched and t.kinds[i - 1] != MARK):
        end = _number_end(codes, t, i, n, patterns, found)
    if end == i and length <= 3:
        end = _age_end(t, i, n)
        found[0] = AGE
    return end


@compiled
def _is_postal(t: TokenArrays, i: int) -> bool:
    return bool(t.kinds[i] == DIGIT and t.ends[i] - t.starts[i] == 5)


@compiled
def _run_end(codes: UInt32s, t: TokenArrays, i: int, n: int, patterns: Int64s, found: Int64s) -> int:
    """Return the end of the run that begins at token i, and its kind in ``found[0]``; i where none begins."""
    if t.kinds[i] == DIGIT:
        return _digits_end(codes, t, i, n, patterns, found)
    flags = t.flags[i]
    end = i
    if flags & MONTH:
        end = _month_first_end(codes, t, i, n)
        found[0] = WRITTEN_DATE
        if end == i:
            end = _year_end(codes, t, i + 1, n, True)
            end = end if end > i + 1 else i
            found[0] = MONTH_YEAR
    # `found[0]` has the kind of the last attempt, and counts only if the end moved.
    if end == i and flags & NUMBER:
        end = _age_end(t, i, n)
        found[0] = AGE_WORDS
    if end == i and flags & (LEFT | PREFIX) and i + 2 < n and t.gaps[i + 1] == NO_GAP:
        if flags & LEFT and t.marks[i + 1] == SLASH and t.gaps[i + 2] == NO_GAP and t.flags[i + 2] & RIGHT:
            end = i + 3
            found[0] = SLASHED
        elif flags & PREFIX and t.kinds[i] == UPPER and t.marks[i + 1] == HYPHEN and _is_postal(t, i + 2):
            end = i + 3
            found[0] = POSTAL
    return end


@compiled
def find_merges(codes: UInt32s, t: TokenArrays, patterns: Int64s, until: Int32s) -> None:
    """Write the kind of the run that begins at each token into ``t.merged`` and its end into ``until``."""
    n = len(t.starts)
    free = int(np.int64(0))
    i = int(np.int64(0))  # a literal 0 would have all that it is given to compiled twice
    while i < n:
        # Mail and web addresses first: they contain numbers and words that other kinds would claim.
        if t.marks[i] == AT and t.kinds[i] == MARK:
            first = _mail_start(t, i, free)
            end = _mail_end(t, i, n)
            if first < i and end > i + 1:
                t.merged[first] = MAIL
                until[first] = end
                free = i = end
                continue
        end = _web_end(t, i, n)
        if end > i:
            t.merged[i] = WEB
            until[i] = end
            free = i = end
            continue
        i += 1
    found = np.zeros(1, np.int64)
    i = int(np.int64(0))
    while i < n:
        if t.merged[i]:
            i = int(until[i])
            continue
        end = _run_end(codes, t, i, n, patterns, found)
        # A run that would reach into an address is dropped, so merged tokens never overlap.
        for k in range(i + 1, end):
            if t.merged[k]:
                end = i
                break
        if end > i:
            t.merged[i] = found[0]
            until[i] = end
            i = end
        else:
            i += 1


@compiled
def merge_runs(t: TokenArrays, until: Int32s) -> int:
    """Make one token of each run, in place; return how many tokens are left."""
    n = len(t.starts)
    count = 0
    i = 0
    while i < n:
        end = int(until[i]) if t.merged[i] else i + 1
        t.starts[count] = t.starts[i]
        t.lasts[count] = t.starts[end - 1]
        t.ends[count] = t.ends[end - 1]
        t.kinds[count] = t.kinds[i]
        t.marks[count] = t.marks[i]
        t.gaps[count] = t.gaps[i]
        t.flags[count] = 0 if t.merged[i] else t.flags[i]
        t.merged[count] = t.merged[i]
        count += 1
        i = end
    t.gaps[count] = LINE_BREAK
    return count
