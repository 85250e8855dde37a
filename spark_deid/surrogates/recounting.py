"""Whether what was made up holds together, read again from originals, edits and published text.

Nothing here shares a reader, a list or an expression with what made the replacements. Words are compared one by one as
they stand; dates are read in every way in which their figures may be meant, and a scope's offset is what all of them
agree on.
"""

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain, groupby, product
from typing import NamedTuple

from spark_deid.core.csv_dialect import limit_cells
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.surrogates.recounting_values import has_check_digit, is_other_half, read_ends
from spark_deid.text.gazetteer import COMMON, GIVEN, LEMMA, SURNAME, facts_of

_MONTHS = (
    "jan ene gen",
    "feb fev",
    "mar mrz mrt maa",
    "apr abr avr",
    "may mai mag mei maj",
    "jun giu juin",
    "jul lug juil",
    "aug ago aou",
    "sep set",
    "oct okt ott out",
    "nov",
    "dec dez dic",
)
_BY_WORD = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_ALIKE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "ð": "d", "ħ": "h", "þ": "th", "æ": "ae", "œ": "oe"})
"""Letters that stay whole when marks fall off, as they are written by whom their keyboards lack."""
_LEAST = 2
"""The fewest letters of a word that is compared."""
_LONG = 4
"""The fewest letters of a word that is a name by public lists; titles and particles are shorter as a rule."""
_FORMS = frozenset(("della", "delle", "messrs", "herr", "frau", "mister", "madam", "prof", "lady", "dott", "dona"))
_RUNS, _NEITHER = re.compile("[A-Za-z]+|[0-9]+"), re.compile("[^a-z0-9]+")
"""What a text in ASCII is cut into, and what is taken out of it in small letters."""
_PHRASE_WORDS = frozenset(
    re.split(
        " ", "al an and at bin da de del den der di dos du el for ibn in la las le los of on san st the to van von"
    )
)
"""Words of phrases that identify no one."""
_USER = re.compile(r"\s*[a-z]{2,6}://([^\s/?#]*)@", re.IGNORECASE)
"""Who logs in by a link, with a password."""
_REMEMBERED = 1 << 15
"""Texts whose words, or dates, are kept: those of a person come again and again."""


class SurrogateClaim(NamedTuple):
    """What is recounted: whose documents are one scope, how far dates move, and the labels of names."""

    by_subject: bool
    days: int
    techniques: tuple[str, ...]
    names: frozenset[str]
    dates: frozenset[str] = frozenset()
    """Labels of surrogates that are dates, and move with those that are shifted."""
    offsets: str | None = None
    """The path of a table that says by how many days each person's dates move."""
    infers: bool = False
    """Whether documents without a person may have one that was inferred."""
    is_reserved: bool = False
    """Whether numbers and addresses are nobody's."""
    continued: str | None = None
    """The workspace of an earlier run whose surrogates remain."""
    lists: str | None = None
    """The folder of lists of a user."""
    shifted: frozenset[str] = frozenset()
    """Labels with rules that shift, ``*`` for all that have no rule."""
    rule_labels: frozenset[str] = frozenset()
    """Labels with a rule."""
    moves_by_document: bool = False
    """Whether the dates of each document move by a separate number of days."""
    spares: bool = False
    """Whether the plan spares terms (``allow``)."""

    def moves(self, label: str) -> bool:
        """Return whether the dates of a label move."""
        return (label if label in self.rule_labels else "*") in self.shifted or label in self.dates


class InventedEdit(NamedTuple):
    """A replacement that was made up: how, whether of a person's name, what stood there, and what stands there now."""

    technique: str
    is_name: bool
    before: str
    after: str


