"""Surrogates of a scope: the values of its documents, their surrogates, and mentions written with them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from typing import cast

from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.span import Span
from spark_deid.surrogates.assigning import FAMILIES, WORD, assign, squeezed
from spark_deid.surrogates.date_shift import ShiftRequest, move, offset_of, years_of
from spark_deid.surrogates.kinds import BY_LABEL
from spark_deid.surrogates.lists import lists_of, regional_cities
from spark_deid.surrogates.reading import Parts, Pool, read_mention, words_in
from spark_deid.surrogates.scoped import CLASH, COMPOSED, ELSEWHERE, EXHAUSTED, UNREAD, AssignedText, MentionWriter
from spark_deid.surrogates.settings import SURROGATE
from spark_deid.surrogates.writing import write_mention
from spark_deid.values.gender_words import NOUNS, PRONOUNS, TITLES
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain

REMOVED = "removed"
"""The pool of words that no surrogate may be."""
_WORDS = re.compile(r"[^\W\d_]+")
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
    key: bytes = field(default=b"", repr=False)
    technique: str = SURROGATE

    def takes(self, label: str) -> bool:
        """Tell whether a label's spans are given surrogates."""
        return label in self.kinds or ("*" in self.kinds and label not in self.labels)

    def values(self, document: Document, pieces: Sequence[Span]) -> Iterable[tuple[str, str]]:
        """Return pools and values of a document's mentions, and the words that are removed from it."""
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
        rows = [*values]
        removed = {value for pool, value in rows if pool == REMOVED}
        wanted = [cast("tuple[Pool, str]", row) for row in rows if row[0] != REMOVED]
        known = {(each.family, each.value): each.text for each in earlier if each.text is not None}
        lists = lists_of(self.locale, self.folder)
        regions = regional_cities(self.locale) if self.keeps_regions else None
        found = assign(
            wanted,
            removed,
            lists,
            self.key,
            scope,
            earlier=known,
            keeps_gender=self.keeps_gender,
            regions=regions,
        )
        for (family, value), surrogate in found.items():
            yield AssignedText(family, value, *surrogate)

    def writer(
        self, assigned: Mapping[tuple[str, str], AssignedText], values: Collection[tuple[str, str]]
    ) -> MentionWriter:
        """Return what writes each mention: with surrogates in its form, or as a date that moved."""
        words = (each.text for each in assigned.values() if each.family == WORD and each.text)
        removed = (value for pool, value in values if pool == REMOVED)
        single = frozenset((*(squeezed(plain(word)) for word in words), *removed))
        return partial(self._mentions, assigned=assigned, single=single, written={})

    def _mentions(
        self,
        document: Document,
        pieces: Sequence[Span],
        *,
        assigned: Mapping[tuple[str, str], AssignedText],
        single: Collection[str],
        written: dict[tuple[str, str], tuple[str | None, str]],
    ) -> Iterator[LinkedMention]:
        """Yield what each mention becomes; what is the same in other documents of the scope is ``written`` once."""
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
                shown = written[label, surface] = self._written(label, surface, assigned, single)
            yield LinkedMention(start, end, label, *shown)

    def _written(
        self,
        label: str,
        surface: str,
        assigned: Mapping[tuple[str, str], AssignedText],
        single: Collection[str],
    ) -> tuple[str | None, str]:
        """Return what a mention becomes, or why it has nothing.

        ``single`` are the words that stand for values, or are removed: what has several words, and would read as one
        of these, has nothing (Ho Ward beside Howard).
        """
        parts = self._parts(label, surface)
        if parts is None or not (self.keeps_gender or _is_neutral(surface)):
            return None, UNREAD
        places = [(FAMILIES[part.pool], part.value) for part in parts]
        used = [assigned[place] for place in places if place in assigned]
        if any(each.clashes for each in used):
            return None, CLASH
        text = write_mention(surface, parts, assigned)
        if text is None or text.casefold() == surface.casefold():
            return None, EXHAUSTED
        if len(parts) > 1 and squeezed(plain(text)) in single:
            return None, CLASH
        if any(each.is_composed for each in used):
            return text, COMPOSED
        return text, ELSEWHERE if self.keeps_regions and self._is_unplaced(parts) else ""

    def _is_unplaced(self, parts: Parts) -> bool:
        """Tell whether a mention has a city whose region the lists don't tell."""
        regions = regional_cities(self.locale)
        return any(part.pool == "city" and regions.same_region(part.value) is None for part in parts)

    def _kind(self, label: str) -> str | None:
        return self.kinds[label] if label in self.kinds else self.kinds.get("*") or BY_LABEL.get(label.upper())

    def _parts(self, label: str, surface: str) -> Parts | None:
        kind = self._kind(label)
        if kind is None or kind == "date":
            return None
        return read_mention(kind, surface, self.locale, is_reserved=self.is_reserved)


@lru_cache(maxsize=1 << 14)
def _values_in(
    kind: str | None, surface: str, locale: ValueLocale, *, is_reserved: bool
) -> tuple[tuple[str, str], ...]:
    """Return the pools and values of a surface, and its words, as what is removed; of no kind, and of a date, alone."""
    parts = None if kind in (None, "date") else read_mention(kind, surface, locale, is_reserved=is_reserved)
    return (*((REMOVED, word) for word in words_in(surface)), *((part.pool, part.value) for part in parts or ()))


def _is_neutral(surface: str) -> bool:
    """Tell whether no word of a mention tells a gender, as titles that stay would."""
    return _GENDERED.isdisjoint(map(str.lower, _WORDS.findall(surface)))
