"""Surrogates of a scope: the values of its documents, their surrogates, and mentions written with them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from typing import cast

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.span import Span
from spark_deid.surrogates.assigning import FAMILIES, WORD, DrawnSurrogate, assign, squeeze_spaces
from spark_deid.surrogates.check_digits import loses_check_digit
from spark_deid.surrogates.date_shift import ShiftRequest, move, offset_of, years_of
from spark_deid.surrogates.lists import lists_of, regional_cities
from spark_deid.surrogates.reading import Parts, Pool, read_mention
from spark_deid.surrogates.reserved_ranges import is_reserved
from spark_deid.surrogates.scoped import (
    CLASH,
    COMPOSED,
    ELSEWHERE,
    EXHAUSTED,
    FEW_VALUES,
    IN_RANGE,
    OLDER,
    UNREAD,
    AssignedText,
    MentionWriter,
)
from spark_deid.surrogates.settings import BY_LABEL, SURROGATE
from spark_deid.surrogates.shapes import is_small
from spark_deid.surrogates.writing import write_mention
from spark_deid.values.gender_words import NOUNS, PRONOUNS, TITLES
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form

WHOLE = "whole"
"""The pool of mentions as they are compared, each with what it was read as: see ``_whole``."""
_CODE = "code"
_ONCE_CODES = frozenset(("ip6", "reserved ssn", "reserved card", "reserved iban"))
"""Families whose values earlier versions assigned as codes: what stood for them so stays."""
_WORDS = re.compile(r"[^\W\d_]+")
_BETWEEN = "\0"
_GENDERED = frozenset(map(str.lower, (*TITLES, *NOUNS, *PRONOUNS)))
UNKNOWN = "unknown-kind"
"""Why a mention is suppressed whose label tells nothing that has surrogates."""


@dataclass(frozen=True)
class SurrogateWork:
    """How mentions are read and surrogates drawn; ``kinds`` are those of labels, that of others under ``*``."""

    kinds: Mapping[str, str | None]
    labels: frozenset[str]
    """Labels with rules of other techniques."""
    locale: ValueLocale
    shift: ShiftRequest
    by_subject: bool
    is_reserved: bool = False
    folder: str | None = None
    keeps_gender: bool = True
    keeps_regions: bool = False
    hides_ages: bool = False
    """Whether ages under ``*`` are suppressed: beside dates that move, made-up ones would not go."""
    key: bytes = field(default=b"", repr=False)
    technique: str = SURROGATE

    def takes(self, label: str) -> bool:
        """Tell whether a label's spans are given surrogates."""
        return label in self.kinds or ("*" in self.kinds and label not in self.labels)

    def values(self, document: Document, pieces: Sequence[Span]) -> Iterable[tuple[str, str]]:
        """Return pools and values of a document's mentions."""
        text = document.text
        kinds = {label: self._kind(label) if self.takes(label) else None for label in {piece[2] for piece in pieces}}
        surfaces = {(kinds[label], text[start:end]) for start, end, label, *_ in pieces}
        return chain.from_iterable(
            [_values_in(kind, surface, self.locale, is_reserved=self.is_reserved) for kind, surface in surfaces]
        )

    def assign(
        self, scope: str, values: Iterable[tuple[str, str]], earlier: Sequence[AssignedText]
    ) -> Iterator[AssignedText]:
        """Yield the surrogate of each value of a scope; earlier ones stay."""
        wanted = [cast("tuple[Pool, str]", row) for row in values if row[0] != WHOLE]
        known = {
            (each.family, each.value): DrawnSurrogate(each.text, is_older=each.is_older)
            for each in earlier
            if each.text is not None
        }
        known |= {
            (family, value): known[_CODE, value]
            for family, value in wanted
            if family in _ONCE_CODES and (family, value) not in known and (_CODE, value) in known
        }
        lists = lists_of(self.locale, self.folder)
        regions = regional_cities(self.locale) if self.keeps_regions else None
        found = assign(wanted, lists, self.key, scope, earlier=known, keeps_gender=self.keeps_gender, regions=regions)
        for (family, value), surrogate in found.items():
            yield AssignedText(family, value, *surrogate)

    def writer(
        self, assigned: Mapping[tuple[str, str], AssignedText], values: Collection[tuple[str, str]]
    ) -> MentionWriter:
        """Return what writes each mention: with surrogates in its form, or as a date that moved."""
        words = (each.text for each in assigned.values() if each.family == WORD and each.text)
        single = frozenset(squeeze_spaces(_plain(word)) for word in words)
        chosen = _chosen(value for pool, value in values if pool == WHOLE)
        return partial(self._mentions, assigned=assigned, single=single, chosen=chosen, written={}, originals={})

    def _mentions(
        self,
        document: Document,
        pieces: Sequence[Span],
        *,
        assigned: Mapping[tuple[str, str], AssignedText],
        single: Collection[str],
        chosen: Mapping[str, str],
        written: dict[tuple[str, str], tuple[str | None, str]],
        originals: dict[str, str],
    ) -> Iterator[LinkedMention]:
        """Yield what each mention becomes; what is the same in other documents of the scope is ``written`` once.

        ``originals`` has what each whole surrogate of the scope stands for: one that is drawn elsewhere, too, as an age
        where it is a code, stands for the first.
        """
        text = document.text
        kinds = {label: self._kind(label) for label in {piece[2] for piece in pieces} if self.takes(label)}
        own = [(*piece[:3], text[piece[0] : piece[1]]) for piece in pieces if piece[2] in kinds]
        dates = [surface for _, _, label, surface in own if kinds[label] == "date"]
        offset = offset_of(document, self.shift) if dates else None
        years = years_of(dates, self.locale)
        for start, end, label, surface in own:
            if kinds[label] == "date":
                shown: tuple[str | None, str] = move(surface, offset, years, self.locale)
            elif kinds[label] is None:
                shown = (None, UNKNOWN)
            elif (known := written.get((label, surface))) is not None:
                shown = known
            else:
                shown = self._written(label, surface, assigned, single, chosen)
                if shown[0] is not None and not _is_free(surface, shown[0], kinds[label], originals):
                    shown = (None, CLASH)
                written[label, surface] = shown
            yield LinkedMention(start, end, label, *shown)

    def _written(
        self,
        label: str,
        surface: str,
        assigned: Mapping[tuple[str, str], AssignedText],
        single: Collection[str],
        chosen: Mapping[str, str],
    ) -> tuple[str | None, str]:
        """Return the surrogate of a mention, or None and the reason.

        ``single`` are the surrogates of one word. A surrogate of several words that would read as one of these is a
        clash (Ho Ward and Howard). A mention that is read in another way than the ``chosen`` one is a clash as well (a
        number that is a phone number here and a record number there would have two surrogates).
        """
        parts = self._parts(label, surface)
        if parts is None or not (self.keeps_gender or _is_neutral(surface)):
            return None, UNREAD
        whole, read = _whole(surface, parts)
        if chosen.get(whole, read) != read:
            return None, CLASH
        places = [(FAMILIES[part.pool], part.value) for part in parts]
        used = [assigned[place] for place in places if place in assigned]
        if all(part.pool == "initial" or is_small(part.pool, part.value) for part in parts):
            return None, FEW_VALUES
        if any(is_reserved(part.pool, part.value) for part in parts):
            return None, IN_RANGE
        text = write_mention(surface, parts, assigned)
        if text is not None and loses_check_digit(surface, text):
            return None, UNREAD
        if text is None or (shown := squeeze_spaces(_plain(text))) == squeeze_spaces(_plain(surface)):
            return None, EXHAUSTED
        if shown in single:
            single_found = used[0].text if len(parts) == 1 and used[0].family == WORD else None
            if not (single_found and squeeze_spaces(_plain(single_found)) == shown):
                return None, CLASH
        if any(each.is_older for each in used):
            return text, OLDER
        if any(each.is_composed for each in used):
            return text, COMPOSED
        return text, ELSEWHERE if self.keeps_regions and self._is_unplaced(parts) else ""

    def _is_unplaced(self, parts: Parts) -> bool:
        """Tell whether a mention has a city whose region the lists don't tell."""
        regions = regional_cities(self.locale)
        return any(part.pool == "city" and regions.same_region(part.value) is None for part in parts)

    def _kind(self, label: str) -> str | None:
        if label in self.kinds:
            return self.kinds[label]
        kind = self.kinds.get("*") or BY_LABEL.get(label.upper())
        return None if kind == "age" and self.hides_ages else kind

    def _parts(self, label: str, surface: str) -> Parts | None:
        kind = self._kind(label)
        if kind is None or kind == "date":
            return None
        return read_mention(kind, surface, self.locale, is_reserved=self.is_reserved)


