"""Whether texts are of the kind and the languages that shipped models know, told by their words alone."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.text.gazetteer import knows
from spark_deid.text.language import language_of, languages_for
from spark_deid.text.said_language import said_of

_FUNCTION_WORDS = """
    the a an and or but not of to in on at for from with by as that this these those it he she they we you i his her
    their our your my me him them is are was were be been have has had do does did will would can could there what which
    who when if so than then all no about
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+")
FEWEST = 100
"""Of fewer words nothing is told."""
LEAST_FUNCTION, MOST_CAPITALS, MOST_UNKNOWN = 0.28, 0.3, 0.2
"""Between English of any genre (in UNER English EWT .39 to .45, .01 to .03, .01 to .04) and what is not: MEDDOCAN .02,
.02, .50; English in capitals .41, .94, .03; C headers .22, .13, .20; Python .19, .03, .11."""


class TextFamiliarity(NamedTuple):
    """How many words were looked at, and of these the shares of English function words, capitals, and unknown ones.

    Capitals are words of two letters and more that are written in capitals; unknown ones stand in no gazetteer.
    """

    words: int
    function: float
    capitals: float
    unknown: float


def familiarity(texts: Iterable[str]) -> TextFamiliarity:
    """Look at all words of texts."""
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    words = counts.total() or 1
    function = sum(count for word, count in counts.items() if word.lower() in FUNCTION_WORDS)
    capitals = sum(count for word, count in counts.items() if len(word) > 1 and word.isupper())
    unknown = sum(count for word, count in counts.items() if not knows(word))
    return TextFamiliarity(counts.total(), function / words, capitals / words, unknown / words)


def doubts(found: TextFamiliarity) -> tuple[str, ...]:
    """Say what speaks against the text being ordinary English; nothing of a text of few words."""
    if found.words < FEWEST:
        return ()
    signs = (
        (found.function < LEAST_FUNCTION, f"{found.function:.0%} of its words are English function words"),
        (found.capitals > MOST_CAPITALS, f"{found.capitals:.0%} are written in capitals"),
        (found.unknown > MOST_UNKNOWN, f"{found.unknown:.0%} are in no list of names or words"),
    )
    return tuple(line for holds, line in signs if holds)


def languages_among(text: str, models: Collection[str]) -> tuple[str, ...]:
    """Return which languages of models a text is in: the one that it is said to be in, else those that it may be in."""
    said = said_of(text)
    if said is None:
        return languages_for(text, models)
    return (said,) if said in models else ()


def warnings_of_language(texts: Sequence[str], models: Mapping[str, str]) -> tuple[str, ...]:
    """Say what speaks against shipped models, by language, knowing these texts; ``english`` alone is asked of words.

    Texts are told apart by language where there are several models, or one of another language than English, or where
    they are said to be in one.
    """
    warnings = []
    told_apart = texts if set(models) != {"en"} else [text for text in texts if said_of(text) is not None]
    if told_apart:
        strange = Counter(said_of(t) or language_of(t) for t in told_apart if not languages_among(t, models))
        if strange:
            told = ", ".join(f"{language} {number}" for language, number in sorted(strange.items()))
            warnings.append(
                f"{strange.total()} of the {len(texts)} documents looked at are in languages of which no model is "
                f"named ({told}): few names are found there; name one: model: {{{min(strange)}: FOLDER}}"
            )
    if set(models) != {"en"}:
        texts = [text for text in texts if "en" in models and languages_among(text, models) == ("en",)]
    reasons = doubts(familiarity(texts)) if "en" in models else ()
    if reasons:
        warnings.append(
            f"the model {models['en']} knows ordinary English, and may find little in this text: {'; '.join(reasons)}"
        )
    return tuple(warnings)
