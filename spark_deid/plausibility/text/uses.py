"""Whether a word that may be something else than a noun is meant as one, by the words beside it.

Only words of closed classes are gone by, and a few verbs that are not nouns: not one of them is ever generalized, so
that the words around a term are read in the same way, with any replacement.
"""

import re
from enum import Enum, auto

from spark_deid.ontology.word_forms import ADJECTIVE, PLURAL, VERB, word_forms
from spark_deid.values.wording import in_capitals


class WordUse(Enum):
    """How a word is meant: as a noun, as something else, or this can't be decided."""

    NOUN = auto()
    OTHER = auto()
    UNDECIDED = auto()


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


TITLES = _words("mr mrs ms miss dr st prof rev sr jr")
_DETERMINERS = _words("a an the this his my your their our its no any another each every")
_OPENING = _words("of with from for without during despite after before by")
_HAVING = _words("has had have having denies denied suffered developed sustained experienced underwent")
_LIKE_PARTICIPLES = _words("hit cut hurt burst split spread shed set put let quit shut cast cost rid slit beat run")
"""Verbs of which "has" may have the participle in this form."""
_BEING = _words("is was are were am be been being isn wasn aren weren")
_LINKING = _BEING | _words("feel feels felt seem seems seemed looks looked became becomes")
_DEGREES = _words("very too so quite rather extremely fairly")
_THIRD, _PLAIN = _words("he she it who"), _words("i we they you")
_SUBJECTS, _MODALS = (
    _words("i we they"),
    _words("can could will would shall should may might must cannot don didn doesn"),
)
_ACTING = _THIRD | _PLAIN | frozenset(("to",))
_OBJECTS = _words("us me him them")
_OF_NOUNS = _OBJECTS | _words("the a an his her my your their our its this these those it")
_AFTER_VERB = _OF_NOUNS | _words("to in on with for at up down out from")
_CLOSING = _words(
    "is was are were has had have of in on at with for from to by after before during since that which who "
    "whom when while because if but can could will would may might must than as not"
)
_SEVERAL = _words("these those many several few both two three four five six seven eight nine ten")
_JOINING, _PLACES = _words("and or"), _words("outside inside here there now today again")
_BEFORE_US = _words(
    "let lets tell told gave give gives of for by with between asked ask asks help helps informed"
)  # words: ok (data)
TELLING_OTHERS = frozenset().union(
    _LINKING, _DEGREES, _ACTING, _SUBJECTS, _MODALS, _OF_NOUNS, _AFTER_VERB, _CLOSING, _JOINING, _PLACES, _BEFORE_US
)
"""Words that show that a word next to them is not a noun."""
_BEFORE = re.compile(r"([^\W\d_]+)((?:['’]t)?)[^\S\n]*\n?[^\S\n]*\Z")
_ENDINGS, _CONTRACTS = _words("t s d m ll re ve"), re.compile(r"(?:[^\W\d_]|\0)['’]\Z")
"""Endings that are not separate words behind a word, or one that is hidden, and an apostrophe."""
_NOT = re.compile(r"['’]t(?![^\W_])", re.IGNORECASE)
_STEMS = _words("don didn doesn isn wasn aren weren")
"""Stems that are not separate words without "'t"; "Don" is a name."""
_AFTER = re.compile(r"[^\S\n]*\n?[^\S\n]*([^\W\d_]+)")
_NAMED = re.compile(r"\.?[^\S\n]+(?:[^\W\d_a-z][^\W\d_]*[a-z]|\0)")
_NEAR = 24
_OPENS = re.compile(r"(?:^|[.!?:][\"'”’)\]]*\s|\n)[\s\"'“‘(\[*•-]*\Z")


