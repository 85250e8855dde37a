"""Whether a replacement states what was there: the checker's own view, separate from the code that makes edits.

Both are reduced to what an eye or a program reads of them, and of six letters or digits on compared by halves: where
one letter was changed, omitted or put in, one half is as it was. Dates and numbers compare by their values.
"""

import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from html.entities import html5

_LEAST = 6
_LONG = 4000
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "ene", "gen"),
            ("feb", "fev"),
            ("mar", "maa", "mrt"),
            ("apr", "abr", "avr"),
            ("may", "mai", "mag", "mei", "maj"),
            ("jun", "giu"),
            ("jul", "lug"),
            ("aug", "ago", "aou"),
            ("sep", "set"),
            ("oct", "okt", "out", "ott"),
            ("nov",),
            ("dec", "dic", "dez"),
        ),
        1,
    )
    for name in names
}
_OTHER_ALPHABETS = {
    "CYRILLIC": "A=A IE=E O=O ER=P ES=C U=Y HA=X I=I JE=J DZE=S KA=K EM=M TE=T VE=B EN=H PALOCHKA=L SHHA=H QA=Q WE=W",
    "GREEK": "ALPHA=A BETA=B EPSILON=E ETA=H IOTA=I KAPPA=K MU=M NU=N OMICRON=O RHO=P TAU=T UPSILON=Y CHI=X ZETA=Z",
}
"""What letters look like, by their names in Unicode."""
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(r"\w+")
_AS_LETTERS = str.maketrans("013457", "OIEAST")
_ENTITY = re.compile(r"&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));", re.IGNORECASE)
_OCTET = re.compile(r"[%=]([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})", re.IGNORECASE)


def tells_original(original: str, replacement: str) -> bool:
    """Return whether an original can be read off what is in its place; of one of less than six letters nothing is.

    >>> [tells_original("Zimtmann", new) for new in ("[nnamtmiZ]", "WmltdG1hbm4=", "Zimmer")]
    [True, True, False]
    >>> tells_original("3/4/2009", "March 4, 2009"), tells_original("3/4/2009", "3/7/2009")
    (True, False)
    """
    wanted = _bare(original)
    if len(wanted) < _LEAST:
        return original == replacement
    if len(original) > _LONG or len(replacement) > _LONG:
        return wanted in _bare(replacement)
    day, words = _day(original), sorted(map(_bare, _WORD.findall(original)))
    for shown in _unpacked(replacement):
        other = _day(shown) if day else None
        if other is not None:
            if other == day:
                return True
            continue
        if _holds(wanted, _bare(shown)) or words == sorted(map(_bare, _WORD.findall(shown))):
            return True
    return False


def _holds(wanted: str, written: str) -> bool:
    """Return whether something is in what is written, or backward in it, as it was or but for a letter."""
    digits = re.sub(r"\D", "", wanted)
    for text in (written, written[::-1], *([written.translate(_AS_LETTERS)] if not digits else [])):
        if wanted in text:
            return True
        if 2 * len(digits) < len(wanted):
            if any(re.sub(r"\D", "", piece) == digits for piece in _pieces_with_a_half(wanted, text)):
                return True
        elif any(wanted[:n] + wanted[n + 1 :] in text for n in range(len(wanted))):
            return True
    return False


def _pieces_with_a_half(wanted: str, text: str) -> Iterator[str]:
    """Yield pieces of a text that are what is wanted but for one letter: one half is the same, the other but for it."""
    middle = len(wanted) // 2
    left, right = wanted[:middle], wanted[middle:]
    for place in _places(left, text):
        rest = text[place + middle :]
        yield from (text[place : place + middle + n] for n in _lengths_of_near(right, rest))
    backward = text[::-1]
    for place in _places(right[::-1], backward):
        rest = backward[place + len(right) :]
        yield from (backward[place : place + len(right) + n][::-1] for n in _lengths_of_near(left[::-1], rest))


def _lengths_of_near(wanted: str, text: str) -> Iterator[int]:
    """Yield how long a beginning of a text is that is what is wanted but for one letter."""
    same = 0
    while same < len(wanted) and same < len(text) and wanted[same] == text[same]:
        same += 1
    for missing, more in ((1, 1), (1, 0), (0, 1)):
        tail = wanted[same + missing :]
        if text.startswith(tail, same + more):
            yield same + more + len(tail)