class SurrogateFaults(NamedTuple):
    """What is wrong with made-up replacements; all zero when nothing is.

    ``split`` counts words of a scope that have several replacements, ``merged`` replacements that stand for several,
    ``same`` edits that leave what stood there, ``halves`` surrogates that are in the half of their original,
    ``kept`` words of names that stay and that public lists know as nothing but names, and links in which a word
    of a user or password stays, ``offsets`` scopes whose dates
    move by no one number of days, ``unread`` dates that became none, or the other way round, ``digits`` valid check
    digits that became invalid, and ``terms`` spared terms that are words of a value that is replaced in the texts of
    the same person. ``spared`` counts the terms that remain, which are no fault.
    """

    edits: int = 0
    split: int = 0
    merged: int = 0
    same: int = 0
    halves: int = 0
    kept: int = 0
    offsets: int = 0
    unread: int = 0
    digits: int = 0
    spared: int = 0
    terms: int = 0

    def add(self, other: "SurrogateFaults") -> "SurrogateFaults":
        """Add faults of other scopes."""
        return SurrogateFaults(*(a + b for a, b in zip(self, other, strict=True)))


@lru_cache(maxsize=_REMEMBERED)
def fold_letters(text: str) -> str:
    """Return letters and figures alone, without case and marks.

    >>> fold_letters("Núñez-7"), fold_letters("HESS") == fold_letters("Heß")
    ('nunez7', True)
    >>> fold_letters("Yılmaz") == fold_letters("YILMAZ")
    True
    """
    if text.isascii():
        return _NEITHER.sub("", text.lower())
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()).translate(_ALIKE) if c.isalnum())


def split_words(text: str) -> list[str]:
    """Cut a text where letters, figures and other characters change; only the first two are kept.

    >>> split_words("Dr. O'Brien-17b")
    ['Dr', 'O', 'Brien', '17', 'b']
    """
    if text.isascii():
        return _RUNS.findall(text)
    marked = [(("a" if c.isalpha() or unicodedata.combining(c) else "0" if c.isdigit() else ""), c) for c in text]
    return ["".join(c for _, c in run) for kind, run in groupby(marked, key=_first) if kind]


@lru_cache(maxsize=_REMEMBERED)
def _folded_words(text: str) -> tuple[str, ...]:
    if text.isascii():
        return tuple(_RUNS.findall(text.lower()))
    return tuple(map(fold_letters, split_words(text)))


def _first(pair: tuple[str, str]) -> str:
    return pair[0]


def count_faults(edits: Sequence[InventedEdit], older: Iterable[tuple[str, str]] = ()) -> SurrogateFaults:
    """Count the faults of the edits of one scope, except those of its dates.

    ``older`` are values and surrogates of a workspace of an older version, which may be in the same half.
    """
    exempt = {(fold_letters(before), fold_letters(after)) for before, after in older}
    named = [edit for edit in edits if edit.technique == "surrogate"]
    pairs = {pair for edit in named for pair in _pairs(edit)}
    replaced = Counter(before for before, _ in pairs)
    present = Counter(after for after, _ in {(after, before.replace(" ", "")) for before, after in pairs})
    is_kept = {word for edit in named if edit.is_name for word in _staying(edit)}
    return SurrogateFaults(
        edits=len(edits),
        split=sum(number > 1 for number in replaced.values()),
        merged=sum(number > 1 for number in present.values()),
        same=sum(map(_is_same, edits)),
        halves=sum(not is_other_half(*pair) for pair in {p for e in named for p in _single_pairs(e)} - exempt),
        kept=sum(map(_is_name_alone, is_kept)) + sum(map(_keeps_user, named)),
        digits=sum(has_check_digit(edit.before) and not has_check_digit(edit.after) for edit in named),
    )


def remaining_terms(spared: Iterable[Span], edits: Iterable[LabelledEdit]) -> list[Span]:
    """Return the spared spans that no edit touches, one of several at one place."""
    places = [(edit.start, edit.end) for edit in edits]
    by_place = {span[:2]: span for span in spared}
    return [s for s in by_place.values() if not any(start < s.end and s.start < end for start, end in places)]


def count_spared(terms: Iterable[str], replaced: Iterable[str]) -> SurrogateFaults:
    """Count the spared spans of one person, and those that show a word of a replaced value.

    A phrase shows a value if they have a word of several letters in common, except for words that form phrases.

    >>> count_spared(["Fisher", "May"], ["Ann Fisher"])[-2:]
    (2, 1)
    """
    words = {word for text in replaced for word in _folded_words(text)}
    spared = list(terms)
    return SurrogateFaults(spared=len(spared), terms=sum(_shows(_folded_words(term), words) for term in spared))


