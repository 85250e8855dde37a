"""Whether texts are of the kind and the languages that shipped models know, told by their words alone."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.missed_names import TextDoubt
from spark_deid.core.plurals import is_or_are
from spark_deid.greedy.shipped import LANGUAGES
from spark_deid.text.gazetteer import knows
from spark_deid.text.language import doubts_of_said, doubts_of_texts, languages_for, listed_languages, said_of

_WORD = re.compile(r"[^\W\d_]+")
_PROGRAM_MARK = re.compile(r"[{};=<>_\\]")
FEWEST = 100
"""Of fewer words nothing is told."""
MOST_MARKS, MOST_CAPITALS, MOST_UNKNOWN = 0.1, 0.3, 0.2
"""Between English of any genre and what is not. Marks, capitals and unknown words to a word: of notes of hospitals .001
to .003, .01 to .05, .00 to .03; of Indian courts .06, .03, .10; of a note in abbreviations alone .00, .26, .14; of
English in capitals .94 capitals; of Spanish .50 and German .53 to .57 unknown words; of C headers .31, .14, .19, of
Python .21, .03, .12. Function words tell less: one in ten clinical reports has as few as programs have."""

_COUNTRIES: Mapping[str, str] = MappingProxyType(
    {
        "ar": "ar is Arabic. For Argentina write es",
        "be": "be is Belarusian. For Belgium write nl or fr",
        "br": "br is Breton. For Brazil write pt",
        "ca": "ca is Catalan. For Canada write en or fr",
        "se": "se is Northern Sami. For Sweden write sv",
        "uk": "uk is Ukrainian. For the United Kingdom write en",
    }
)
"""Languages whose codes are countries', too, where another is spoken that models come with."""


class TextFamiliarity(NamedTuple):
    """How many words were looked at, and how many marks of programs, capitals and unknown words there are to a word.

    Capitals are words of two letters and more that are written in capitals; unknown ones stand in no gazetteer.
    """

    words: int
    marks: float
    capitals: float
    unknown: float


def measure_familiarity(texts: Iterable[str]) -> TextFamiliarity:
    """Look at all words of texts."""
    texts = tuple(texts)
    marks = sum(1 for text in texts for _ in _PROGRAM_MARK.finditer(text))
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    words = counts.total() or 1
    uppercase = sum(count for word, count in counts.items() if len(word) > 1 and word.isupper())
    unknown = sum(count for word, count in counts.items() if not knows(word))
    return TextFamiliarity(counts.total(), marks / words, uppercase / words, unknown / words)


def list_doubts(found: TextFamiliarity) -> tuple[str, ...]:
    """Say what speaks against the text being ordinary English; nothing of a text of few words."""
    if found.words < FEWEST:
        return ()
    signs = (
        (
            found.marks > MOST_MARKS,
            f"it has {100 * found.marks:.0f} programming characters (such as {{ ; =) per 100 words",
        ),
        (found.capitals > MOST_CAPITALS, f"{found.capitals:.0%} of the words are uppercase"),
        (found.unknown > MOST_UNKNOWN, f"{found.unknown:.0%} of the words are in no list of names or words"),
    )
    return tuple(line for holds, line in signs if holds)


def languages_among(text: str, models: Collection[str]) -> tuple[str, ...]:
    """Return which languages of models a text is in: the one that it is said to be in, else those that it may be in."""
    stated = said_of(text)
    if stated is None:
        return languages_for(text, models)
    return (stated,) if stated in models else ()


def warnings_of_language(texts: Sequence[str], models: Mapping[str, str]) -> tuple[str, ...]:
    """Say what speaks against models, by language, knowing these texts; ``english`` alone is asked of words.

    Languages that texts are said to be in are told of by ``warnings_of_said``, of all texts.
    """
    warnings = [*doubts_of_texts(texts, models, partial(_without_models, models=models))]
    reasons = list_doubts(measure_familiarity(text for text in texts if languages_among(text, models) == ("en",)))
    if reasons:
        message = f"the model {models['en']} knows ordinary English, and may find little in this text: "
        warnings.append(TextDoubt(message + "; ".join(reasons), 1.0))
    return tuple(warnings)


def warnings_of_said(languages: Mapping[str, int], models: Mapping[str, str]) -> tuple[str, ...]:
    """Say how many of all texts whose language is said are in one that no model knows; by language, how many are in it.

    >>> warnings_of_said({"en": 3, "se": 1}, {"en": "english"})[0].partition(", where")[0]
    '1 of the 4 documents with a stated language (25.0%) is in a language without a model (se 1)'
    """
    return doubts_of_said(languages, models, partial(_without_models_said, models=models))


def _without_models_said(languages: Mapping[str, int], models: Mapping[str, str]) -> str:
    countries = "".join(f"; {entry}" for language, entry in _COUNTRIES.items() if language in languages)
    return f"{_without_models(languages, models)}{countries}"


def _without_models(languages: Mapping[str, int], models: Mapping[str, str]) -> str:
    return (
        f"{is_or_are(sum(languages.values()))} in a language without a model ({listed_languages(languages)}), "
        f"where few names are found. Add a model: {_suggested_models(languages, models)}"
    )


def _suggested_models(languages: Mapping[str, int], models: Mapping[str, str]) -> str:
    """Write the key of a plan that names a model for the language of most texts, too; no folder of a user's is told.

    >>> _suggested_models({"de": 4, "fi": 1}, {"en": "english"}), _suggested_models({"fi": 1}, {"en": "english"})
    ('model: {en: english, de: german}', 'model: {en: english, fi: FOLDER}')
    """
    most = min(languages, key=lambda language: (-languages[language], language))
    shipped = {language: name for name, language in LANGUAGES.items()}
    given = {language: name if name in LANGUAGES else "FOLDER" for language, name in models.items()}
    named = {**given, most: shipped.get(most, "FOLDER")}
    return f"model: {{{', '.join(f'{language}: {name}' for language, name in named.items())}}}"
