"""Ages next to names, without a word for age: "Oleta Brandvold (44), Sami (7)", "Mr Adeyemi, 94", "Hector is 9,"."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.text.gazetteer import GIVEN, PLACE, facts_of, is_common_word, is_known_name
from spark_deid.text.ordinary_words import eponyms
from spark_deid.text.patterns.lists import read_words
from spark_deid.text.patterns.scan import Interval

_CAPITAL = "A-ZÀ-ÖØ-ÞŠŽĐŁ"
_WORD = rf"[{_CAPITAL}][\w'’.-]{{0,24}}"
_PARTICLE = r"(?:van|von|de|del|der|da|di|al|bin|ap|el|la|le|y|ní|ni|ó)"
_NAME = rf"(?<![\w-])(?P<name>(?:(?:{_WORD}|{_PARTICLE}|[\"“(]\w{{1,20}}[\"”)]) ){{0,4}}{_WORD})"
_ABOUT = r"(?:abt\.? |about |approx\.? |aged? |ca?\. ?|~ ?)?"
_UNIT = r"(?P<unit> ?(?:y/?o|y|yrs?\.?|years?|mos?|months?|wks?|weeks?|days?|d)(?: old| and [0-9]{1,2} months)?(?!\w))?"
_STOP = r"(?:$|[\r\n\ufdd0])"


_LEAD = re.compile(r"([^\W\d_]+)\.?[ :]{1,2}$")
_LIST_BEFORE = re.compile(r"\)?(?:,|;| and| &){1,2} ")
_LIST_AFTER = re.compile(rf"\)(?:,|;| and| &)+ {_WORD} \([0-9]")


_LISTS = read_words("words_of_ages.txt")
_TITLES, _RELATIONS = frozenset(_LISTS["titles"]), frozenset(_LISTS["relations"])
_NO_NAMES, _PLACE_PARTS = frozenset(_LISTS["numbered"]), frozenset(_LISTS["places"])


class _AgeForm(NamedTuple):
    """Expressions before and after a number that show it to be an age, and the ends of the text before it."""

    ends: str | tuple[str, ...]
    before: re.Pattern[str]
    after: re.Pattern[str]
    names: bool = True
    needs_more: bool = False


_FORMS = (
    _AgeForm(
        ("(", "~ ", "bt ", "ut ", "t. "),
        re.compile(rf"{_NAME}(?:['’]s)?(?: |(?<=[a-z]))\({_ABOUT}$"),
        re.compile(rf"{_UNIT}(?:[ ,/]{{0,2}}[FMfm](?![\w-]))?(?:\)|[,;] [^()\n]{{1,60}}\))"),
    ),
    _AgeForm(
        (", ", "bt ", "ut ", "t. ", "x. ", "ge ", "ed "),
        re.compile(rf"{_NAME}, {_ABOUT}$"),
        re.compile(
            rf"(?:[FM](?![\w-]))?{_UNIT}"
            rf"(?=[,;] ?(?:{_STOP}|[^\s0-9])|\.?{_STOP}|\. (?:[^0-9]|$)| \((?!n ?=)|\)| {{2,}})"
        ),
        needs_more=True,
    ),
    _AgeForm(". ", re.compile(rf"{_NAME}, (?P<given>{_WORD})\. $"), re.compile(rf"{_UNIT}(?=\. [^0-9]|\.?{_STOP})")),
    _AgeForm(
        ("is ", "as ", "ed ", "ns "),
        re.compile(rf"{_NAME} (?:is|was|turned|turns) $"),
        re.compile(rf"{_UNIT}(?=[,;!?)]|\.(?:\s|$)|{_STOP}| (?:and|but|now|when)(?!\w))"),
    ),
    _AgeForm(
        (", ", "; ", "("),
        re.compile(r"(?<!\w)(?:DOB|D\.O\.B\.|[bB]orn(?: on)?):? [0-9][\w /.-]{5,16}[,;]? ?\(?$"),
        re.compile(rf"{_UNIT}(?=[.,;)](?:\s|$)|{_STOP}| \()"),
        names=False,
    ),
    _AgeForm(
        ("M ", "F ", "e ", "E ", "n ", "y ", "l ", ", "),
        re.compile(
            r"(?<![\w/'’-])(?:[MF]|[Mm]ale|[Ff]emale|MALE|FEMALE|[Ww]oman|[Mm]an|[Ll]ady|[Bb]oy|[Gg]irl|[Gg]entleman)"
            r",? $"
        ),
        re.compile(
            r"(?:(?<=[0-9]{2})|(?<=[a-z] [0-9])|(?<=, [0-9]))"
            rf"(?=[,;)] ?(?:$|[^\s0-9])|\.(?:\s|$)|{_STOP}|\t| {{2,}}| DOB(?!\w))"
        ),
        names=False,
    ),
    _AgeForm(
        ("  ", "\t"),
        re.compile(rf"{_NAME}(?:, (?P<given>{_WORD}))?(?: {{2,}}|\t)$"),
        re.compile(rf"(?P<unit>[FMfm]|y|yrs?|yo)(?={_STOP}|[\t,;]| {{2,}})"),
        needs_more=True,
    ),
    _AgeForm(
        "at ",
        re.compile(
            r"(?<!\w)(?:died|dead|deceased|killed|passed|diagnosed|dx'?d?|married|widowed|retired|menarche|menopause)"
            r"(?: (?!at )[\w'’-]+){0,5} at $",
            re.IGNORECASE,
        ),
        re.compile(rf"(?=[.,;)](?:\s|$)|{_STOP}| (?:and|in|of|from|with|after)(?!\w))"),
        names=False,
    ),
)
_COUNTED = frozenset(
    ("client", "patient", "pt", "name", "resident", "child", "baby", "twin", "sibling", "carer", "guardian")
)
"""Words before numbers of people: "Patient 2", "twin 1"."""
_ENDS_OF_WORDS = tuple(f"{letter} " for letter in "abcdefghijklmnopqrstuvwxyz")
_RELATION = rf"(?<![\w-])(?i:{'|'.join((*sorted(_RELATIONS - _COUNTED), 'teenager', 'toddler'))})s?"
_MORE_FORMS = (
    _AgeForm(
        (", ", "("),
        re.compile(rf"{_RELATION}(?:, | \()$"),
        re.compile(rf"{_UNIT}(?=[,;)](?:\s|$)|\.?{_STOP}|\. [^0-9])"),
        names=False,
    ),
    _AgeForm(
        _ENDS_OF_WORDS,
        re.compile(rf"{_RELATION} (?:d\. )?$"),
        re.compile(rf"{_UNIT}(?=[,;)](?:\s|$)|\.?{_STOP}|\. [^0-9]| (?:and|&) [0-9])"),
        names=False,
    ),
    _AgeForm(
        "of ",
        re.compile(r"(?<!\w)(?i:girl|boy|man|woman|lady|gentleman|child|lad|lass) of $"),
        re.compile(rf"{_UNIT}(?=[,;.)](?:\s|$)|{_STOP}| (?:with|who|and|from)(?!\w))"),
        names=False,
    ),
    _AgeForm("/", re.compile(r"(?<![\w/])[MF]/$"), re.compile(rf"{_UNIT}(?![\w/]|[.,-][0-9])"), names=False),
    _AgeForm(
        (*_ENDS_OF_WORDS, ". ", "x ", "("),
        re.compile(
            r"(?<!\w)(?i:aged?|aet)\.? (?:(?:about|around|approx\.?|approximately|nearly|almost|at [a-z]{2,14}) )?$"
        ),
        re.compile(
            r"(?P<unit>[MF]|y(?:rs?)?(?: ?[0-9]{1,2} ?m(?:o|ths?)?)?)?"
            rf"(?=[,;.)](?:\s|$)|{_STOP}| (?:and|with|in|on)(?!\w))"
        ),
        names=False,
    ),
    _AgeForm(
        ("t ", "(", "s "),
        re.compile(r"(?<!\w)(?i:p(?:atien)?t|this) \(?$"),
        re.compile(r"(?P<unit>[MF])(?!\w)"),
        names=False,
    ),
    _AgeForm(
        (", ", "e ", "o ", "r ", "n ", "a ", "u "),
        re.compile(
            r"(?<!\w)(?i:hombre|mujer|varón|niñ[oa]|paciente|homme|femme|fille|garçon|patiente?|mann|frau),? (?:de )?$"
        ),
        re.compile(r"(?P<unit> ?(?:años|ans|jahre|J\.))(?!\w)"),
        names=False,
    ),
    _AgeForm(
        _ENDS_OF_WORDS,
        re.compile(r"(?<!\w)(?i:his|her|their|my|the) $"),
        re.compile(r"(?P<unit>(?:st|nd|rd|th)) birthday"),
        names=False,
    ),
)
_ALL_FORMS = (*_FORMS, *_MORE_FORMS)
_NEXT_IN_LIST = frozenset((" and ", ", ", " & "))
_AFTER_LISTED = re.compile(r"(?=[,;.)](?:\s|$)|$|[\r\n\ufdd0]| (?:and|&) [0-9])")
AGE_ENDS = frozenset(
    end[-2:] for form in _ALL_FORMS for end in ((form.ends,) if isinstance(form.ends, str) else form.ends)
)
"""Ends of the text before such an age, of one or two characters."""

_LOOK_BACK = 80
_OLDEST = 115
_LEAST_CAPITALS = 4
_RARE, _FREQUENT = 1, 2
"""Values of the gazetteer's fact ``GIVEN``."""


