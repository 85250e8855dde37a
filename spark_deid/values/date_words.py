"""Words of dates in seven languages: months and days of the week, whole and short, and what is between them."""

from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import words_of


class DateWords(NamedTuple):
    """What a language writes dates with, each list in order: months from January, days of the week from Monday.

    Short forms have no dot. ``fillers`` may be between the parts of a date, in plain form.
    """

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    fillers: frozenset[str]


def _words(months: str, short_months: str, days: str, short_days: str, fillers: str) -> DateWords:
    return DateWords(
        words_of(months), words_of(short_months), words_of(days), words_of(short_days), frozenset(words_of(fillers))
    )


DATE_WORDS = MappingProxyType(
    {
        "en": _words(
            "January February March April May June July August September October November December",
            "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
            "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
            "Mon Tue Wed Thu Fri Sat Sun",
            "the of in on at day",
        ),
        "es": _words(
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            "ene feb mar abr may jun jul ago sep oct nov dic",
            "lunes martes miércoles jueves viernes sábado domingo",
            "lun mar mié jue vie sáb dom",
            "de del el la en dia ano a las",
        ),
        "de": _words(
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
            "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
            "Mo Di Mi Do Fr Sa So",
            "den dem der am im des um",
        ),
        "fr": _words(
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            "janv févr mars avr mai juin juil août sept oct nov déc",
            "lundi mardi mercredi jeudi vendredi samedi dimanche",
            "lun mar mer jeu ven sam dim",
            "le de du en l an a",
        ),
        "it": _words(
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            "gen feb mar apr mag giu lug ago set ott nov dic",
            "lunedì martedì mercoledì giovedì venerdì sabato domenica",
            "lun mar mer gio ven sab dom",
            "il di del dell in l anno alle",
        ),
        "pt": _words(
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
            "jan fev mar abr mai jun jul ago set out nov dez",
            "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
            "seg ter qua qui sex sáb dom",
            "de do em no dia a o as",
        ),
        "nl": _words(
            "januari februari maart april mei juni juli augustus september oktober november december",
            "jan feb mrt apr mei jun jul aug sep okt nov dec",
            "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
            "ma di wo do vr za zo",
            "de den van in op om",
        ),
    }
)
"""By language."""
OTHER_MONTHS = MappingProxyType(
    {
        "en": MappingProxyType({"sept": 9}),
        "es": MappingProxyType({"setiembre": 9, "sept": 9, "set": 9}),
        "de": MappingProxyType({"janner": 1, "feber": 2, "mrz": 3, "sept": 9, "marz": 3}),
        "fr": MappingProxyType({"jan": 1, "fev": 2, "fevr": 2, "jul": 7, "sep": 9, "decembre": 12}),
        "it": MappingProxyType({"sett": 9}),
        "pt": MappingProxyType({}),
        "nl": MappingProxyType({"sept": 9, "maa": 3}),
    }
)
"""Further names of months, in plain form, which are read and not written."""
OTHER_DAYS = MappingProxyType(
    {
        "en": MappingProxyType({"tues": 1, "wednes": 2, "thur": 3, "thurs": 3}),
        "de": MappingProxyType({"sonnabend": 5}),
        "pt": MappingProxyType({"segunda": 0, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4}),
    }
)
"""Further names of days of the week, by their numbers from Monday."""


def locale_named(name: str) -> ValueLocale:
    """Return a locale of one of the languages that surrogates are written in, such as ``de_DE``."""
    language, _, country = name.replace("-", "_").partition("_")
    if language not in DATE_WORDS or (country and not (len(country) == 2 and country.isupper())):
        raise UsageError(f"expected a locale such as en_US or de_DE ({', '.join(DATE_WORDS)}), got {name!r}")
    return ValueLocale(language, country or ("US" if language == "en" else language.upper()))
