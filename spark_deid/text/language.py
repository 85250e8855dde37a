"""Which languages a text may be in, told by a short sample of it."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

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