def age_of_person(text: str, start: int, end: int, last: int) -> Interval | None:
    """Return the age that a number of one to three digits is by the name or the word before it, with its unit.

    ``last`` is the end of the last age that was found so, -1 without one.
    """
    if int(text[start:end]) > _OLDEST:
        return None
    before = text[max(0, start - _LOOK_BACK) : start]
    before = before[max(before.rfind("\n"), before.rfind("\ufdd0")) + 1 :]
    if last >= 0 and text[last:start] in _NEXT_IN_LIST and _AFTER_LISTED.match(text, end):
        return start, end
    for form in _ALL_FORMS:
        after = form.after.match(text, end) if before.endswith(form.ends) else None
        found = form.before.search(before) if after else None
        if after is None or found is None:
            continue
        if not form.names or _is_in_list(text, start, last, found) or _is_person(found, form, text[end : end + 30]):
            return start, after.end("unit") if "unit" in form.after.groupindex and after["unit"] else end
    return None


def _is_in_list(text: str, start: int, last: int, found: re.Match[str]) -> bool:
    """Return whether a name follows an age in a list: "Oleta Brandvold (44), Sami (7)"."""
    begin = start - len(found.string) + found.start("name")
    is_next = 0 <= last < begin and _LIST_BEFORE.fullmatch(text, last, begin) is not None
    return is_next and found["name"].split()[-1].lower() not in _NO_NAMES


