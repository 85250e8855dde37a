"""What speaks against models knowing the languages of texts: sentences for runs to warn by."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from spark_deid.core.missed_names import TextDoubt
from spark_deid.core.plurals import share_of
from spark_deid.text.language import language_of, languages_for
from spark_deid.text.said_language import said_of

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
    ("1 of the 4 documents whose language is said (25.0%) is strange: {'de': 1}",)
    """
    strange = {language: number for language, number in languages.items() if language not in known}
    if not strange:
        return ()
    number, total = sum(strange.values()), sum(languages.values())
    message = f"{share_of(number, total, 'document')} whose language is said ({number / total:.1%}) {ending(strange)}"
    return (TextDoubt(message, number / total),)


def listed_languages(languages: Mapping[str, int]) -> str:
    """List how many documents are in each language.

    >>> listed_languages({"fi": 1, "de": 4})
    'de 4, fi 1'
    """
    return ", ".join(f"{language} {number}" for language, number in sorted(languages.items()))
