"""Marked words that are not names at their place: titles, abbreviations, form labels, terms named after people.

A listed term is a name with its head noun or a number, such as Foley catheter or Fisher 4. It remains also if a person
of the text has that name. After a title or a given name it is a person. The lists are English.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import groupby
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.core.words import ends_with_title
from spark_deid.text.gazetteer import COMMON, GIVEN, facts_of, is_known_name
from spark_deid.text.short_texts import is_ordinary, is_plain, judge_short_text, listed_words

_TERMS = resources.files("spark_deid.text") / "data" / "ordinary" / "terms.txt"
_WORD = re.compile(r"\w+(?:['\N{RIGHT SINGLE QUOTATION MARK}]\w+)*")
_GAP = r"[\s\-\N{EN DASH}/&]+"
_POSSESSIVE = r"(?:['\N{RIGHT SINGLE QUOTATION MARK}]s?)?"
_NUMBER = r"(?:(?:scale|score|grade|class|stage|type)\s*)?(?:of\s+|was\s+|is\s+|[:=]\s*)?(?:\d|[IVX]{1,4}\b)"


_PERSON = "NAME"
_LONGEST_NUMBER = 2
_LONGEST_NAME = 24
"""The characters before a marked word among which a term may begin."""
_CODE_BEFORE, _CODE_AFTER = re.compile(r"\d[-./:]?$|[-/@]$"), re.compile(r"[-./:]?\d|[-/@]\w")


_NAME_AFTER = re.compile(r",?\s+[A-Z][a-z]")
_KIN = re.compile(
    r"\s+(?:brother|sister|wife|husband|son|daughter|mother|father|partner|family|house|flat|car|dog|neighbour|friend|mum"
    r"|dad|aunt|uncle|cousin|carer|employer|landlord)"
)
_HEADS = (
    "disease|syndrome|sign|signs|test|triad|attacks?|variant|facies|cord|limb|squeeze|pouch|fragment|spots|lines?|score"
    "|scale|grade|stage|type|class|classification|index|criteria|reflex|positive|negative|drain|catheter|tube|forceps"
    "|needle|frame|brace|splint|collar|chart|fracture|palsy|procedure|repair|manoeuvre|maneuver|suture|incision|lesion"
)
"""Head nouns of all terms."""


class EponymTerm(NamedTuple):
    """A term: its name as a pattern, and what has to follow."""

    pattern: re.Pattern[str]
    may_be_alone: bool
    is_rare: bool


def refine_english(text: str, spans: Sequence[Span], *, source: str) -> list[Span]:
    """Return the spans of a model of English: lists decide about texts of one to three words, and about ordinary words.

    ``source`` is that of words of short texts that the model did not mark.

    >>> refine_english("hip fracture", [Span(0, 3, "NAME")], source="")
    []
    """
    unknown = Span(0, 0, "NAME", source=source)
    words = judge_short_text(text)
    if words is None:
        return without_ordinary_words(text, spans)
    judged = {word[:2] for word in words}
    in_terms = _words_of_terms(text, [word[:2] for word in words]) if words else ()
    pieces = [span for span in spans if not any(start < span.end and span.start < end for start, end in judged)]
    for number, word in enumerate(words):
        if word.is_hidden and number not in in_terms:
            below = next((span for span in spans if span.start < word.end and word.start < span.end), unknown)
            pieces.append(below._replace(start=word.start, end=word.end))
    return sorted(pieces, key=lambda span: span[:3])


def without_ordinary_words(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return a model's spans without words that are not names at their place. Spans can become shorter or disappear.

    >>> text = "Dr. Foley inserted a Foley catheter."
    >>> [text[s.start : s.end] for s in without_ordinary_words(text, [Span(0, 9, "NAME"), Span(21, 35, "NAME")])]
    ['Foley']
    """
    return [piece for span in spans for piece in _pieces(text, span)]


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """Yield the parts of a span between terms, without words at its ends that are not names."""
    words = [found.span() for found in _WORD.finditer(text, span.start, span.end)]
    if not words:
        return
    in_terms = _words_of_terms(text, words)
    for is_term, group in groupby(range(len(words)), key=in_terms.__contains__):
        if is_term:
            continue
        own = [words[number] for number in group]
        while own and _is_ordinary_at(text, own[0], own, span.label):
            own = own[1:]
        while own and _is_ordinary_at(text, own[-1], own, span.label):
            own = own[:-1]
        if not own:
            continue
        is_whole = len(own) == len(words)
        yield span if is_whole else span._replace(start=own[0][0], end=own[-1][1])


def _is_ordinary_at(text: str, place: tuple[int, int], words: Sequence[tuple[int, int]], label: str) -> bool:
    """Return whether a word at an end of some marked words is not a name.

    Organizations and places have abbreviations as names, so only listed abbreviations are ordinary.
    """
    word = text[slice(*place)]
    lower = word.lower()
    if word.isdigit() and len(word) <= _LONGEST_NUMBER:
        return not _is_in_code(text, place)
    if label == _PERSON and (lower in listed_words("titles") or lower in listed_words("credentials")):
        return True
    if (len(words) > 1 and len(word) == 1) or ends_with_title(text, place[0]):
        return False
    if word.isupper() and is_plain(word) and _is_in_capitals(text, place):
        return True
    is_short = not word.istitle() and lower in listed_words("abbreviations") and lower not in listed_words("calendar")
    if is_short and not (len(word) == 1 and text.startswith(".", place[1])):
        return not _is_in_code(text, place) and not _is_in_capitals(text, place)
    return _is_label(text, place, words) and (lower in listed_words("labels") or is_ordinary(word))


