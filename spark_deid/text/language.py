"""Which languages a text may be in, told by a short sample of it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from spark_deid.core.errors import UsageError
from spark_deid.core.missed_names import TextDoubt
from spark_deid.core.plurals import share_of

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


PIECE = 80
"""Characters of each of two pieces that are looked at, from a third and from two thirds of the text on: heads of
letters and forms say little of the language, and a text may go on in another one."""
LEAST, ALONE = 0.05, 0.2
"""A language of this probability in both pieces together, or in one of them alone, may be the text's."""
CERTAIN, FEWEST = 0.9, 40
"""Of fewer letters, and below this probability, no text is in a language that nobody asked for."""
RELATIVES: Mapping[str, str] = {
    relative: language
    for language, relatives in {
        "no": "nn nb",
        "pt": "gl",
        "es": "an ext ast",
        "de": "lb gsw nds bar",
        "nl": "af fy li",
        "en": "sco pcm",
        "fr": "gcr gcf wa",
    }.items()
    for relative in relatives.split()
}
"""Languages so near to another that its texts are taken for them."""
_CODES = """
ace am ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu fa fi fo fr fuv ga
gd gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk km kn ko ku ky la lg lij ln
lo lt ltg lv mg mk ml mn mr ms mt my ne nl no nso oc om or pa pl ps pt qu ro ru rw sa sdh se si sk sl sn
so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi vo wuu xh yo yue zh zu zxx
"""
"""What py3langid's model tells apart, relatives apart: so a code is known without that model."""


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    """Load py3langid's model, a second's work, where it is needed first."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@lru_cache(maxsize=1)
def known_languages() -> frozenset[str]:
    """Return the codes (ISO 639) of the languages that can be told apart, relatives apart."""
    return frozenset(_CODES.split())


def language_chances(text: str) -> dict[str, float]:
    """Return the probability of each language, relatives added to their language; the mean of a text's two pieces."""
    given = [_chances(piece) for piece in _pieces(text)]
    return {language: sum(each[language] for each in given) / len(given) for language in given[0]}