@lru_cache(maxsize=1 << 14)
def _values_in(
    kind: str | None, surface: str, locale: ValueLocale, *, is_reserved: bool
) -> tuple[tuple[str, str], ...]:
    """Return the pools and values of a surface; none of a surface without a kind, and of a date."""
    parts = None if kind in (None, "date") else read_mention(kind, surface, locale, is_reserved=is_reserved)
    if not parts:
        return ()
    words = ((part.value, f"{WORD}:{part.value}") for part in parts if kind == "name")  # these are compared one by one
    wholes = ((WHOLE, _BETWEEN.join(each)) for each in (_whole(surface, parts), *words))
    return (*((part.pool, part.value) for part in parts), *wholes)


def _whole(surface: str, parts: Parts) -> tuple[str, str]:
    """Return a mention as it is compared with others, words apart where it has no figures, and what it was read as."""
    words = _plain(surface).split()
    whole = (" " if all(map(str.isalpha, words)) else "").join(words)
    return whole, " ".join(f"{FAMILIES[part.pool]}:{part.value}" for part in parts)


def _is_free(surface: str, text: str, kind: str | None, originals: dict[str, str]) -> bool:
    """Tell whether a whole surrogate stands for nothing else yet, and keep what it stands for.

    Words of names are drawn apart from each other, and need no such look.
    """
    before, after = _plain(surface).split(), _plain(text).split()
    if kind == "name" and len(before) == len(after):
        return True
    replaced = "".join(before)
    return originals.setdefault("".join(after), replaced) == replaced


def _chosen(wholes: Iterable[str]) -> Mapping[str, str]:
    """Choose one way of reading each mention that was read in several, as words if it was: names have many of these."""
    read: dict[str, set[str]] = {}
    for each in wholes:
        whole, _, way = each.partition(_BETWEEN)
        read.setdefault(whole, set()).add(way)
    return {whole: min(ways, key=_is_no_word) for whole, ways in read.items() if len(ways) > 1}


def _is_no_word(way: str) -> tuple[bool, str]:
    return not way.startswith(f"{WORD}:"), way


def _is_neutral(surface: str) -> bool:
    """Tell whether no word of a mention tells a gender, as titles that stay would."""
    return _GENDERED.isdisjoint(map(str.lower, _WORDS.findall(surface)))


_plain = lru_cache(maxsize=1 << 14)(plain_form)
