"""Whether texts are in the language that a token classifier was made for."""

from collections import Counter
from collections.abc import Mapping, Sequence

from spark_deid.core.missed_names import TextDoubt
from spark_deid.core.plurals import is_or_are, share_of
from spark_deid.text.language import language_of, languages_for
from spark_deid.text.said_language import said_of


def warnings_of_language(texts: Sequence[str], language: str, model: str) -> tuple[TextDoubt, ...]:
    """Say how many of the texts looked at are surely in another language than a model's; those that say theirs apart.

    >>> [told] = warnings_of_language(["Der Patient wurde gestern nach Hause entlassen."], "en", "m")
    >>> told.partition(":")[0]
    'the one document looked at is in a language that m does not know (de 1)'
    """
    guessed = [text for text in texts if said_of(text) is None]
    strange = Counter(language_of(text) for text in guessed if not languages_for(text, {language}))
    if not strange:
        return ()
    told = f"{share_of(strange.total(), len(guessed), 'document')} looked at"
    return (TextDoubt(f"{told} {_unknown(strange, language, model)}", strange.total() / len(texts)),)


def warnings_of_said(languages: Mapping[str, int], language: str, model: str) -> tuple[TextDoubt, ...]:
    """Say how many of all texts whose language is said are in another than a model's; by language, how many are in it.

    >>> str(warnings_of_said({"en": 3, "de": 1}, "en", "m")[0])[:50]
    '1 of the 4 documents whose language is said (25.0%'
    """
    strange = {each: number for each, number in languages.items() if each != language}
    if not strange:
        return ()
    number, total = sum(strange.values()), sum(languages.values())
    told = f"{share_of(number, total, 'document')} whose language is said ({number / total:.1%})"
    return (TextDoubt(f"{told} {_unknown(strange, language, model)}", number / total),)


def _unknown(languages: Mapping[str, int], language: str, model: str) -> str:
    told = ", ".join(f"{each} {number}" for each, number in sorted(languages.items()))
    verb = is_or_are(sum(languages.values()))
    return f"{verb} in a language that {model} does not know ({told}): few names are found there; it knows {language}"
