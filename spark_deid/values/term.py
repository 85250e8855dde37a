"""Terms: diagnoses, occupations, cities and what else has no form of its own."""

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form

_ARTICLES = {"en": ("the ", "a ", "an "), "es": ("el ", "la ", "los ", "las ", "un ", "una ")}


def read_term(surface: str, locale: ValueLocale) -> str | None:
    """Return a term in plain form, without its article; None where it has no word.

    >>> read_term("a  Machine-operator", ValueLocale())
    'machine operator'
    """
    words = plain_form(surface)
    for article in _ARTICLES[locale.language]:
        words = words.removeprefix(article)
    return words or None
