"""Whether a replacement hides what stood there: techniques of other packages may turn it round, pack or disguise it.

What holds six letters or digits and more is looked for in a replacement as it is and as it may be read: unpacked
(base64, base32, hexadecimal, entities, signs of percent, escapes), turned round, every other letter, by ROT13, with
look-alikes and digits for letters. A letter in six may be another or missing, two at most. Dates compare by their day,
whatever the writing, and other digits count each: another number is another value.
"""

import base64
import binascii
import codecs
import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from spark_deid.text.base_letters import normalize, same_letters
from spark_deid.values.date import read_date
from spark_deid.values.locale import ValueLocale

LEAST = 6
"""The fewest letters and digits that are looked for: shorter ones stand anywhere by chance."""
LONGEST = 2000
"""Of a longer replacement, or of what is longer, only the text itself is looked for."""
_LETTERS_A_CHANGE, _MOST_CHANGES = 6, 2
_MOST_READINGS = 48
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝһкмтвнӏзαβεηικνορτυχωγμζᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡօսոցհ",
    "aeopcyxijsdqwhkmtbhl3abenikvoptuxwymzabcdefghijklmnoprstuvwyzagoungh",
)
_AS_LETTERS = str.maketrans("01345789@$!|", "oleastbgasll")
_AS_DIGITS = str.maketrans("oOlI", "0011")
_WORD = re.compile(r"[^\W_]+")
_PACKED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,6}")
_ESCAPED = re.compile(r"(?:\\u|\\x|\\U|u\+|U\+|0x|=)([0-9A-Fa-f]{2,8})")
_LOCALES = (ValueLocale("en", "US"), ValueLocale("en", "GB"), ValueLocale("es", ""))


def hides(text: str, replacement: str) -> bool:
    """Tell whether what stood somewhere can't be read off what stands there now.

    >>> hides("Zimtmann", "Zimmer"), hides("Zimtmann", "nnamtmiZ"), hides("Zimtmann", "-- Zimtman --")
    (True, False, False)
    >>> hides("12 March 2015", "2015-03-12"), hides("12 March 2015", "13 March 2015")
    (False, True)
    """
    looked_for = _Original(text)
    if len(looked_for.letters) < LEAST:
        return text != replacement
    if len(text) > LONGEST or len(replacement) > LONGEST:
        return looked_for.letters not in _letters(replacement)
    return not any(looked_for.stands_in(reading) for reading in _readings(replacement))


class _Original:
    """What stood there, as it is compared."""

    def __init__(self, text: str) -> None:
        self.letters = _letters(text)
        self._dates = _dates(text)
        digits = sum(map(str.isdigit, self.letters))
        self._is_code = 2 * digits >= len(self.letters)
        self._changes = min(_MOST_CHANGES, (len(self.letters) - digits) // _LETTERS_A_CHANGE)
        self._as_letters = self.letters.translate(_AS_LETTERS) if not digits else ""
        self._words = _words(text)

    def stands_in(self, reading: str) -> bool:
        if self._dates and (dates := _dates(reading)):
            return not self._dates.isdisjoint(dates)
        letters = _letters(reading)
        if self.letters in letters or self._words == _words(reading):
            return True
        if self._is_code:
            letters = letters.translate(_AS_DIGITS)
            return any(self.letters[:n] + self.letters[n + 1 :] in letters for n in range(len(self.letters)))
        return _is_near(self.letters, letters, self._changes) or bool(
            self._as_letters and _is_near(self._as_letters, letters.translate(_AS_LETTERS), self._changes)
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(map(_letters, _WORD.findall(text)))


def _is_near(wanted: str, text: str, changes: int) -> bool:
    """Tell whether a piece of a text is what is wanted but for so many changes, none of them of a digit.

    Sellers' algorithm: the fewest changes of each beginning of what is wanted, for pieces that end here.
    """
    if (Counter(wanted) & Counter(text)).total() < len(wanted) - changes:
        return False
    before = list(range(len(wanted) + 1))
    for character in text:
        row = [0]
        for place, letter in enumerate(wanted):
            change = 1 if letter.isalpha() else len(wanted)
            more = 1 if character.isalpha() else len(wanted)
            same = 0 if letter == character else max(change, more)
            row.append(min(before[place] + same, before[place + 1] + more, row[place] + change))
        if row[-1] <= changes:
            return True
        before = row
    return before[-1] <= changes


def _readings(text: str) -> Iterator[str]:
    """Yield a text as it is and as it may be read, in two steps at most."""
    seen = {text}
    fresh = [text]
    yield text
    for _ in range(2):
        found = [reading for each in fresh for read in _WAYS for reading in read(each)]
        fresh = []
        for reading in found:
            if reading not in seen and len(seen) < _MOST_READINGS:
                seen.add(reading)
                fresh.append(reading)
                yield reading


def _unpacked(text: str) -> Iterator[str]:
    for match in _PACKED.finditer(text):
        run = match[0].rstrip("=")
        for decode in (_base64, _base32, bytes.fromhex):
            try:
                yield decode(run).decode("utf-8")
            except (ValueError, binascii.Error):
                continue


def _base64(run: str) -> bytes:
    return base64.b64decode(run + "=" * (-len(run) % 4), altchars=b"-_" if set("-_") & set(run) else None)


def _base32(run: str) -> bytes:
    return base64.b32decode(run + "=" * (-len(run) % 8), casefold=True)


def _entities(text: str) -> Iterator[str]:
    yield html.unescape(text)


def _percents(text: str) -> Iterator[str]:
    yield unquote(text)


def _escapes(text: str) -> Iterator[str]:
    yield _ESCAPED.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


def _turned(text: str) -> Iterator[str]:
    yield text[::-1]
    letters = _letters(text)
    yield from (letters[::2], letters[1::2], text[::2], text[1::2])


def _shifted(text: str) -> Iterator[str]:
    yield codecs.encode(text, "rot13")


_WAYS: tuple[Callable[[str], Iterator[str]], ...] = (_entities, _percents, _escapes, _unpacked, _turned, _shifted)


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    """Return the letters and digits of a text without case, accents and other shapes of Latin letters."""
    plain = same_letters(normalize("NFKC", text)).translate(_LOOK_ALIKES)
    return "".join(filter(str.isalnum, plain))


@lru_cache(maxsize=1024)
def _dates(text: str) -> frozenset[str]:
    """Return the days that a text may be, in either order of day and month; years alone are none."""
    surface = normalize("NFKC", text)
    found = {read_date(surface, locale) for locale in _LOCALES}
    return frozenset(date for date in found if date is not None and len(date) > 4)