def _chances(piece: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for label, chance in _identifier().rank(piece):
        language = RELATIVES.get(label, label)
        found[language] = found.get(language, 0.0) + chance
    return found


def language_of(text: str) -> str:
    """Return the likeliest language of a text.

    >>> language_of("Der Patient wurde gestern entlassen und kommt am Montag zur Kontrolle.")
    'de'
    """
    chances = language_chances(text)
    return max(chances, key=lambda language: (chances[language], language))


def languages_for(text: str, known: Collection[str]) -> tuple[str, ...]:
    """Return, in order, which of the known languages a text may be in; none where it is surely in another.

    All of them where too little can be told: a text that nobody looks through would be published with its names.

    >>> languages_for("Der Patient wurde gestern entlassen und kommt am Montag zur Kontrolle.", {"de", "en"})
    ('de',)
    >>> languages_for("Potilas kotiutettiin eilen, ja hän tulee maanantaina uudelleen tutkittavaksi.", {"de", "en"})
    ()
    >>> languages_for("OK", {"de", "en"})
    ('de', 'en')
    """
    pieces = _pieces(text)
    if sum(map(str.isalpha, "".join(pieces))) < FEWEST:
        return tuple(sorted(known))
    given = [_chances(piece) for piece in pieces]
    likely = tuple(language for language in sorted(known) if _may_be(language, given))
    if likely or max(max(each.values()) for each in given) >= CERTAIN:
        return likely
    return tuple(sorted(known))


def _may_be(language: str, given: Sequence[Mapping[str, float]]) -> bool:
    chances = [each.get(language, 0.0) for each in given]
    return max(chances) >= ALONE or sum(chances) >= LEAST * len(chances)


def _pieces(text: str) -> tuple[str, ...]:
    """Return short pieces of a text, without the white space in it; the whole where it is short."""
    places = (0,) if len(text) <= 2 * PIECE else (len(text) // 3, 2 * len(text) // 3)
    end = 2 * PIECE if len(places) == 1 else PIECE
    return tuple(" ".join(text[place : place + end].split()) for place in places)


# What speaks against models knowing the languages of texts: sentences for runs to warn by.


DoubtEnding = Callable[[Mapping[str, int]], str]
"""How a sentence goes on, by how many documents are in each language that no model knows."""


def doubts_of_texts(texts: Sequence[str], known: Collection[str], ending: DoubtEnding) -> tuple[TextDoubt, ...]:
    """Say how many of the texts looked at are surely in a language that is not known.

    Languages that texts are said to be in are told of by ``doubts_of_said``, of all texts.
    """
    guessed = [text for text in texts if said_of(text) is None]
    strange = Counter(language_of(text) for text in guessed if not languages_for(text, known))
    if not strange:
        return ()
    message = f"{share_of(strange.total(), len(guessed), 'document')} looked at {ending(strange)}"
    return (TextDoubt(message, strange.total() / len(texts)),)


def doubts_of_said(languages: Mapping[str, int], known: Collection[str], ending: DoubtEnding) -> tuple[TextDoubt, ...]:
    """Say how many of all texts whose language is said are in one that is not known; by language, how many are in it.

    >>> doubts_of_said({"en": 3, "de": 1}, {"en"}, lambda strange: f"is strange: {strange}")
    ("1 of the 4 documents with a stated language (25.0%) is strange: {'de': 1}",)
    """
    strange = {language: number for language, number in languages.items() if language not in known}
    if not strange:
        return ()
    number, total = sum(strange.values()), sum(languages.values())
    message = f"{share_of(number, total, 'document')} with a stated language ({number / total:.1%}) {ending(strange)}"
    return (TextDoubt(message, number / total),)


def listed_languages(languages: Mapping[str, int]) -> str:
    """List how many documents are in each language.

    >>> listed_languages({"fi": 1, "de": 4})
    'de 4, fi 1'
    """
    return ", ".join(f"{language} {number}" for language, number in sorted(languages.items()))


# Languages that documents are said to be in, so that nobody has to guess: in a column, or by who asks.


CODE_PATTERN: Final = "[ \t\r\n]*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9_-]*)?[ \t\r\n]*"
"""What a code of a language is, whole; its one group is the language. Python and Java take it for the same."""
_CODE = re.compile(CODE_PATTERN)
_QUOTABLE = re.compile("[A-Za-z0-9_-]{1,12}")
_OTHER_CODES: Final[Mapping[str, str]] = {
    "eng": "en",
    "spa": "es",
    "por": "pt",
    "deu": "de",
    "ger": "de",
    "fra": "fr",
    "fre": "fr",
    "nld": "nl",
    "dut": "nl",
    "swe": "sv",
    "nor": "no",
    "nob": "no",
    "nno": "no",
    "dan": "da",
}
"""Codes of three letters (ISO 639-2 and 639-3) of the languages that models come with."""


class TextInLanguage(str):
    """A text whose ``language`` (ISO 639) is known; a detector that goes by languages need not guess it."""

    language: str

    def __new__(cls, text: str, language: str) -> "TextInLanguage":
        """Hold a text and its language."""
        self = super().__new__(cls, text)
        self.language = language
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.language


def plain_language(said: str | None) -> str | None:
    """Return the language that a code names, relatives as their language; None for what names none that is known.

    >>> [plain_language(each) for each in ("es", "en-US", "pt_BR", "nb", "DEU", "english", "", None)]
    ['es', 'en', 'pt', 'no', 'de', None, None, None]
    """
    match = _CODE.fullmatch(said or "")
    if match is None:
        return None
    code = match[1].lower()
    code = RELATIVES.get(code, _OTHER_CODES.get(code, code))
    return code if code in known_languages() else None


def checked_language(place: str, said: object) -> str:
    """Return the language that a code names; raise UsageError, which names the place, where it names none.

    The error quotes what looks like a code alone: a wrong column may hold documents.
    """
    language = plain_language(said) if isinstance(said, str) else None
    if language is None:
        raise UsageError(f"{place}: expected a language such as en, es or pt, got {_as_code(said)}")
    return language


def _as_code(said: object) -> str:
    """Quote what looks like a code: at most 12 ASCII letters, digits, - and _; of all else say that it is none."""
    if not isinstance(said, str):
        return type(said).__name__
    return repr(said) if _QUOTABLE.fullmatch(said) else "text that is not a code"


def in_language(text: str, said: str | None) -> str:
    """Return a text that knows the language it is said to be in; as it is where that is none.

    >>> said_of(in_language("Hola", "es-MX")), said_of(in_language("Hola", None)), said_of(in_language("Hola", "?"))
    ('es', None, None)
    """
    language = plain_language(said)
    return text if language is None else TextInLanguage(text, language)


def said_of(text: str) -> str | None:
    """Return the language that a text is said to be in."""
    return text.language if isinstance(text, TextInLanguage) else None