def _places(piece: str, text: str) -> Iterator[int]:
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _bare(text: str) -> str:
    return "".join(map(_letter, text))


@cache
def _letter(character: str) -> str:
    """Return the capital letters or the digit that a character is read as, nothing for any other."""
    if character.isascii():
        return character.upper() if character.isalnum() else ""
    found = []
    for part in unicodedata.normalize("NFKD", character):
        name = unicodedata.name(part, "")
        if unicodedata.category(part) == "Nd":
            found.append(str(unicodedata.decimal(part)))
        elif unicodedata.category(part)[0] == "L":
            found.append(_likeness(name) or part.upper())
    return "".join(found)


def _likeness(name: str) -> str:
    alphabet, _, rest = name.partition(" ")
    letter = re.sub(r".*LETTER (?:BYELORUSSIAN-UKRAINIAN |SMALL CAPITAL )?", "", rest).split(" WITH ")[0].split(" ")[0]
    if alphabet == "LATIN":
        return letter if len(letter) <= 2 and letter.isalpha() else ""
    pairs = dict(pair.split("=") for pair in _OTHER_ALPHABETS.get(alphabet, "").split())
    return pairs.get(letter, "")


def _day(text: str) -> tuple[int, ...] | None:
    """Return year, month and day as numbers without order, the year without its century; None where it is no date."""
    tokens = _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())
    numbers = [int(token) for token in tokens if token.isdecimal()]
    names = [_MONTHS[key] for token in tokens if (key := _ascii(token)[:3]) in _MONTHS and not token.isdecimal()]
    if len(tokens) == 1 and len(tokens[0]) == 8 and tokens[0].isdecimal():
        numbers = [int(tokens[0][:4]), int(tokens[0][4:6]), int(tokens[0][6:])]
    years = [number for number in numbers if number > 31]
    if len(names) > 1 or len(numbers) + len(names) != 3 or len(years) > 1:
        return None
    if any(99 < year < 1600 or year > 2199 for year in years):
        return None
    return tuple(sorted(number % 100 if number > 1000 else number for number in (*numbers, *names)))


def _ascii(word: str) -> str:
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()


def _unpacked(text: str) -> Iterator[str]:
    """Yield a text, and what it holds in packed form, also turned round."""
    opened = _ENTITY.sub(_character, text)
    opened = _OCTET.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), opened)
    yield from dict.fromkeys((text, opened, opened.translate(_BY_HALF), opened[::2], opened[1::2]))
    for run in re.split(r"[^0-9A-Za-z+/=_-]+", opened):
        if len(run) < _LEAST:
            continue
        for form in dict.fromkeys((run, run[::-1])):
            yield from _of_bytes(form)


_FIVE_BITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_HALF = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BY_HALF = str.maketrans(_HALF + _HALF.lower(), _HALF[13:] + _HALF[:13] + _HALF[13:].lower() + _HALF[:13].lower())


def _of_bytes(run: str) -> Iterator[str]:
    letters = run.rstrip("=").replace("-", "+").replace("_", "/")
    for decode in (_of_sixty_four, binascii.a2b_hex, _of_thirty_two):
        try:
            yield decode(letters).decode()
        except ValueError:
            continue


def _of_sixty_four(letters: str) -> bytes:
    return binascii.a2b_base64(letters + "=" * (-len(letters) % 4))


def _of_thirty_two(letters: str) -> bytes:
    """Return what five bits a letter, A to Z and 2 to 7, make; raises ValueError for other letters."""
    bits = "".join(f"{_FIVE_BITS.index(letter):05b}" for letter in letters.upper())
    return bytes(int(bits[n : n + 8], 2) for n in range(0, len(bits) - 7, 8))


def _character(match: re.Match[str]) -> str:
    if match[3]:
        return html5.get(f"{match[3]};", match[0])
    code = int(match[1], 16) if match[1] else int(match[2])
    return chr(code) if code < 0x110000 else match[0]