def _shows(term: tuple[str, ...], words: Collection[str]) -> bool:
    if len(term) == 1:
        return term[0] in words
    return any(word in words for word in term if len(word) > 1 and word.isalpha() and word not in _PHRASE_WORDS)


def _single_pairs(edit: InventedEdit) -> Iterator[tuple[str, str]]:
    """Yield words that are one value, and their surrogates: the words of a name, and a mention of one word."""
    before, after = _folded_words(edit.before), _folded_words(edit.after)
    if edit.is_name and len(before) == len(after):
        yield from (pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    elif len(before) == 1:
        yield before[0], "".join(after)


def _is_same(edit: InventedEdit) -> bool:
    """Tell whether an edit says what stood there; of dates the parts count: 1/19/08 and 11/9/08 are two days."""
    if _moves(edit):
        return _folded_words(edit.before) == _folded_words(edit.after)
    if edit.before.isascii() and edit.after.isascii():
        return "".join(_folded_words(edit.before)) == "".join(_folded_words(edit.after))
    return fold_letters(edit.before) == fold_letters(edit.after)


def count_date_faults(
    edits: Sequence[InventedEdit], *, days: int, own: frozenset[int] | None = None
) -> SurrogateFaults:
    """Count what is wrong with the dates of one person, or of a document of nobody.

    ``own`` are the numbers of days that a table has for the person, one or none; None where there is no table.
    """
    return SurrogateFaults(
        offsets=int(not _agree(edits, days, own)),
        unread=sum(_ends_in(edit.before) != _ends_in(edit.after) for edit in edits if _moves(edit)),
    )


def _staying(edit: InventedEdit) -> set[str]:
    """Return the words that remain in their place, from the first or the last word on.

    A surrogate may be another word of the mention, so the same word elsewhere is no fault.
    """
    if set(_folded_words(edit.before)).isdisjoint(_folded_words(edit.after)):
        return set()
    before, after = split_words(edit.before), split_words(edit.after)
    places = chain(zip(before, after, strict=False), zip(reversed(before), reversed(after), strict=False))
    return {word for word, other in places if word == other}


def _keeps_user(edit: InventedEdit) -> bool:
    """Return whether a word or a number of the user or password of a link remains in its place.

    A digit, and one after a zero, has too few other values: its replacement may be equal.
    """
    if "://" not in edit.before:
        return False
    before, after = (found[1] if (found := _USER.match(text)) else "" for text in (edit.before, edit.after))
    pairs = zip(*map(_folded_words, (before, after)), strict=False)
    return any(one == other and len(one) > 1 and not (len(one) == 2 and one[0] == "0") for one, other in pairs)


def _is_name_alone(word: str) -> bool:
    """Tell whether public lists know a word as a name, and neither a dictionary nor general text as another word."""
    if len(word) < _LONG or fold_letters(word) in _FORMS:
        return False
    facts = facts_of(word)
    return bool(facts >> GIVEN & 3 or facts >> SURNAME & 1) and not (facts >> COMMON & 3 or facts >> LEMMA & 1)


def _pairs(edit: InventedEdit) -> Iterator[tuple[str, str]]:
    """Yield the words of a name beside what stands for them, where it has as many, else a whole; what stays is form.

    A whole of words alone has spaces between them: White House and Whitehouse are two.
    """
    before, after = _folded_words(edit.before), _folded_words(edit.after)
    if not edit.is_name or len(before) != len(after):
        letters = all(map(str.isalpha, before))
        before, after = ((" " if letters else "").join(before),), ("".join(after),)
    for one, other in zip(before, after, strict=True):
        if len(one) >= _LEAST and one.replace(" ", "") != other:
            yield one, other


def _moves(edit: InventedEdit) -> bool:
    return edit.technique == "shift"


def _agree(edits: Sequence[InventedEdit], days: int, own: frozenset[int] | None) -> bool:
    """Tell whether some number of days, not 0, not too many and a table's own, moves every whole date."""
    agreed: set[int] | None = None
    for edit in edits:
        if not _moves(edit):
            continue
        for before, after in zip(_ends(edit.before), _ends(edit.after), strict=False):
            offsets = {(b - a).days for (order, a), (same, b) in product(before, after) if order == same}
            agreed = offsets if agreed is None else agreed & offsets
    if own is not None and not own and any(map(_moves, edits)):
        return False
    return agreed is None or any(0 < abs(offset) <= days and (own is None or offset in own) for offset in agreed)


def offsets_by_person(path: str) -> dict[str, frozenset[int]]:
    """Return the days of each person of a table. Raises UsageError, without any of its cells."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            limit_cells()
            named = csv.DictReader(lines)
            named.fieldnames = [name.strip() for name in named.fieldnames or ()]
            return {row["subject_id"]: frozenset((int(row["days"]),)) for row in named}
    except (OSError, ValueError, TypeError, KeyError, csv.Error):
        raise UsageError(f"{path}: expected the table of offsets that dates were moved by; start again") from None


def dates_in(text: str) -> frozenset[date]:
    """Return the whole dates that a text may mean, in any order of day and month; none where it says no whole one.

    After a year of four figures the month comes first.

    >>> sorted(map(str, dates_in("3/4/2014"))), [str(day) for day in dates_in("4th of March, 2014")]
    (['2014-03-04', '2014-04-03'], ['2014-03-04'])
    >>> [str(day) for day in dates_in("2014-03-04")]
    ['2014-03-04']
    """
    return frozenset(day for end in _ends(text) for _, day in end)


def _ends_in(text: str) -> int:
    """Return how many whole dates a text has: two in a range."""
    return len(_ends(text))


@lru_cache(maxsize=_REMEMBERED)
def _ends(text: str) -> tuple[frozenset[tuple[object, date]], ...]:
    """Return what the whole date of a text may be, with the order of its parts; of a range, what each end may be."""
    found = read_ends(text, _month_of)
    if found is not None:
        return found
    readings = _readings(text)
    return (readings,) if readings else ()


def _month_of(word: str) -> int | None:
    return next((_BY_WORD[key] for key in _prefixes(word) if key in _BY_WORD), None)


def _readings(text: str) -> frozenset[tuple[tuple[int, bool], date]]:
    """Return the dates of a text, each with its order: which number is the year, whether the day precedes the month.

    A date that moved is written in the order that it had.
    """
    words = split_words(text.partition(":")[0] if ":" in text else text)
    if ":" in text:  # what stands before the colon of a time of day is its hour
        words = words[:-1]
    month = next((_BY_WORD[key] for word in words for key in _prefixes(word) if key in _BY_WORD), None)
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) == 1 and len(numbers[0]) == 8 and month is None:
        numbers = [numbers[0][:4], numbers[0][4:6], numbers[0][6:]]
    if len(numbers) < (2 if month else 3):
        return frozenset()
    numbers = numbers[: 2 if month else 3]
    found = set()
    for place, year, rest in _years(numbers):
        for is_first in (True,) if month else (False,) if len(numbers[0]) == 4 else (True, False):
            day, other = (rest[0], month or rest[1]) if is_first else (rest[1], rest[0])
            found |= {((place, is_first), real) for real in _real(year, other, day)}
    return frozenset(found)


def _prefixes(word: str) -> tuple[str, ...]:
    folded = fold_letters(word)
    return (folded[:4], folded[:3]) if folded.isalpha() and len(folded) > 2 else ()


def _years(numbers: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the place of each number that may be a year, the year, and the other numbers."""
    whole = [place for place, number in enumerate(numbers) if len(number) == 4]
    for place in whole or (len(numbers) - 1, 0):
        others = [int(number) for other, number in enumerate(numbers) if other != place]
        year = int(numbers[place])
        for century in (0,) if len(numbers[place]) > 2 else (1900, 2000):
            yield place, year + century, others


def _real(year: int, month: int, day: int) -> set[date]:
    try:
        return {date(year, month, day)}
    except ValueError:
        return set()
