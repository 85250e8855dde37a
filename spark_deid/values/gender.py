"""Gender, as words and letters tell it."""

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form

MALE, FEMALE, OTHER = "male", "female", "nonbinary"
_WORDS = {
    "en": {
        MALE: "m male man boy gentleman masculine males men",
        FEMALE: "f female woman girl lady feminine females women",
        OTHER: "x nonbinary other diverse",
    },
    # "M" is masculino to some and mujer to others: it tells nothing.
    "es": {
        MALE: "h v hombre varon masculino nino chico caballero",
        FEMALE: "f mujer femenino femenina hembra nina chica senora",
        OTHER: "x otro nobinario",
    },
}


def read_gender(surface: str, locale: ValueLocale) -> str | None:
    """Return ``male``, ``female`` or ``nonbinary``; None where the surface does not tell which.

    >>> (
    ...     read_gender("Woman", ValueLocale()),
    ...     read_gender("Varón", ValueLocale("es", "ES")),
    ...     read_gender("M", ValueLocale("es", "ES")),
    ... )
    ('female', 'male', None)
    """
    word = plain_form(surface).replace(" ", "")
    return next((gender for gender, words in _WORDS[locale.language].items() if word in words.split()), None)