def _is_in_code(text: str, place: tuple[int, int]) -> bool:
    """Return whether a word is next to a mark and a digit, as in LK.4471-B."""
    return bool(_CODE_BEFORE.search(text[max(0, place[0] - 2) : place[0]]) or _CODE_AFTER.match(text, place[1]))


def _is_label(text: str, place: tuple[int, int], words: Sequence[tuple[int, int]]) -> bool:
    """Return whether a word is the label of a field: a colon follows the marked words, which begin a field."""
    after = text[words[-1][1] : words[-1][1] + 2].lstrip(" ")
    before = text[max(0, words[0][0] - 2) : words[0][0]]
    return after.startswith(":") and (not before.strip(" ") or before.endswith(("\n", "  ", "|", "\t", ";", ",", ".")))


def _is_in_capitals(text: str, place: tuple[int, int]) -> bool:
    """Return whether the words around a place are in uppercase letters, so that names look like abbreviations."""
    around = f"{text[max(0, place[0] - 25) : place[0]]} {text[place[1] : place[1] + 25]}"
    words = [word for word in _WORD.findall(around) if len(word) > 2 and word.isalpha()]
    return bool(words) and all(map(str.isupper, words))


def _words_of_terms(text: str, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return the numbers of the words that belong to a listed term."""
    found: set[int] = set()
    low = max(0, words[0][0] - _LONGEST_NAME)
    before = [place.span() for place in _WORD.finditer(text, low, words[0][0])]
    for start, _ in (*before[1 if low else 0 :], *words):
        key = _first_word(text[start : start + 40])
        for term in _terms().get(key, ()):
            match = term.pattern.match(text, start)
            if match and _stands_as_term(text, start, match, term):
                found |= {number for number, word in enumerate(words) if start <= word[0] < match.end()}
                break
    return frozenset(found)


def _stands_as_term(text: str, start: int, match: re.Match[str], term: EponymTerm) -> bool:
    """Return whether a match is a term: no title or given name precedes it, and it has a head, a number or an article.

    A name that is not a listed surname needs no head, unless it is part of a longer name.
    """
    before = _WORD.findall(text[max(0, start - 30) : start])
    gap = text[max(0, start - 1) : start]
    is_after_word = bool(before) and gap == " "
    if ends_with_title(text, start) or (is_after_word and before[-1].lower() in listed_words("titles")):
        return False
    if (is_after_word and _is_given_name(before[-1])) or _KIN.match(text, match.end()):
        return False
    if match["head"]:
        return True
    if _NAME_AFTER.match(text, match.end()) or (is_after_word and before[-1][0].isupper() and not is_plain(before[-1])):
        return False
    return term.is_rare or (term.may_be_alone and is_after_word and before[-1].lower() in listed_words("articles"))


def _is_given_name(word: str) -> bool:
    facts = facts_of(word)
    return bool(facts >> GIVEN & 3) and facts >> COMMON & 3 < 2


def _first_word(text: str) -> str:
    found = _WORD.match(text)
    return re.split("['\N{RIGHT SINGLE QUOTATION MARK}]", found[0].lower())[0] if found else ""


@lru_cache(maxsize=1)
def eponyms() -> frozenset[str]:
    """Return the first words of the listed terms named after people, in lowercase."""
    lines = _TERMS.read_text("utf-8").splitlines()
    return frozenset(_first_word(line) for line in lines if ": " in line and not line.startswith("#"))


@lru_cache(maxsize=1)
def _terms() -> Mapping[str, tuple[EponymTerm, ...]]:
    """Return the listed terms by their first word, the longest first."""
    by_word: dict[str, list[tuple[str, EponymTerm]]] = {}
    for line in _TERMS.read_text("utf-8").splitlines():
        name, colon, heads = line.partition(": ")
        if colon and not line.startswith("#"):
            by_word.setdefault(_first_word(name), []).append((name, _term(name, heads.split())))
    return {
        key: tuple(term for _, term in sorted(terms, key=lambda each: -len(each[0]))) for key, terms in by_word.items()
    }


def _term(name: str, heads: Sequence[str]) -> EponymTerm:
    parts = re.split(r"[\s-]+", name)
    is_rare = not any(map(is_known_name, parts)) or "-" in name
    nouns = "|".join((*(re.escape(head) for head in heads if head not in "#!"), _HEADS))
    head = rf"{_GAP}(?:[a-z]+[\s-]+)?(?i:{nouns})\b(?:\s*[:=]?\s*(?:\d+|[A-DIVX]{{1,3}}\b))?"
    if "#" in heads or is_rare:
        head += rf"|\s*[:=]?\s*{_NUMBER}\w*"
    pattern = re.compile(rf"(?i:{_GAP.join(map(re.escape, parts))}){_POSSESSIVE}\b(?P<head>{head})?")
    return EponymTerm(pattern, "!" in heads, is_rare)