def _is_person(found: re.Match[str], form: _AgeForm, after: str) -> bool:
    """Return whether capitalized words before a number are a name: titles, relatives and listed names show that."""
    name = f"{found['name']} {found['given']}" if "given" in found.re.groupindex and found["given"] else found["name"]
    lead = _LEAD.search(found.string, 0, found.start("name"))
    words = [word for part in name.split() if (word := part.strip('"“”().')) and word[0].isupper()]
    while len(words) > 1 and is_common_word(words[0]) and not _is_given(words[0], _RARE, is_sure=True):
        if words[0].lower() in _TITLES | _RELATIONS:
            break
        del words[0]  # the begin of a sentence
    plain = [word.lower() for word in words]
    callers = {lead[1].lower() if lead else "", *plain[:-1]}
    if callers & _NO_NAMES or plain[-1] in _NO_NAMES:
        return False
    if callers & _TITLES:
        return True
    if callers & _RELATIONS:
        return not is_common_word(plain[-1])
    if len(plain) > 1:
        return _is_full_name(words)
    if _LIST_AFTER.match(after):
        return _is_given(words[0], _RARE, is_sure=True)
    return plain[0] not in eponyms() and _is_given(words[0], _FREQUENT if form.needs_more else _RARE)


def _is_full_name(words: Sequence[str]) -> bool:
    """Return whether two or more capitalized words are a given name with a surname, or words that no list has."""
    last, plain = words[-1], [word.lower() for word in words]
    if any(word.isupper() and 1 < len(word) < _LEAST_CAPITALS for word in words) or all(map(is_common_word, plain)):
        return False
    first = next((word for word in words if len(word) > 1), last)
    if _is_given(first, _RARE, is_sure=True) and not is_common_word(first):
        return True
    if plain[0] in _PLACE_PARTS or is_common_word(last):
        return False
    return is_known_name(last) or not (facts_of(last) or facts_of(first))


@lru_cache(maxsize=4096)
def _is_given(word: str, least: int, *, is_sure: bool = False) -> bool:
    """Return whether a word is a listed given name; without ``is_sure`` also no common word, and no town."""
    facts = facts_of(word)
    given = max(facts >> GIVEN & 3, 0 if word.isascii() else facts_of(_without_marks(word)) >> GIVEN & 3)
    if not is_sure and (is_common_word(word) or (facts >> PLACE & 1 and (least == _FREQUENT or given < _FREQUENT))):
        return False
    return given >= least


def _without_marks(word: str) -> str:
    """Return a word without the marks above and below its letters."""
    return "".join(each for each in unicodedata.normalize("NFD", word) if not unicodedata.combining(each))