def use_of(text: str, start: int, end: int, listed: str) -> WordUse:
    """Return how ``text[start:end]`` is meant, which an ontology has as the noun ``listed``.

    A noun with uppercase letters that is there in other ones is never a noun for certain.

    >>> [use_of("He aids his wife with AIDS.", *place, "AIDS").name for place in ((3, 7), (22, 26))]
    ['OTHER', 'NOUN']
    >>> [use_of(text, at, at + 1, "t").name for text, at in (("I don't know.", 6), ("1 t of coal.", 2))]
    ['OTHER', 'NOUN']
    """
    surface = text[start:end]
    word = surface.lower()
    if word in _ENDINGS and _CONTRACTS.search(text, max(0, start - 2), start):
        return WordUse.OTHER
    if word.endswith("n") and _NOT.match(text, end):
        return WordUse.OTHER
    if not may_be_other(word):
        return WordUse.NOUN
    opens = bool(_OPENS.search(text, max(0, start - _NEAR), start))
    is_so_written = surface == listed != word and not in_capitals(text, start)
    if is_so_written and not (opens and surface[1:] == surface[1:].lower()):
        return WordUse.NOUN
    before, after = _word_before(text, start), _word_after(text, end)
    if _is_other(text, end, surface, before, after):
        return WordUse.OTHER
    if word in FUNCTION_WORDS and listed == listed.lower() and before not in _DETERMINERS:
        return WordUse.OTHER
    is_noun = listed == listed.lower() and _is_noun(word, before, after, opens=opens)
    return WordUse.NOUN if is_noun else WordUse.UNDECIDED


def use_among_hidden(text: str, hidden: str, start: int, end: int, listed: str) -> WordUse:
    """Return how a word is meant as ``use_of`` does; a use that only hidden words show can't be decided.

    >>> [use_among_hidden("I drove up.", text, 2, 7, "drove").name for text in ("I drove up.", "\\0 drove up.")]
    ['OTHER', 'UNDECIDED']
    """
    use = use_of(text, start, end, listed)
    if use is WordUse.OTHER and hidden != text and use_of(hidden, start, end, listed) is not WordUse.OTHER:
        return WordUse.UNDECIDED
    return use


def may_be_other(word: str) -> bool:
    """Return whether a word in lowercase may be something else than a noun; one of several tokens is not."""
    return bool(word_forms().get(word, PLURAL).strip(PLURAL))


def _word_before(text: str, start: int) -> str:
    found = _BEFORE.search(text, max(0, start - _NEAR), start)
    word = found[1].lower() if found else ""
    return "" if found and word in _STEMS and not found[2] else word


def _word_after(text: str, end: int) -> str:
    found = _AFTER.match(text, end, end + _NEAR)
    return found[1].lower() if found else ""


def _is_other(text: str, end: int, surface: str, before: str, after: str) -> bool:
    """Return whether context shows a title, pronoun, verb or adjective."""
    word = surface.lower()
    kinds = word_forms().get(word, "")
    if word in TITLES:
        return not surface.isupper() and bool(_NAMED.match(text, end))
    if word == "us":
        return before in _BEFORE_US
    if word in FUNCTION_WORDS:
        return before not in _DETERMINERS and bool(before or after)
    if VERB in kinds and _is_verb(word, before, after):
        return True
    if ADJECTIVE not in kinds:
        return False
    ends = not after or after in _CLOSING or after in _JOINING or after in _PLACES
    return before in _DEGREES or (before in _LINKING and ends)


def _is_verb(word: str, before: str, after: str) -> bool:
    ends_in_s = word.endswith("s") and not word.endswith("ss")
    if word.endswith("ed"):
        return before in _THIRD or before in _PLAIN or before in _BEING
    if word.endswith("ing"):
        return False
    if ends_in_s:
        return before in _THIRD and after in _AFTER_VERB
    if after in _OBJECTS or before in _MODALS or before in _SUBJECTS:
        return True
    return after in _AFTER_VERB and before in _ACTING


def _is_noun(word: str, before: str, after: str, *, opens: bool) -> bool:
    kinds = word_forms().get(word, "")
    ends_in_s = word.endswith("s") and not word.endswith("ss")
    if kinds.strip(PLURAL) == VERB and ends_in_s and (before in _SEVERAL or opens):
        return True  # where a sentence begins, a verb has no ending
    ends = not after or after in _CLOSING or (after in _JOINING and ADJECTIVE not in kinds)
    if before in _DETERMINERS or before in _OPENING:
        return ends or (kinds.strip(PLURAL) == VERB and not word.endswith(("ed", "ing")))
    return before in _HAVING and ends and word not in _LIKE_PARTICIPLES and not word.endswith("ed")


# English words that an ontology has as nouns, and a text hardly ever means so.


_WORDS = """
a about above after again all am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers him his
how i if in into is it its just may me might more most must my no nor not now of off on once one only or other
our out over own same shall she should so some such than that the their them then there these they this those
through to too under until up us very was we were what when where which while who whom why will with would you
your
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Words that are not terms unless a detector marks them, or they are written as one that is."""
